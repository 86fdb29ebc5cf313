#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include "export/c/c_text.hpp"
#include "export/st/st.hpp"

namespace mercer {
namespace {

// Keywords, elementary types and standard functions and blocks of the second edition, and the variables of our own.
constexpr std::string_view reserved =
    " abs acos action add and any any_bit any_date any_int any_num any_real array asin at atan bool by byte cal calc "
    "calcn case concat configuration constant cos ctd ctu ctud date date_and_time delete dint div do dt dword else "
    "elsif end_action end_case end_configuration end_for end_function end_function_block end_if end_program end_repeat "
    "end_resource end_step end_struct end_transition end_type end_var end_while eq exit exp expt f_edge f_trig false "
    "find for from function function_block ge gt if initial_step insert int interval jmp jmpc jmpcn ld le left len "
    "limit lint ln log lreal lt lword max mid min mod move mul mux ne non_retain not of on or pointer program r_edge "
    "r_trig read_only read_write real ref_to repeat replace resource ret retain retc retcn return right rol ror rs "
    "rtc sel sema shl shr sin single sint sqrt sr st step string struct sub super tan task then this time time_of_day "
    "to tod tof ton tp transition true trunc type udint uint ulint until usint var var_access var_config var_external "
    "var_global var_in_out var_input var_output var_temp while with word wstring xor "
    "act away before beyond bend best bins cases cell centres coefficients cosine cosine_before count counts cycle "
    "distance edges factors found half high i inverse_squares j k keys least limits low now number ok out part "
    "periodic "
    "place ranges ridge_units ridges root row rows safe selftest sines sines_before sought spans steps table test "
    "test_act "
    "test_limit test_obs test_out turn usable value waves widths x ";

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool letter_or_digit(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

struct Whole {
  std::string_view type;
  std::int64_t low, high;
  std::size_t bytes;
};
constexpr std::array<Whole, 5> wholes{{{"USINT", 0, 255, 1},
                                       {"SINT", -128, 127, 1},
                                       {"UINT", 0, 65535, 2},
                                       {"INT", -32768, 32767, 2},
                                       {"DINT", -2147483648LL, 2147483647LL, 4}}};

std::size_t bytes_of(const std::string& type) {
  for (const Whole& whole : wholes) {
    if (whole.type == type) return whole.bytes;
  }
  return type == "BOOL" ? 1 : 4;
}

}  // namespace

std::string st_real(double value) {
  require_single_precision(value);
  const std::string text = fmt::format("{}", static_cast<float>(value));
  const std::size_t e = std::min(text.find('e'), text.size());
  std::string digits = text.substr(0, e);
  if (digits.find('.') == std::string::npos) digits += ".0";
  return e == text.size() ? digits : digits + "E" + text.substr(e + 1);
}

std::string st_comment(const std::string& text) {
  std::string clean = c_comment(text);
  for (std::size_t i = 1; i < clean.size(); ++i) {
    const bool ends = clean[i - 1] == '*' && clean[i] == ')', begins = clean[i - 1] == '(' && clean[i] == '*';
    if (ends || begins) clean[i] = ' ';
  }
  return clean;
}

bool st_reserved(const std::string& word) {
  const std::string name = lower(word);
  if (name.starts_with("obs_") || name.starts_with("act_") || name.starts_with("pieces_")) return true;
  return name.find(' ') == std::string::npos && reserved.find(fmt::format(" {} ", name)) != std::string_view::npos;
}

bool st_identifier(const std::string& word) {
  if (word.empty() || std::isalpha(static_cast<unsigned char>(word[0])) == 0 || word.back() == '_') return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (!letter_or_digit(word[i]) && !(word[i] == '_' && word[i - 1] != '_')) return false;
  }
  return true;
}

std::vector<std::string> st_names(const std::string& prefix, std::span<const Axis> axes) {
  constexpr std::size_t longest = 28;
  std::vector<std::string> names;
  for (const Axis& axis : axes) {
    std::string name = prefix;
    for (const char c : lower(axis.name)) {
      if (name.size() < longest && letter_or_digit(c)) name += c;
      if (name.size() < longest && !letter_or_digit(c) && name.back() != '_') name += '_';
    }
    while (name.back() == '_') name.pop_back();
    if (name.size() < prefix.size() || std::ranges::count(names, name) > 0) name += fmt::format("_n{}", names.size());
    while (std::ranges::count(names, name) > 0) name += "x";
    names.push_back(name);
  }
  return names;
}

std::string indented(const std::string& text, std::size_t spaces) {
  std::string moved;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) moved.append(spaces, ' ');
    moved += text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return moved;
}

void StDeclarations::table(const std::string& name, const std::string& type, std::span<const std::string> numbers) {
  text_ += fmt::format("  {} : ARRAY[0..{}] OF {} := [", name, numbers.size() - 1, type);
  std::size_t line = 100;  // full: the first number begins a new one
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::string one = numbers[i] + (i + 1 < numbers.size() ? "," : "");
    const bool wrap = line + one.size() + 1 > 96;
    text_ += (wrap ? "\n    " : " ") + one;
    line = wrap ? 4 + one.size() : line + 1 + one.size();
  }
  text_ += "];\n";
  entries_.push_back({name, type, numbers.size(), {numbers.begin(), numbers.end()}});
  bytes_ += bytes_of(type) * numbers.size();
}

void StDeclarations::reals(const std::string& name, std::span<const double> numbers) {
  std::vector<std::string> text;
  for (const double number : numbers) text.push_back(st_real(number));
  table(name, "REAL", text);
}

std::string StDeclarations::whole(const std::string& name, std::span<const std::int64_t> numbers) {
  const auto ends = std::ranges::minmax(numbers);
  const auto* type =
      std::ranges::find_if(wholes, [&](const Whole& w) { return w.low <= ends.min && ends.max <= w.high; });
  std::vector<std::string> text;
  for (const std::int64_t number : numbers) text.push_back(std::to_string(number));
  table(name, std::string(type->type), text);
  return std::string(type->type);
}

void StDeclarations::variables(const std::string& names, const std::string& type, std::size_t count) {
  text_ += fmt::format("  {} : {};\n", names, type);
  entries_.push_back({names, type});
  bytes_ += count * bytes_of(type);
}

void StDeclarations::array(const std::string& name, std::size_t size, const std::string& type) {
  text_ += fmt::format("  {} : ARRAY[0..{}] OF {};\n", name, size - 1, type);
  entries_.push_back({name, type, size});
  bytes_ += size * bytes_of(type);
}

}  // namespace mercer
