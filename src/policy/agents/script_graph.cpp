#include "policy/agents/script_graph.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "io/pickle.hpp"
#include "policy/agents/agent_file.hpp"

namespace mercer {
namespace {

using Kind = ScriptValue::Kind;

// Functions of torch with the class of torch.nn that computes the same.
struct Same {
  std::string_view function, activation;
};
constexpr Same activation_functions[] = {
    {"relu", "ReLU"},
    {"tanh", "Tanh"},
    {"sigmoid", "Sigmoid"},
    {"elu", "ELU"},
    {"celu", "CELU"},
    {"selu", "SELU"},
    {"leaky_relu", "LeakyReLU"},
    {"softsign", "Softsign"},
    {"silu", "SiLU"},
    {"mish", "Mish"},
    {"gelu", "GELU"},
    {"hardswish", "Hardswish"},
};
constexpr Same arithmetic[] = {{"add", "Add"}, {"sub", "Sub"}, {"mul", "Mul"}, {"div", "Div"}};
constexpr Same functions[] = {
    {"sqrt", "Sqrt"}, {"exp", "Exp"}, {"neg", "Neg"}, {"abs", "Abs"}, {"reciprocal", "Reciprocal"}};

template <std::size_t size>
std::string find(const Same (&table)[size], const std::string& function) {
  const auto* const found = std::ranges::find(table, function, &Same::function);
  return found == std::end(table) ? "" : std::string(found->activation);
}

// An argument by its place or its name; none where it is not given.
ScriptValue argument(const ScriptArguments& arguments, std::size_t place, const char* name) {
  if (place < arguments.places.size()) return arguments.places[place];
  const auto found = arguments.names.find(name);
  return found == arguments.names.end() ? ScriptValue{} : found->second;
}

double calculate(const std::string& op, double a, double b) {
  return op == "Add" ? a + b : op == "Sub" ? a - b : op == "Mul" ? a * b : a / b;
}

}  // namespace

ScriptGraph::ScriptGraph(const TensorSource& source, std::size_t observations, const std::string& where)
    : dry_(observations == 0),
      observations_(observations),
      where_(where),
      builder_(where, 17),
      layers_(builder_, source, {}, where) {
  if (!dry_) builder_.add_input("obs", {observations});
}

void ScriptGraph::refuse(const std::string& why) const { refuse_agent(where_, why + " in its TorchScript"); }

ScriptValue ScriptGraph::tensor(const std::string& name) {
  Value value{.kind = Kind::tensor, .name = "tensor " + name, .shape = layers_.shape(name)};
  if (dry_ || !added_.insert(value.name).second) return value;
  builder_.add_constant(value.name, layers_.tensor(name));
  return value;
}

// What the graph calls a value, after operations in place.
std::string ScriptGraph::label(const Value& value) {
  if (value.kind == Kind::number || value.kind == Kind::flag) return constant(value.number);
  if (value.kind != Kind::batch && value.kind != Kind::tensor) refuse("a value that is no tensor where one is needed");
  if (value.transposed) refuse("a transposed tensor that is no weight of a layer");
  std::string name = value.name;
  for (auto found = replaced_.find(name); found != replaced_.end(); found = replaced_.find(name)) name = found->second;
  return name;
}

std::string ScriptGraph::constant(double number) {
  std::string name = fmt::format("number {}", count_++);
  if (!dry_) builder_.add_constant(name, {{1}, {number}});
  return name;
}

// The first tensor that meets the observations shows how many there are.
void ScriptGraph::meet(const Value& x, std::size_t width) {
  if (dry_ && observations_ == 0 && x.wide) observations_ = width;
}

ScriptValue ScriptGraph::made(const Value& like, Node node) {
  Value out{.kind = like.kind, .name = fmt::format("value {}", count_++), .shape = like.shape, .wide = like.wide};
  node.name = out.name;
  node.outputs = {out.name};
  if (!dry_) builder_.add_node(node);
  return out;
}

ScriptValue ScriptGraph::unary(const std::string& op, const Value& x) { return made(x, {op, "", {label(x)}, {}}); }

ScriptValue ScriptGraph::binary(const std::string& op, const Value& a, const Value& b) {
  const auto is_number = [](const Value& x) { return x.kind == Kind::number; };
  if (is_number(a) && is_number(b)) return {.kind = Kind::number, .number = calculate(op, a.number, b.number)};
  // One number fits any number of observations.
  const auto row = [](const Value& x) { return x.kind == Kind::tensor && size_of(x.shape) > 1; };
  if (a.kind == Kind::batch && row(b)) meet(a, b.shape.back());
  if (b.kind == Kind::batch && row(a)) meet(b, a.shape.back());
  const bool second = a.kind != Kind::batch && (b.kind == Kind::batch || b.kind == Kind::tensor);
  std::vector<std::string> names{label(a), label(b)};
  return made(second ? b : a, {op, "", std::move(names), {}});
}

ScriptValue ScriptGraph::linear(const Value& x, const Value& weight, const Value& bias) {
  if (x.kind != Kind::batch || weight.kind != Kind::tensor || weight.shape.size() != 2) {
    refuse("a linear layer without a matrix");
  }
  if (bias.kind != Kind::tensor && bias.kind != Kind::none) refuse("a linear layer with a bias that is no tensor");
  const std::size_t outputs = weight.shape[0], inputs = weight.shape[1];
  meet(x, inputs);
  if (linear_.size() == 64) refuse("more than 64 layers");
  std::string name = weight.name.substr(std::string_view("tensor ").size());
  if (name.ends_with(".weight")) name.resize(name.size() - 7);
  linear_.push_back({name, inputs, outputs});
  Value own = weight;
  own.transposed = false;
  std::string added = bias.kind == Kind::none ? fmt::format("zero {}", count_++) : label(bias);
  if (bias.kind == Kind::none && !dry_) builder_.add_constant(added, {{outputs}, std::vector<double>(outputs)});
  Value like = x;
  like.wide = false;
  return made(like, {"Gemm", "", {label(x), label(own), added}, {}, {{"transB", {1}}}});
}

ScriptValue ScriptGraph::layer_norm(const Arguments& arguments) {
  const Value x = argument(arguments, 0, "input"), sizes = argument(arguments, 1, "normalized_shape");
  const Value weight = argument(arguments, 2, "weight"), bias = argument(arguments, 3, "bias");
  const Value epsilon = argument(arguments, 4, "eps");
  if (sizes.kind != Kind::list || sizes.list.size() != 1) refuse("a LayerNorm over more than one axis");
  if (weight.kind != Kind::tensor || bias.kind != Kind::tensor) refuse("a LayerNorm without weight and bias");
  meet(x, weight.shape.empty() ? 1 : weight.shape.back());
  return made(x, {"LayerNormalization",
                  "",
                  {label(x), label(weight), label(bias)},
                  {},
                  {{"axis", {-1}}, {"epsilon", {epsilon.kind == Kind::number ? epsilon.number : 1e-5}}}});
}

ScriptValue ScriptGraph::clip(const Value& x, const Value& low, const Value& high) {
  Node node{"Clip", "", {label(x)}, {}};
  for (const auto& [value, key] : {std::pair{&low, "min"}, std::pair{&high, "max"}}) {
    if (value->kind == Kind::none) continue;
    if (value->kind != Kind::number) refuse("a clamp whose limits are no numbers");
    node.numbers[key] = {value->number};
  }
  return made(x, std::move(node));
}

ScriptValue ScriptGraph::act(const std::string& function, const Arguments& arguments, bool in_place) {
  Activation activation = activation_named(find(activation_functions, function), where_);
  const Value x = argument(arguments, 0, "input");
  if (x.kind != Kind::batch) refuse(fmt::format("{} of a constant", function));
  for (std::size_t i = 1; i < arguments.places.size(); ++i) {
    const Value& given = arguments.places[i];
    if (given.kind == Kind::flag) {
      in_place = in_place || given.number != 0;
    } else if (given.kind == Kind::text && function == "gelu") {
      if (given.name == "tanh") activation = activation_named("GELUTanh", where_);
    } else if (given.kind == Kind::number && i == 1) {
      activation.alpha = given.number;
    } else if (given.kind != Kind::number || given.number != 1) {  // scales of elu
      refuse(fmt::format("an argument of {} that is not known", function));
    }
  }
  for (const auto& [name, given] : arguments.names) {
    if (function != "gelu" || name != "approximate") refuse(fmt::format("an argument of {} by name", function));
    if (given.name == "tanh") activation = activation_named("GELUTanh", where_);
  }
  if (!dry_) activations_.push_back(activation);
  Value out{.kind = Kind::batch, .name = fmt::format("value {}", count_++), .wide = x.wide};
  const std::string from = label(x);
  if (!dry_) add_activation(builder_, activation, from, out.name);
  if (in_place) replaced_[from] = out.name;
  return out;
}

ScriptValue ScriptGraph::call(const std::string& function, const Arguments& arguments) {
  const bool in_place = function.ends_with('_') && !function.ends_with("__");
  const std::string name = in_place ? function.substr(0, function.size() - 1) : function;
  const auto given = [&](std::size_t place, const char* key) { return argument(arguments, place, key); };
  const auto number = [](double value) { return Value{.kind = Kind::number, .number = value}; };
  Value x = given(0, "input");
  if (!find(activation_functions, name).empty()) return act(name, arguments, in_place);
  Value out;
  if (name == "linear") {
    return linear(x, given(1, "weight"), given(2, "bias"));
  } else if (name == "addmm" || name == "matmul") {
    const bool sum = name == "addmm";
    const Value left = sum ? given(1, "mat1") : x, right = given(sum ? 2 : 1, sum ? "mat2" : "other");
    if (arguments.places.size() > (sum ? 3U : 2U) || !right.transposed) refuse(name + " that is no linear layer");
    return linear(left, right, sum ? x : Value{});
  } else if (name == "t") {
    if (x.kind != Kind::tensor) refuse("t of what is no tensor of the file");
    out = x;
    out.transposed = !x.transposed;
    return out;
  } else if (name == "layer_norm") {
    return layer_norm(arguments);
  } else if (name == "clamp" || name == "clip") {
    out = clip(x, given(1, "min"), given(2, "max"));
  } else if (name == "hardtanh") {
    const Value low = given(1, "min_val"), high = given(2, "max_val");
    out = clip(x, low.kind == Kind::none ? number(-1) : low, high.kind == Kind::none ? number(1) : high);
  } else if (const std::string op = find(arithmetic, name); !op.empty()) {
    const Value extra = given(2, name == "div" ? "rounding_mode" : "alpha");
    if (extra.kind != Kind::none && (extra.kind != Kind::number || extra.number != 1 || name == "div")) {
      refuse(fmt::format("{} with a third argument", name));
    }
    out = binary(op, x, given(1, "other"));
  } else if (name == "rsub") {
    out = binary("Sub", given(1, "other"), x);
  } else if (const std::string plain = find(functions, name); !plain.empty()) {
    out = unary(plain, x);
  } else if (name == "dropout") {
    const Value training = given(2, "train");
    if ((training.kind != Kind::flag && training.kind != Kind::number) || training.number != 0) {
      refuse("dropout of a module in training mode: call eval() before saving");
    }
    return x;
  } else if (name == "detach" || name == "contiguous" || (name == "flatten" && given(1, "start_dim").number == 1)) {
    return x;
  } else {
    refuse(fmt::format("the operation torch.{}", printable(function)));
  }
  if (in_place && x.kind == Kind::batch && out.kind == Kind::batch) replaced_[label(x)] = out.name;
  return out;
}

Network ScriptGraph::finish(const Value& output) {
  if (output.kind != Kind::batch) refuse("a forward that does not return one tensor of its input");
  builder_.add_node({"Identity", "", {label(output)}, {"output"}});
  builder_.add_output("output");
  return Network(builder_.finish());
}

}  // namespace mercer
