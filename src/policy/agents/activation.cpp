#include "policy/agents/activation.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "policy/agents/agent_file.hpp"

namespace mercer {
namespace {

using Label = const std::string&;

void one_node(GraphBuilder& builder, const char* op, Label from, Label to) { builder.add_node({op, to, {from}, {to}}); }

void tuned_node(GraphBuilder& builder, const char* op, double alpha, Label from, Label to) {
  builder.add_node({op, to, {from}, {to}, {{"alpha", {alpha}}}});
}

// x times a function of x: `gate` has been added as `to` + " gate".
void gated(GraphBuilder& builder, Label from, Label to) { builder.add_node({"Mul", to, {from, to + " gate"}, {to}}); }

// x (1 + erf(x / sqrt 2)) / 2
void gelu(GraphBuilder& builder, Label from, Label to) {
  const auto constant = [&](const char* name, double value) {
    builder.add_constant(to + name, {{1}, {value}});
    return to + name;
  };
  builder.add_node({"Mul", to, {from, constant(" scale", 1 / std::numbers::sqrt2)}, {to + " scaled"}});
  one_node(builder, "Erf", to + " scaled", to + " erf");
  builder.add_node({"Add", to, {to + " erf", constant(" one", 1)}, {to + " sum"}});
  builder.add_node({"Mul", to, {to + " sum", constant(" half", 0.5)}, {to + " gate"}});
  gated(builder, from, to);
}

// x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2, which jax calls gelu
void gelu_tanh(GraphBuilder& builder, Label from, Label to) {
  const auto constant = [&](const char* name, double value) {
    builder.add_constant(to + name, {{1}, {value}});
    return to + name;
  };
  builder.add_node({"Mul", to, {from, from}, {to + " square"}});
  builder.add_node({"Mul", to, {to + " square", constant(" cubic", 0.044715)}, {to + " rest"}});
  builder.add_node({"Add", to, {to + " rest", constant(" one", 1)}, {to + " factor"}});
  builder.add_node({"Mul", to, {to + " factor", from}, {to + " bent"}});
  builder.add_node({"Mul", to, {to + " bent", constant(" scale", std::sqrt(2 / std::numbers::pi))}, {to + " scaled"}});
  one_node(builder, "Tanh", to + " scaled", to + " tanh");
  builder.add_node({"Add", to, {to + " tanh", to + " one"}, {to + " sum"}});
  builder.add_node({"Mul", to, {to + " sum", constant(" half", 0.5)}, {to + " gate"}});
  gated(builder, from, to);
}

struct Known {
  std::string_view name;
  std::string_view parameter;  // of torch's class; empty: none that changes it
  double standard;
  void (*add)(GraphBuilder&, double alpha, Label from, Label to);
};

const Known known[] = {
    {"ReLU", "", 0, [](GraphBuilder& b, double, Label x, Label y) { one_node(b, "Relu", x, y); }},
    {"Tanh", "", 0, [](GraphBuilder& b, double, Label x, Label y) { one_node(b, "Tanh", x, y); }},
    {"Sigmoid", "", 0, [](GraphBuilder& b, double, Label x, Label y) { one_node(b, "Sigmoid", x, y); }},
    {"ELU", "alpha", 1, [](GraphBuilder& b, double a, Label x, Label y) { tuned_node(b, "Elu", a, x, y); }},
    {"CELU", "alpha", 1, [](GraphBuilder& b, double a, Label x, Label y) { tuned_node(b, "Celu", a, x, y); }},
    {"LeakyReLU", "negative_slope", 0.01,
     [](GraphBuilder& b, double a, Label x, Label y) { tuned_node(b, "LeakyRelu", a, x, y); }},
    {"SELU", "", 0, [](GraphBuilder& b, double, Label x, Label y) { one_node(b, "Selu", x, y); }},
    {"Softsign", "", 0, [](GraphBuilder& b, double, Label x, Label y) { one_node(b, "Softsign", x, y); }},
    {"Hardswish", "", 0, [](GraphBuilder& b, double, Label x, Label y) { one_node(b, "HardSwish", x, y); }},
    {"Identity", "", 0, [](GraphBuilder& b, double, Label x, Label y) { one_node(b, "Identity", x, y); }},
    {"SiLU", "", 0,
     [](GraphBuilder& b, double, Label x, Label y) {
       one_node(b, "Sigmoid", x, y + " gate");
       gated(b, x, y);
     }},
    {"Mish", "", 0,
     [](GraphBuilder& b, double, Label x, Label y) {
       one_node(b, "Softplus", x, y + " softplus");
       one_node(b, "Tanh", y + " softplus", y + " gate");
       gated(b, x, y);
     }},
    {"GELU", "", 0, [](GraphBuilder& b, double, Label x, Label y) { gelu(b, x, y); }},
    {"GELUTanh", "", 0, [](GraphBuilder& b, double, Label x, Label y) { gelu_tanh(b, x, y); }},
};

const Known& find_known(const std::string& name, const std::string& where) {
  const auto* const found = std::ranges::find(known, name, &Known::name);
  if (found != std::end(known)) return *found;
  std::vector<std::string_view> legal;
  for (const Known& one : known) legal.push_back(one.name);
  refuse_agent(where, fmt::format("its activation function is {}; legal: {}", name, fmt::join(legal, ", ")));
}

// The arguments of a functools.partial: ", 0.3" or ", negative_slope=0.3, inplace=True".
void set_arguments(Activation& made, std::string_view text, const std::string& where) {
  const Known& kind = find_known(made.name, where);
  for (std::size_t place = 0; !text.empty(); ++place) {
    text.remove_prefix(2);
    std::string_view word = text.substr(0, text.find(", "));
    text.remove_prefix(word.size());
    const std::size_t equals = word.find('=');
    const std::string_view key = equals == std::string_view::npos ? "" : word.substr(0, equals);
    if (key == "inplace") continue;
    if (equals != std::string_view::npos) word.remove_prefix(equals + 1);
    double value = 0;
    const auto [stop, trouble] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool number = trouble == std::errc{} && stop == word.data() + word.size() && std::isfinite(value);
    const bool own = key.empty() ? place == 0 : key == kind.parameter;
    if (kind.parameter.empty() || !own || !number || (made.name == "CELU" && value == 0)) {
      refuse_agent(where, fmt::format("its activation function {} has an argument '{}' that is not known", made.name,
                                      key.empty() ? word : key));
    }
    made.alpha = value;
  }
}

}  // namespace

Activation activation_named(const std::string& name, const std::string& where) {
  const Known& kind = find_known(name, where);
  return {name, kind.standard};
}

Activation parse_activation(const std::string& text, const std::string& where) {
  constexpr std::string_view partial = "functools.partial(", open = "<class 'torch.nn.modules.", close = "'>";
  std::string_view rest = text;
  const bool called = rest.starts_with(partial) && rest.ends_with(')');
  if (called) {
    rest.remove_prefix(partial.size());
    rest.remove_suffix(1);
  }
  const std::size_t end = rest.find(close);
  if (!rest.starts_with(open) || end == std::string_view::npos) {
    refuse_agent(where, fmt::format("its activation function is '{}': no class of torch.nn", text));
  }
  const std::string_view path = rest.substr(open.size(), end - open.size());
  Activation made = activation_named(std::string(path.substr(path.rfind('.') + 1)), where);
  rest.remove_prefix(end + close.size());
  if (!rest.empty() && (!called || !rest.starts_with(", "))) {
    refuse_agent(where, fmt::format("its activation function is '{}': no class of torch.nn", text));
  }
  set_arguments(made, rest, where);
  return made;
}

Activation written_activation(const std::string& text, const std::string& where) {
  const auto small = [](std::string_view word) {
    std::string out(word);
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
  };
  const std::size_t open = text.find('(');
  std::string word = small(text.substr(0, open));
  if (word == "swish") word = "silu";  // its older name, which jax and configurations use
  const auto* const found = std::ranges::find_if(known, [&](const Known& one) { return small(one.name) == word; });
  if (found == std::end(known)) {
    std::vector<std::string> names;
    for (const Known& one : known) names.emplace_back(one.name);
    throw_unknown("activation", text.substr(0, open), names);
  }
  Activation made = activation_named(std::string(found->name), where);
  if (open == std::string::npos) return made;
  if (!text.ends_with(')')) refuse_agent(where, fmt::format("its activation function is '{}', without ')'", text));
  set_arguments(made, ", " + text.substr(open + 1, text.size() - open - 2), where);
  return made;
}

void add_activation(GraphBuilder& builder, const Activation& activation, const std::string& from,
                    const std::string& to) {
  find_known(activation.name, to).add(builder, activation.alpha, from, to);
}

}  // namespace mercer
