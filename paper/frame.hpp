#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mercer::paper {

/// A number or a word.
using Cell = std::variant<double, std::string>;

/// A tidy table: a row for each observation, a column for each variable.
struct Frame {
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows = {};

  /// Throws `shape_mismatch` unless there is a cell for each column.
  void add(std::vector<Cell> row);
  /// Throws `unknown_name` with the nearest column.
  std::size_t column(std::string_view name) const;
};

/// Tables of an experiment by name; each becomes NAME.csv.
using Tables = std::map<std::string, Frame>;

/// Numbers are written as the shortest text that reads back to the same bits. Words hold no comma, quote or newline
/// and do not read as numbers (`bad_value`).
void write_frame(const std::filesystem::path& path, const Frame& frame);
/// Throws `bad_format` for a row of another length.
Frame read_frame(const std::filesystem::path& path);

/// Adds the rows of `part`, which has the same columns.
void append(Tables& all, const Tables& part);

/// Some rows of a frame. Statistics of none are NaN, so that whatever is claimed about them does not hold.
class Rows {
 public:
  explicit Rows(const Frame& frame);

  Rows where(std::string_view column, const Cell& value) const;
  /// low <= value <= high.
  Rows between(std::string_view column, double low, double high) const;

  std::size_t size() const { return places_.size(); }
  std::vector<double> numbers(std::string_view column) const;
  std::vector<double> distinct(std::string_view column) const;    ///< rising
  std::vector<std::string> words(std::string_view column) const;  ///< distinct, in the order in which they come
  double mean(std::string_view column) const;
  double sd(std::string_view column) const;  ///< with N - 1; 0 for one number
  double least(std::string_view column) const;
  double most(std::string_view column) const;

 private:
  const Frame* frame_;
  std::vector<std::size_t> places_;
};

/// The mean of a column for each seed, by rising seed.
std::vector<double> per_seed(const Rows& rows, std::string_view column);

/// The rows of one environment in every table that has a column "env": its own, and those of tasks that have no
/// variants ("any").
Tables select_env(const Tables& tables, const std::string& env);

/// Mean of numbers; NaN for none.
double mean_of(const std::vector<double>& numbers);

}  // namespace mercer::paper
