#include "embed/formula/names.hpp"

#include <cctype>
#include <string_view>

#include <fmt/format.h>

namespace mercer {
namespace {

constexpr std::string_view reserved =
    " False None True and arg argmax as assert async await beta break class clip continue cos def del e elif else "
    "except exp finally for from gamma global i if im import in inf interp is lambda log max min nonlocal not or pass "
    "pi product raise re return sign sin sqrt sum tanh test try while with yield zeta abs "
    "E I N O Q S ";

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// T2, P3 and He4 are functions.
bool is_function(std::string_view name) {
  for (const std::string_view letters : {"T", "P", "He"}) {
    if (!name.starts_with(letters) || name.size() == letters.size()) continue;
    if (name.find_first_not_of("0123456789", letters.size()) == std::string_view::npos) return true;
  }
  return false;
}

std::string identifier(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool legal = static_cast<unsigned char>(c) < 128 && (is_letter(c) || is_digit(c));
    if (legal) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  if (name.empty() || !is_letter(name[0])) name = fmt::format("x{}", name);
  if (is_function(name) || reserved.find(" " + name + " ") != std::string_view::npos) name += "_";
  return name;
}

}  // namespace

std::string FormulaNames::take(const std::string& wanted) {
  const std::string name = identifier(wanted);
  std::string made = name;
  for (std::size_t number = 2; !taken_.insert(made).second; ++number) {
    made = name + (is_digit(name.back()) ? "_" : "") + std::to_string(number);
  }
  return made;
}

std::string FormulaNames::take_short(const std::string& axis) {
  const auto says = [&](std::string_view word) { return axis.find(word) != std::string::npos; };
  std::size_t end = axis.size();
  while (end > 0 && is_digit(axis[end - 1])) --end;
  const std::string number = axis.substr(end);
  const char letter = says("speed") || says("velocity") ? 'v'
                      : says("position")                ? 'x'
                      : is_letter(axis[0])              ? static_cast<char>(std::tolower(axis[0]))
                                                        : 's';
  for (const char first : {letter, 's'}) {
    std::string name = identifier(first + number);
    if (name.back() != '_' && taken_.insert(name).second) return name;
  }
  return take(letter + number);
}

}  // namespace mercer
