#include "policy/agents/torch_script.hpp"

#include <charconv>

#include <fmt/format.h>

#include "io/limits.hpp"
#include "io/pickle.hpp"
#include "policy/agents/agent_file.hpp"
#include "policy/agents/script_code.hpp"
#include "policy/agents/script_graph.hpp"

namespace mercer {
namespace {

using Kind = ScriptValue::Kind;
using Token = ScriptToken::Kind;

constexpr std::size_t most_calls = limits::script_calls;
constexpr std::size_t deepest = limits::script_depth;
constexpr std::size_t most_expressions = limits::script_expressions;

// Follows a forward, statement by statement.
class Reader {
 public:
  Reader(const TorchFile& file, ScriptGraph& graph, const std::string& where)
      : file_(file), graph_(graph), where_(where) {}

  ScriptValue run() { return call("", "forward", {{graph_.input()}, {}}); }

 private:
  using Value = ScriptValue;
  using Variables = std::map<std::string, Value, std::less<>>;

  // The tokens of one body that are still to be read.
  struct Cursor {
    std::span<const ScriptToken> rest;

    bool is(std::string_view text) const { return rest[0].text == text && rest[0].kind != Token::text; }
    ScriptToken take() {
      const ScriptToken token = rest[0];
      if (rest.size() > 1) rest = rest.subspan(1);  // the last one is the end of a statement
      return token;
    }
  };

  [[noreturn]] void refuse(const std::string& why) const { refuse_agent(where_, why + " in its TorchScript"); }
  [[noreturn]] void unexpected(const ScriptToken& token) const {
    if (token.kind == Token::end) refuse("a statement without its end");
    refuse(fmt::format("'{}', where plain assignments are read,", printable(token.text.substr(0, 40))));
  }
  void expect(Cursor& at, std::string_view text) const {
    const ScriptToken token = at.take();
    if (token.text != text) unexpected(token);
  }

  std::string_view class_text(const std::string& path) {
    const std::string& name = file_.classes().find(path)->second;
    auto found = sources_.find(name);
    if (found == sources_.end()) found = sources_.emplace(name, file_.source(name)).first;
    return script_class(found->second, std::string_view(name).substr(name.rfind('.') + 1));
  }

  Value call(const std::string& module, const std::string& method, const ScriptArguments& given) {
    if (++calls_ > most_calls) refuse(fmt::format("more than {} calls", most_calls));
    if (depth_ == deepest) refuse(fmt::format("calls of more than {} levels", deepest));
    const ScriptMethod code = script_method(class_text(module), method, where_);
    Variables variables{{"self", {.kind = Kind::module, .name = module}}};
    if (given.places.size() > code.parameters.size() || !given.names.empty()) {
      refuse(fmt::format("a call of {} with other arguments than it takes", printable(method)));
    }
    for (std::size_t i = 0; i < code.parameters.size(); ++i) {
      const auto& [name, standard] = code.parameters[i];
      if (i >= given.places.size() && standard.empty()) {
        refuse(fmt::format("{} needs '{}' besides the observation", printable(method), printable(name)));
      }
      variables[name] = i < given.places.size() ? given.places[i] : literal(standard);
    }
    ++depth_;
    Value result = body({code.body}, variables);
    --depth_;
    return result;
  }

  Value body(Cursor at, Variables& variables) {
    while (at.rest.size() > 1) {
      const ScriptToken first = at.take();
      if (first.kind == Token::end) continue;
      if (first.kind != Token::name) unexpected(first);
      if (first.text == "return") return expression(at, variables);
      if (!at.is("=")) unexpected(first);  // if, for, with, assert, and assignments to several names
      at.take();
      Value value = expression(at, variables);
      if (at.rest[0].kind != Token::end) unexpected(at.rest[0]);
      variables.insert_or_assign(std::string(first.text), std::move(value));
    }
    refuse("a method that returns nothing");
  }

  Value literal(std::string_view text) const {
    if (text == "None") return {};
    if (text == "True" || text == "False") return {.kind = Kind::flag, .number = text == "True" ? 1.0 : 0.0};
    double number = 0;
    const auto [stop, trouble] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (trouble != std::errc{} || stop != text.data() + text.size()) {
      refuse(fmt::format("the constant '{}'", printable(text.substr(0, 40))));
    }
    return {.kind = Kind::number, .number = number};
  }

  Value expression(Cursor& at, Variables& variables) {
    if (++expressions_ > most_expressions) refuse(fmt::format("more than {} expressions", most_expressions));
    if (depth_ == deepest) refuse(fmt::format("expressions of more than {} levels", deepest));
    ++depth_;
    Value value = primary(at, variables);
    while (at.is(".") || at.is("(")) {
      if (at.take().text == "(") {
        value = function(value, arguments(at, variables));
        continue;
      }
      const ScriptToken name = at.take();
      if (name.kind != Token::name) unexpected(name);
      if (value.kind == Kind::module && at.is("(")) {
        at.take();
        value = call(value.name, std::string(name.text), arguments(at, variables));
      } else {
        value = attribute(value, name.text);
      }
    }
    --depth_;
    return value;
  }

  Value primary(Cursor& at, Variables& variables) {
    const ScriptToken token = at.take();
    if (token.kind == Token::number) return literal(token.text);
    if (token.kind == Token::text) {
      return {.kind = Kind::text, .name = std::string(token.text.substr(1, token.text.size() - 2))};
    }
    if (token.text == "-" && at.rest[0].kind == Token::number) {
      Value value = literal(at.take().text);
      value.number = -value.number;
      return value;
    }
    if (token.text == "(" || token.text == "[") return bracket(token.text == "[", at, variables);
    if (token.kind != Token::name) unexpected(token);
    if (token.text == "None" || token.text == "True" || token.text == "False") return literal(token.text);
    if (token.text == "getattr") {
      expect(at, "(");
      const ScriptArguments given = arguments(at, variables);
      if (given.places.size() != 2 || given.places[1].kind != Kind::text) refuse("getattr without a name");
      return attribute(given.places[0], given.places[1].name);
    }
    if (token.text == "annotate" || token.text == "unchecked_cast") return cast(at, variables);
    if (const auto found = variables.find(token.text); found != variables.end()) return found->second;
    return {.kind = Kind::library, .name = std::string(token.text)};
  }

  // (value), or [number, number]
  Value bracket(bool list, Cursor& at, Variables& variables) {
    if (!list) {
      Value value = expression(at, variables);
      if (at.is(",")) refuse("a tuple");
      expect(at, ")");
      return value;
    }
    Value made{.kind = Kind::list};
    while (!at.is("]")) {
      const Value one = expression(at, variables);
      if (one.kind != Kind::number) refuse("a list of what is no number");
      made.list.push_back(one.number);
      if (!at.is("]")) expect(at, ",");
    }
    at.take();
    return made;
  }

  // annotate(type, value): the type is skipped.
  Value cast(Cursor& at, Variables& variables) {
    expect(at, "(");
    std::size_t open = 0;
    while (open > 0 || !at.is(",")) {
      const ScriptToken token = at.take();
      if (token.kind == Token::end) unexpected(token);
      if (token.text == "[" || token.text == "(") ++open;
      if ((token.text == "]" || token.text == ")") && open-- == 0) unexpected(token);
    }
    at.take();
    Value value = expression(at, variables);
    expect(at, ")");
    return value;
  }

  ScriptArguments arguments(Cursor& at, Variables& variables) {
    ScriptArguments made;
    while (!at.is(")")) {
      const bool named = at.rest.size() > 1 && at.rest[0].kind == Token::name && at.rest[1].text == "=";
      const std::string name = named ? std::string(at.take().text) : "";
      if (named) at.take();
      Value value = expression(at, variables);
      if (named) {
        made.names.insert_or_assign(name, std::move(value));
      } else {
        made.places.push_back(std::move(value));
      }
      if (!at.is(")")) expect(at, ",");
    }
    at.take();
    return made;
  }

  Value attribute(const Value& owner, std::string_view name) {
    if (owner.kind == Kind::library) return {.kind = Kind::library, .name = fmt::format("{}.{}", owner.name, name)};
    if (owner.kind != Kind::module) refuse(fmt::format("the attribute '{}'", printable(name)));
    const std::string path = owner.name.empty() ? std::string(name) : fmt::format("{}.{}", owner.name, name);
    if (file_.classes().contains(path)) return {.kind = Kind::module, .name = path};
    if (file_.tensors().contains(path)) return graph_.tensor(path);
    if (const auto found = file_.attributes().find(path); found != file_.attributes().end()) {
      return {.kind = Kind::number, .number = found->second};
    }
    const std::string_view constant = script_constant(class_text(owner.name), std::string(name));
    if (!constant.empty()) return literal(constant);
    if (name == "bias") return {};  // a layer without one
    refuse(fmt::format("the attribute '{}', which the file does not hold,", printable(path)));
  }

  Value function(const Value& callee, const ScriptArguments& given) {
    if (callee.kind != Kind::library) refuse("a call of what is no function");
    for (const std::string_view library : {"__torch__.torch.nn.functional.", "torch."}) {
      if (!callee.name.starts_with(library)) continue;
      return graph_.call(callee.name.substr(library.size()), given);
    }
    refuse(fmt::format("the function {}", printable(callee.name)));
  }

  const TorchFile& file_;
  ScriptGraph& graph_;
  const std::string& where_;
  std::map<std::string, std::string> sources_;
  std::size_t calls_ = 0, depth_ = 0, expressions_ = 0;
};

}  // namespace

StateDict read_torch_script(const TorchFile& file, const std::string& where) {
  const TensorSource source = tensors_of(file);
  ScriptGraph first(source, 0, where);
  Reader(file, first, where).run();
  if (first.observations() == 0) refuse_agent(where, "no layer of its TorchScript meets the observations");
  ScriptGraph graph(source, first.observations(), where);
  const ScriptValue output = Reader(file, graph, where).run();
  TensorLayout layout;
  layout.trainer = "TorchScript";
  return {std::move(layout), graph.finish(output), graph.layers(), graph.activations(), {}, {}, {}};
}

}  // namespace mercer
