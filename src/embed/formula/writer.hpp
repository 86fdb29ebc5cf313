#pragma once

#include <span>
#include <string>
#include <vector>

#include "basis/functions/plain_functions.hpp"
#include "mercer/embedding.hpp"

namespace mercer {

/// The fewest digits that are within `tolerance` of a number that is not negative: "0.5", "12.25", "3e-07".
std::string short_number(double value, double tolerance);

/// Writes expressions in one notation. Text means a product by a space and a function by a parenthesis without one
/// before it: "2 v tanh(x)".
class FormulaWriter {
 public:
  explicit FormulaWriter(Notation notation) : notation_(notation) {}
  Notation notation() const { return notation_; }

  /// As `short_number`, the sign left out.
  std::string number(double value, double tolerance = 0) const;
  /// A variable: "cos_theta", "\mathrm{cos\_theta}".
  std::string name(const std::string& identifier) const;
  std::string pi() const { return notation_ == Notation::latex ? "\\pi" : "pi"; }
  /// Factors of "1" are left out.
  std::string product(std::span<const std::string> factors) const;
  /// `over` is one number or name; nothing happens where it is "1".
  std::string quotient(const std::string& upper, const std::string& over) const;
  std::string power(const std::string& base, std::size_t exponent) const;
  std::string call(std::string_view function, const std::string& argument) const;
  std::string brackets(const std::string& inner) const;
  std::string magnitude(const std::string& inner) const;
  /// The variable of an axis minus a number: "v + 0.3", or the variable alone.
  std::string shifted(const std::string& variable, double by, double tolerance) const;
  /// min(high, max(low, inner)); ends may be infinite. `inner` is repeated in Python: give a variable.
  std::string clipped(const std::string& inner, double low, double high) const;
  std::string largest(std::span<const std::string> names) const;
  std::string line(const std::string& left, const std::string& right) const { return left + " = " + right; }

  /// T2(v) and its like: by name, or in Python written out.
  std::string polynomial(Family family, std::size_t degree, const std::string& variable) const;
  /// "T2(x) = 2 x^2 - 1".
  std::string definition(Family family, std::size_t degree) const;

 private:
  std::string expanded(const Polynomial& polynomial, double reach, const std::string& variable) const;
  Notation notation_;
};

/// "a - b + c", "0" where nothing was added.
class FormulaSum {
 public:
  void add(bool negative, const std::string& term);
  std::string text() const { return text_.empty() ? "0" : text_; }

 private:
  std::string text_;
};

}  // namespace mercer
