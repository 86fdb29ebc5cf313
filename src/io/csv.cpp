#include "io/csv.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/file.hpp"
#include "io/limits.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

// Calls visit(field, index) for each comma-separated field of a line; names may stand in double quotes.
template <class Visit>
std::size_t for_each_field(std::string_view line, Visit visit) {
  std::size_t count = 0;
  while (true) {
    const std::size_t comma = line.find(',');
    std::string_view field = line.substr(0, comma);
    while (!field.empty() && (field.front() == ' ' || field.front() == '"')) field.remove_prefix(1);
    while (!field.empty() && (field.back() == ' ' || field.back() == '"')) field.remove_suffix(1);
    visit(field, count++);
    if (comma == std::string_view::npos) return count;
    line.remove_prefix(comma + 1);
  }
}

[[noreturn]] void bad_line(const std::filesystem::path& path, std::size_t line, const std::string& what) {
  throw Error(ErrorCode::bad_format, fmt::format("'{}' line {}: {}", path.string(), line, what),
              "Give a header line of names, then one line of numbers per row, separated by commas");
}

double parse_field(std::string_view field, const std::filesystem::path& path, std::size_t line) {
  if (field.empty()) return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const auto [end, trouble] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (trouble != std::errc{} || end != field.data() + field.size()) {
    bad_line(path, line, fmt::format("'{}' is not a number", field));
  }
  return value;
}

}  // namespace

void write_csv(const std::filesystem::path& path, const CsvTable& table) {
  write_atomically(path, [&](std::ostream& out) {
    fmt::memory_buffer buffer;
    fmt::format_to(std::back_inserter(buffer), "{}\n", fmt::join(table.columns, ","));
    const std::size_t columns = table.columns.size();
    for (std::size_t i = 0; i < table.values.size(); ++i) {
      if (!std::isnan(table.values[i])) {
        fmt::format_to(std::back_inserter(buffer), "{}", table.values[i]);
      } else if (columns == 1) {
        buffer.append(std::string_view("\"\""));  // an empty line would not count as a row
      }
      buffer.push_back((i + 1) % columns == 0 ? '\n' : ',');
      if (buffer.size() < (1U << 16)) continue;
      out.write(buffer.data(), static_cast<std::streamsize>(buffer.size()));
      buffer.clear();
    }
    out.write(buffer.data(), static_cast<std::streamsize>(buffer.size()));
  });
}

CsvTable read_csv(const std::filesystem::path& path) {
  const std::string text = read_text(path, limits::csv_bytes);
  CsvTable table;
  std::string_view rest = text;
  if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);  // what some spreadsheets put before the first name
  for (std::size_t line_number = 1; !rest.empty(); ++line_number) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (table.columns.empty()) {
      for_each_field(line, [&](std::string_view field, std::size_t) { table.columns.emplace_back(field); });
      if (table.columns.size() == 1 && line.find_first_of(";\t") != std::string_view::npos) {
        bad_line(path, line_number, "the names are separated by something else than commas");
      }
      continue;
    }
    if (line.empty()) continue;
    const std::size_t fields = for_each_field(line, [&](std::string_view field, std::size_t) {
      table.values.push_back(parse_field(field, path, line_number));
    });
    if (fields != table.columns.size()) {
      bad_line(path, line_number, fmt::format("{} fields where the header has {}", fields, table.columns.size()));
    }
  }
  if (table.columns.empty()) bad_line(path, 1, "the file is empty");
  return table;
}

}  // namespace mercer
