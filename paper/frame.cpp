#include "frame.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "io/file.hpp"
#include "mercer/error.hpp"

namespace mercer::paper {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

Cell parse(std::string_view text) {
  double number = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (trouble == std::errc() && end == text.data() + text.size()) return number;
  return std::string(text);
}

std::string to_text(const Cell& cell) {
  if (const double* number = std::get_if<double>(&cell)) return fmt::format("{}", *number);
  return std::get<std::string>(cell);
}

void check_word(const std::string& word) {
  if (word.empty() || word.find_first_of(",\"\n") != std::string::npos || parse(word).index() == 0) {
    throw Error(ErrorCode::bad_value, fmt::format("'{}' cannot stand as a word in a table", word),
                "Use words without commas and quotes, that are no numbers");
  }
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields;
  std::stringstream in(line);
  for (std::string field; std::getline(in, field, ',');) fields.push_back(field);
  return fields;
}

}  // namespace

void Frame::add(std::vector<Cell> row) {
  if (row.size() != columns.size()) {
    throw Error(ErrorCode::shape_mismatch, fmt::format("{} cells for {} columns", row.size(), columns.size()),
                "Give one for each");
  }
  for (const Cell& cell : row) {
    if (const auto* word = std::get_if<std::string>(&cell)) check_word(*word);
  }
  rows.push_back(std::move(row));
}

std::size_t Frame::column(std::string_view name) const {
  const auto found = std::ranges::find(columns, name);
  if (found == columns.end()) throw_unknown("column", name, columns);
  return static_cast<std::size_t>(found - columns.begin());
}

void write_frame(const std::filesystem::path& path, const Frame& frame) {
  std::string text;
  const auto line = [&text](const std::vector<std::string>& fields) {
    for (std::size_t i = 0; i < fields.size(); ++i) text += (i > 0 ? "," : "") + fields[i];
    text += '\n';
  };
  line(frame.columns);
  for (const auto& row : frame.rows) {
    std::vector<std::string> fields;
    for (const Cell& cell : row) fields.push_back(to_text(cell));
    line(fields);
  }
  write_atomically(path, [&](std::ostream& out) { out << text; });
}

Frame read_frame(const std::filesystem::path& path) {
  std::stringstream in(read_text(path));
  std::string line;
  std::getline(in, line);
  Frame frame{split(line)};
  while (std::getline(in, line)) {
    std::vector<Cell> row;
    for (const std::string& field : split(line)) row.push_back(parse(field));
    if (row.size() != frame.columns.size()) {
      throw Error(ErrorCode::bad_format,
                  fmt::format("line {} of '{}' has {} fields, and the first {}", frame.rows.size() + 2, path.string(),
                              row.size(), frame.columns.size()),
                  "Make the file again");
    }
    frame.rows.push_back(std::move(row));
  }
  return frame;
}

void append(Tables& all, const Tables& part) {
  for (const auto& [name, frame] : part) {
    Frame& whole = all[name];
    if (whole.columns.empty()) whole.columns = frame.columns;
    for (const auto& row : frame.rows) whole.add(row);
  }
}

Rows::Rows(const Frame& frame) : frame_(&frame), places_(frame.rows.size()) {
  std::iota(places_.begin(), places_.end(), std::size_t{0});
}

Rows Rows::where(std::string_view column, const Cell& value) const {
  Rows some = *this;
  const std::size_t at = frame_->column(column);
  std::erase_if(some.places_, [&](std::size_t place) { return frame_->rows[place][at] != value; });
  return some;
}

Rows Rows::between(std::string_view column, double low, double high) const {
  Rows some = *this;
  const std::size_t at = frame_->column(column);
  std::erase_if(some.places_, [&](std::size_t place) {
    const double* number = std::get_if<double>(&frame_->rows[place][at]);
    return number == nullptr || !(*number >= low && *number <= high);
  });
  return some;
}

std::vector<double> Rows::numbers(std::string_view column) const {
  std::vector<double> all;
  const std::size_t at = frame_->column(column);
  for (const std::size_t place : places_) {
    const double* number = std::get_if<double>(&frame_->rows[place][at]);
    all.push_back(number == nullptr ? unknown : *number);
  }
  return all;
}

std::vector<double> Rows::distinct(std::string_view column) const {
  const std::vector<double> all = numbers(column);
  const std::set<double> different(all.begin(), all.end());
  return {different.begin(), different.end()};
}

std::vector<std::string> Rows::words(std::string_view column) const {
  std::vector<std::string> different;
  const std::size_t at = frame_->column(column);
  for (const std::size_t place : places_) {
    const std::string* word = std::get_if<std::string>(&frame_->rows[place][at]);
    if (word != nullptr && std::ranges::find(different, *word) == different.end()) different.push_back(*word);
  }
  return different;
}

double mean_of(const std::vector<double>& numbers) {
  if (numbers.empty()) return unknown;
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

std::vector<double> per_seed(const Rows& rows, std::string_view column) {
  std::vector<double> all;
  for (const double seed : rows.distinct("seed")) all.push_back(rows.where("seed", seed).mean(column));
  return all;
}

Tables select_env(const Tables& tables, const std::string& env) {
  Tables some;
  for (const auto& [name, frame] : tables) {
    Frame& own = some[name] = {frame.columns};
    const auto found = std::ranges::find(frame.columns, "env");
    const auto at = static_cast<std::size_t>(found - frame.columns.begin());
    for (const auto& row : frame.rows) {
      if (found == frame.columns.end() || row[at] == Cell(env) || row[at] == Cell("any")) own.rows.push_back(row);
    }
  }
  return some;
}

double Rows::mean(std::string_view column) const { return mean_of(numbers(column)); }

double Rows::sd(std::string_view column) const {
  const std::vector<double> all = numbers(column);
  if (all.empty()) return unknown;
  if (all.size() == 1) return 0;
  const double centre = mean_of(all);
  double sum = 0;
  for (const double number : all) sum += (number - centre) * (number - centre);
  return std::sqrt(sum / static_cast<double>(all.size() - 1));
}

double Rows::least(std::string_view column) const {
  const std::vector<double> all = numbers(column);
  return all.empty() ? unknown : *std::ranges::min_element(all);
}

double Rows::most(std::string_view column) const {
  const std::vector<double> all = numbers(column);
  return all.empty() ? unknown : *std::ranges::max_element(all);
}

}  // namespace mercer::paper
