#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mercer/env.hpp"

namespace mercer {

/// A single-precision number with digits on both sides of its point, as IEC 61131-3 wants it: "0.5", "1.2E-05".
std::string st_real(double value);

/// Without what would end a comment or begin another.
std::string st_comment(const std::string& text);

/// Whether a word means something to the language or to the block already, in any case of letters.
bool st_reserved(const std::string& word);

/// Whether a word is an identifier: letters, digits and single underlines between them, a letter first.
bool st_identifier(const std::string& word);

/// One identifier for each axis: the prefix and what is legal in the axis' name; all different.
std::vector<std::string> st_names(const std::string& prefix, std::span<const Axis> axes);

/// Every line moved to the right.
std::string indented(const std::string& text, std::size_t spaces);

/// What stands between VAR CONSTANT or VAR and END_VAR, with its size.
class StDeclarations {
 public:
  void reals(const std::string& name, std::span<const double> numbers);
  /// The smallest type that holds all of them, which is returned.
  std::string whole(const std::string& name, std::span<const std::int64_t> numbers);
  void variables(const std::string& names, const std::string& type, std::size_t count = 1);
  void array(const std::string& name, std::size_t size, const std::string& type);

  const std::string& text() const { return text_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void table(const std::string& name, const std::string& type, std::span<const std::string> numbers);
  std::string text_;
  std::size_t bytes_ = 0;
};

}  // namespace mercer
