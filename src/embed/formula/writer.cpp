#include "embed/formula/writer.hpp"

#include <cctype>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

namespace mercer {

std::string short_number(double value, double tolerance) {
  const auto near = [&](const std::string& text) {
    return std::abs(std::strtod(text.c_str(), nullptr) - value) <= tolerance;
  };
  if (std::isinf(value)) return "inf";
  if (value >= 1e-4 && value < 1e15) {
    for (int decimals = 0; decimals < 17; ++decimals) {
      if (std::string text = fmt::format("{:.{}f}", value, decimals); near(text)) return text;
    }
  }
  for (int digits = 1; digits < 17; ++digits) {
    if (std::string text = fmt::format("{:.{}g}", value, digits); near(text)) return text;
  }
  return fmt::format("{}", value);
}

std::string FormulaWriter::number(double value, double tolerance) const {
  std::string text = short_number(std::abs(value), tolerance);
  if (notation_ != Notation::latex) return text;
  if (text == "inf") return "\\infty";
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  return fmt::format("{} \\cdot 10^{{{}}}", text.substr(0, e), std::atoi(text.c_str() + e + 1));
}

std::string FormulaWriter::name(const std::string& identifier) const {
  if (notation_ != Notation::latex || identifier.size() == 1) return identifier;
  std::size_t letters = identifier.size();
  while (std::isdigit(static_cast<unsigned char>(identifier[letters - 1])) != 0) --letters;
  if (letters == 1) return fmt::format("{}_{{{}}}", identifier[0], identifier.substr(1));
  std::string text;
  for (const char c : identifier) text += c == '_' ? std::string("\\_") : std::string(1, c);
  return fmt::format("\\mathrm{{{}}}", text);
}

std::string FormulaWriter::product(std::span<const std::string> factors) const {
  const char* between = notation_ == Notation::text ? " " : notation_ == Notation::python ? "*" : " \\, ";
  std::string text;
  for (const std::string& factor : factors) {
    if (factor == "1") continue;
    text += text.empty() ? "" : between;
    text += factor;
  }
  return text.empty() ? "1" : text;
}

std::string FormulaWriter::quotient(const std::string& upper, const std::string& over) const {
  if (over == "1") return upper;
  if (notation_ == Notation::latex) return fmt::format("\\frac{{{}}}{{{}}}", upper, over);
  return upper + (notation_ == Notation::python ? "/" : " / ") + over;
}

std::string FormulaWriter::power(const std::string& base, std::size_t exponent) const {
  if (exponent == 0) return "1";
  if (exponent == 1) return base;
  if (notation_ == Notation::latex) return fmt::format("{}^{{{}}}", base, exponent);
  return fmt::format("{}{}{}", base, notation_ == Notation::python ? "**" : "^", exponent);
}

std::string FormulaWriter::call(std::string_view function, const std::string& argument) const {
  if (notation_ != Notation::latex) return fmt::format("{}({})", function, argument);
  if (function == "sqrt") return fmt::format("\\sqrt{{{}}}", argument);
  return fmt::format("\\{}{}", function, brackets(argument));
}

std::string FormulaWriter::brackets(const std::string& inner) const {
  return notation_ == Notation::latex ? fmt::format("\\left({}\\right)", inner) : fmt::format("({})", inner);
}

std::string FormulaWriter::magnitude(const std::string& inner) const {
  return notation_ == Notation::latex ? fmt::format("\\left|{}\\right|", inner) : fmt::format("abs({})", inner);
}

std::string FormulaWriter::shifted(const std::string& variable, double by, double tolerance) const {
  const std::string size = number(by, tolerance);
  return size == "0" ? variable : fmt::format("{} {} {}", variable, by < 0 ? "+" : "-", size);
}

std::string FormulaWriter::clipped(const std::string& inner, double low, double high) const {
  const auto end = [&](double value) {
    return fmt::format("{}{}", value < 0 ? "-" : "", number(value, 1e-7 * std::abs(value)));
  };
  if (std::isinf(low) && std::isinf(high)) return inner;
  if (notation_ == Notation::text) return fmt::format("clip({}, {}, {})", inner, end(low), end(high));
  if (notation_ == Notation::latex) {
    std::string text = inner;
    if (std::isfinite(high)) text = fmt::format("\\min\\left({}, {}\\right)", end(high), text);
    if (std::isfinite(low)) text = fmt::format("\\max\\left({}, {}\\right)", end(low), text);
    return text;
  }
  // Of absolute values: these work for numbers, arrays and symbols alike.
  const auto away = [&](double from) { return magnitude(shifted(inner, from, 1e-7 * std::abs(from))); };
  if (std::isinf(low)) return fmt::format("({} + {} - {})/2", inner, brackets(end(high)), away(high));
  if (std::isinf(high)) return fmt::format("({} + {} + {})/2", inner, brackets(end(low)), away(low));
  FormulaSum sum;
  if (low + high != 0) sum.add(low + high < 0, number(low + high, 1e-7 * (high - low)));
  sum.add(false, away(low));
  sum.add(true, away(high));
  return fmt::format("({})/2", sum.text());
}

std::string FormulaWriter::largest(std::span<const std::string> names) const {
  std::string list;
  for (const std::string& one : names) list += fmt::format("{}{}", list.empty() ? "" : ", ", name(one));
  if (notation_ == Notation::text) return fmt::format("argmax({})", list);
  if (notation_ == Notation::python) return fmt::format("argmax(({}))", list);
  return fmt::format("\\operatorname{{arg\\,max}}\\left({}\\right)", list);
}

std::string FormulaWriter::expanded(const Polynomial& polynomial, double reach, const std::string& variable) const {
  FormulaSum sum;
  for (std::size_t p = polynomial.powers.size(); p-- > 0;) {
    const double factor = polynomial.powers[p] * std::pow(reach, static_cast<double>(p));
    if (factor == 0) continue;
    sum.add(factor < 0, product(std::vector{number(factor), power(variable, p)}));
  }
  return sum.text();
}

std::string FormulaWriter::polynomial(Family family, std::size_t degree, const std::string& variable) const {
  const double reach = polynomial_reach(family);
  if (notation_ == Notation::python) {
    const Polynomial plain = plain_polynomial(family, degree);
    return quotient(brackets(expanded(plain, reach, variable)), number(plain.denominator));
  }
  const std::string argument = product(std::vector{number(reach), variable});
  if (notation_ == Notation::text) return fmt::format("{}{}({})", polynomial_name(family), degree, argument);
  return fmt::format("{}_{{{}}}{}", name(std::string(polynomial_name(family))), degree, brackets(argument));
}

std::string FormulaWriter::definition(Family family, std::size_t degree) const {
  const Polynomial plain = plain_polynomial(family, degree);
  const std::string text = expanded(plain, 1, "x"), over = number(plain.denominator);
  const bool bare = plain.denominator == 1 || notation_ == Notation::latex;
  const std::string left =
      notation_ == Notation::text
          ? fmt::format("{}{}(x)", polynomial_name(family), degree)
          : fmt::format("{}_{{{}}}{}", name(std::string(polynomial_name(family))), degree, brackets("x"));
  return line(left, quotient(bare ? text : brackets(text), over));
}

void FormulaSum::add(bool negative, const std::string& term) {
  text_ += text_.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
  text_ += term;
}

}  // namespace mercer
