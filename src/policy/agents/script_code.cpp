#include "policy/agents/script_code.hpp"

#include <fmt/format.h>

#include "io/pickle.hpp"
#include "policy/agents/agent_file.hpp"

namespace mercer {
namespace {

using Token = ScriptToken::Kind;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Digits, a point, and an exponent with its sign.
std::size_t number_length(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size()) {
    const bool exponent = n > 0 && (text[n - 1] == 'e' || text[n - 1] == 'E');
    const bool sign = exponent && (text[n] == '+' || text[n] == '-');
    if (!is_digit(text[n]) && !is_letter(text[n]) && text[n] != '.' && !sign) break;
    ++n;
  }
  return n;
}

std::vector<ScriptToken> tokens_of(std::string_view text, const std::string& where) {
  std::vector<ScriptToken> tokens;
  std::size_t open = 0;
  const auto take = [&](Token kind, std::size_t size) {
    tokens.push_back({kind, text.substr(0, size)});
    text.remove_prefix(size);
  };
  while (!text.empty()) {
    const char c = text[0];
    if (c == '\n' && open == 0) {
      take(Token::end, 1);
    } else if (c == ' ' || c == '\n' || c == '\r') {
      text.remove_prefix(1);
    } else if (c == '#') {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    } else if (is_letter(c)) {
      std::size_t size = 1;
      while (size < text.size() && (is_letter(text[size]) || is_digit(text[size]))) ++size;
      take(Token::name, size);
    } else if (is_digit(c)) {
      take(Token::number, number_length(text));
    } else if (c == '"' || c == '\'') {
      const std::size_t end = text.find(c, 1);
      if (end == std::string_view::npos) refuse_agent(where, "a text without its end in the code of its TorchScript");
      take(Token::text, end + 1);
    } else if (std::string_view("()[]{},.=-+:*").find(c) != std::string_view::npos) {
      if (c == '(' || c == '[' || c == '{') ++open;
      if ((c == ')' || c == ']' || c == '}') && open > 0) --open;
      take(Token::sign, 1);
    } else {
      refuse_agent(where, fmt::format("the sign '{}' in the code of its TorchScript", printable(text.substr(0, 1))));
    }
  }
  tokens.push_back({Token::end, "\n"});
  return tokens;
}

// name: type[=default], ... up to the bracket that closes; the type is skipped.
std::vector<ScriptMethod::Parameter> parameters_of(std::string_view text) {
  std::vector<ScriptMethod::Parameter> out;
  std::size_t depth = 0, begin = 0;
  const auto add = [&](std::string_view one) {
    const std::size_t name = one.find_first_not_of(" \n"), colon = one.find(':'), standard = one.find('=');
    if (name == std::string_view::npos) return;
    out.push_back({std::string(one.substr(name, std::min(colon, one.size()) - name)),
                   standard == std::string_view::npos ? "" : std::string(one.substr(standard + 1))});
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' || text[i] == '(') ++depth;
    if ((text[i] == ']' || text[i] == ')') && depth > 0) --depth;
    if (text[i] != ',' || depth != 0) continue;
    add(text.substr(begin, i - begin));
    begin = i + 1;
  }
  add(text.substr(begin));
  return out;
}

// Lines that are indented by at least four spaces, from the beginning.
std::string_view indented(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (text.substr(end).starts_with("    ") || text[end] == '\n')) {
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  }
  return text.substr(0, end);
}

}  // namespace

std::string_view script_class(std::string_view source, std::string_view class_name) {
  const std::string head = fmt::format("class {}(Module):\n", class_name);
  std::size_t begin = source.starts_with(head) ? 0 : source.find("\n" + head);
  if (begin == std::string_view::npos) return {};
  if (begin > 0) ++begin;
  std::string_view text = source.substr(begin + head.size());
  // It ends where a line begins without a space.
  for (std::size_t line = 0; line < text.size();) {
    if (text[line] != ' ' && text[line] != '\n') return text.substr(0, line);
    line = std::min(text.find('\n', line), text.size() - 1) + 1;
  }
  return text;
}

ScriptMethod script_method(std::string_view class_text, const std::string& method, const std::string& where) {
  const std::string head = fmt::format("  def {}(self", method);
  const std::size_t begin = class_text.find(head);
  if (begin == std::string_view::npos) refuse_agent(where, fmt::format("a module has no {}", printable(method)));
  std::string_view text = class_text.substr(begin + head.size());
  const std::size_t arrow = text.find(") -> "), body = text.find(":\n", std::min(arrow, text.size()));
  if (arrow == std::string_view::npos || body == std::string_view::npos) {
    refuse_agent(where, "a method without parameters in the code of its TorchScript");
  }
  const std::string_view head_text = text.substr(0, arrow);
  const std::size_t comma = head_text.find(',');  // behind self and its type
  ScriptMethod made;
  if (comma != std::string_view::npos) made.parameters = parameters_of(head_text.substr(comma + 1));
  made.body = tokens_of(indented(text.substr(body + 2)), where);
  return made;
}

std::string_view script_constant(std::string_view class_text, const std::string& name) {
  const std::size_t begin = class_text.find(fmt::format("  {} : Final[", name));
  if (begin == std::string_view::npos) return {};
  std::string_view line = class_text.substr(begin, class_text.find('\n', begin) - begin);
  const std::size_t equals = line.find(" = ");
  return equals == std::string_view::npos ? std::string_view{} : line.substr(equals + 3);
}

}  // namespace mercer
