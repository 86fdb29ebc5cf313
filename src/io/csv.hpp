#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mercer {

/// A table of numbers with named columns. An empty field is NaN.
struct CsvTable {
  std::vector<std::string> columns;
  std::vector<double> values;  ///< row-major

  std::size_t rows() const { return columns.empty() ? 0 : values.size() / columns.size(); }
  double at(std::size_t row, std::size_t column) const { return values[row * columns.size() + column]; }
};

/// Writes a header line and a line a row. Numbers are the shortest text that reads back to the same bits.
void write_csv(const std::filesystem::path& path, const CsvTable& table);

/// Reads it back. Throws `bad_format` with the line for a field that is no number or a row of another length.
CsvTable read_csv(const std::filesystem::path& path);

}  // namespace mercer
