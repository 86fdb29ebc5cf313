#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/error.hpp"

namespace mercer {

/// How one value of an enum is written in files, flags and Python.
template <class E>
struct Spelling {
  E value;
  std::string_view code;       ///< what is written
  std::string_view also = {};  ///< another spelling that is read, such as that of an older version
};

/// The spellings of an enum, beside its declaration: `kind` names it in errors, `table` has a row for each value.
///
///     template <>
///     struct Names<Act> {
///       static constexpr std::string_view kind = "way to act";
///       static constexpr Spelling<Act> table[] = {{Act::sample, "sample"}, {Act::mean, "mean"}};
///     };
///
/// A member `static constexpr bool numbered = true` says that codes differ in a number only, so that an error lists all
/// of them and suggests none.
template <class E>
struct Names;

template <class E>
concept Named = requires {
  Names<E>::table;
};

/// The code of a value.
template <Named E>
constexpr std::string_view name(E value) {
  for (const Spelling<E>& row : Names<E>::table) {
    if (row.value == value) return row.code;
  }
  return {};
}

/// All codes, in the order of the table.
template <Named E>
std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Spelling<E>& row : Names<E>::table) all.emplace_back(row.code);
  return all;
}

/// The value of a code or of its other spelling; nothing for any other text.
template <Named E>
constexpr std::optional<E> find_name(std::string_view text) {
  for (const Spelling<E>& row : Names<E>::table) {
    if (text == row.code || (text == row.also && !text.empty())) return row.value;
  }
  return std::nullopt;
}

/// The same. Throws `unknown_name` with the nearest code, or all of them.
template <Named E>
E parse(std::string_view text) {
  if (const std::optional<E> found = find_name<E>(text)) return *found;
  throw_unknown(
      Names<E>::kind, text, names<E>(), !requires { Names<E>::numbered; });
}

}  // namespace mercer
