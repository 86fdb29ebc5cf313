#pragma once

#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace mercer {

/// Throws `out_of_range` for what single precision cannot hold: generated code must not contain inf or nan.
void require_single_precision(double value);

/// A single-precision number as C and C++11 both read it back to the same bits: "0.5f", "1.2e-05f".
std::string c_float(double value);

/// "static const TYPE NAME[2][3] = {...};" from numbers as text, row by row, in lines of at most 100 characters.
/// `columns` 0 makes a plain list.
std::string c_table(const std::string& type, const std::string& name, std::span<const std::string> numbers,
                    std::size_t columns = 0);

template <class T>
std::string c_integer_table(const std::string& type, const std::string& name, const std::vector<T>& numbers,
                            std::size_t columns = 0) {
  std::vector<std::string> text;
  for (const T number : numbers) {
    text.push_back(static_cast<long long>(number) == -2147483648LL ? "(-2147483647 - 1)" : fmt::format("{}", number));
  }
  return c_table(type, name, text, columns);
}
/// Adds such a table, of numbers of so many bytes each, and returns the bytes of all.
template <class T>
std::size_t add_integer_table(std::string& text, const std::string& type, std::size_t bytes, const std::string& name,
                              const std::vector<T>& numbers, std::size_t columns) {
  text += c_integer_table(type, name, numbers, columns);
  return bytes * numbers.size();
}
std::string c_float_table(const std::string& name, std::span<const double> numbers, std::size_t columns = 0);

/// Names of places in a text, and what goes there.
using Places = std::vector<std::pair<std::string, std::string>>;

/// Text with every "@NAME@" replaced: code reads better with its braces single.
std::string fill(std::string text, std::span<const std::pair<std::string, std::string>> places);

/// Code in which the body of every if, for and while has braces, as MISRA C:2012 wants. For generated code alone: a
/// statement is on one line, and a body without braces on the same line or on the next.
std::string with_braces(const std::string& code);

/// Without what would end a comment or leave the line.
std::string c_comment(const std::string& text);

}  // namespace mercer
