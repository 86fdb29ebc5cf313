#pragma once

#include <set>
#include <string>
#include <vector>

#include "embed/formula/axes.hpp"

namespace mercer {

/// Writes the terms of an embedding and remembers what they use: axes, polynomials, and the lines of those that are too
/// long to repeat.
class TermWriter {
 public:
  using Factors = std::vector<std::string>;

  TermWriter(const Terms& terms, const PlainTerms& plain, const FormulaVariables& variables,
             const FormulaWriter& writer, FormulaNames& names)
      : terms_(terms), plain_(plain), variables_(variables), writer_(writer), names_(names) {
    used_.resize(variables.axes.size());
  }

  /// What a coefficient is multiplied by, within `error`.
  Factors factors(std::size_t term, double error);
  /// The lines that define what all factors so far are made of.
  std::vector<std::string> definitions() const;

 private:
  Factors product(std::size_t index);
  std::string trigonometric(std::size_t axis, std::size_t function);
  std::string wave(std::size_t index, double error);
  std::string ridge(std::size_t index, double error);
  std::string radial(std::size_t index, double error);
  std::string affine(std::span<const double> numbers, double error);
  std::string variable(std::size_t axis);
  std::string define(const char* letter, std::size_t& count, const std::string& text);

  const Terms& terms_;
  const PlainTerms& plain_;
  const FormulaVariables& variables_;
  const FormulaWriter& writer_;
  FormulaNames& names_;
  std::vector<bool> used_;          // axes
  std::set<std::size_t> degrees_;   // of polynomials
  std::vector<std::string> lines_;  // of waves, ridges and RBFs
  std::size_t waves_ = 0, ridges_ = 0, radials_ = 0, distances_ = 0;
};

}  // namespace mercer
