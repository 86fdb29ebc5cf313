#include "export/c/c_text.hpp"

#include <cmath>

#include "core/printable.hpp"
#include "mercer/error.hpp"

namespace mercer {

void require_single_precision(double value) {
  if (std::isfinite(static_cast<float>(value))) return;
  throw Error(ErrorCode::out_of_range,
              fmt::format("the code would need the number {:g}; legal in single precision: -3.4e38 to 3.4e38", value),
              "Use other units, so that bounds and scales are smaller, and make the embedding again");
}

std::string c_float(double value) {
  require_single_precision(value);
  std::string text = fmt::format("{:.9g}", static_cast<double>(static_cast<float>(value)));
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + "f";
}

std::string c_table(const std::string& type, const std::string& name, std::span<const std::string> numbers,
                    std::size_t columns) {
  const std::size_t count = numbers.size();
  std::string text = columns == 0
                         ? fmt::format("static const {} {}[{}] = {{", type, name, count)
                         : fmt::format("static const {} {}[{}][{}] = {{", type, name, count / columns, columns);
  std::size_t line = 100;  // full: the first number begins a new one
  for (std::size_t i = 0; i < count; ++i) {
    std::string one = numbers[i];
    if (columns > 0 && i % columns == 0) one = "{" + one;
    if (columns > 0 && i % columns == columns - 1) one += "}";
    if (i + 1 < count) one += ",";
    const bool wrap = line + one.size() + 1 > 96;
    text += wrap ? "\n  " : " ";
    line = wrap ? 2 + one.size() : line + 1 + one.size();
    text += one;
  }
  return text + "\n};\n";
}

std::string c_float_table(const std::string& name, std::span<const double> numbers, std::size_t columns) {
  std::vector<std::string> text;
  for (const double number : numbers) text.push_back(c_float(number));
  return c_table("float", name, text, columns);
}

std::string fill(std::string text, std::span<const std::pair<std::string, std::string>> places) {
  for (const auto& [name, value] : places) {
    const std::string mark = "@" + name + "@";
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size()))
      text.replace(at, mark.size(), value);
  }
  return text;
}

std::string c_comment(const std::string& text) {
  std::string line = text, clean;
  for (char& c : line) c = c >= 0 && c < ' ' ? ' ' : c;
  for (const char c : printable(line)) {  // marks of direction would make code look like what it is not
    const bool odd =
        (c == '/' && !clean.empty() && clean.back() == '*') || (c == '*' && !clean.empty() && clean.back() == '/');
    clean += odd || c == '\\' || c == '?' ? ' ' : c;  // ?? and \ could make a trigraph or join lines
  }
  return clean;
}

}  // namespace mercer
