#include "support/errors.hpp"
#include "support/policy_files.hpp"
#include "support/script_writer.hpp"

// Archives of torch.jit.save, compared with an evaluation of what their code says.

namespace mercer {
namespace {

class TorchScripts : public PolicyFiles {
 protected:
  TorchScripts() {
    add_layer(net_, "0", 4, 3);
    add_layer(net_, "2", 4, 4);
    add_layer(net_, "4", 1, 4);
    writer_.code = {{"__torch__/torch/nn/modules/linear.py", linear_code},
                    {"__torch__/torch/nn/modules/activation.py", activation_code},
                    {"__torch__/torch/nn/modules/container.py", sequential_code(5)}};
  }
  TestModule sequential() const {
    const TestModule elu{"torch.nn.modules.activation", "ELU"};
    return {"torch.nn.modules.container",
            "Sequential",
            {{"0", linear_module(net_, "0")},
             {"1", elu},
             {"2", linear_module(net_, "2")},
             {"3", elu},
             {"4", linear_module(net_, "4")}}};
  }
  double wanted(const Vector& x) const {
    return linear(net_, "4", mapped(linear(net_, "2", mapped(linear(net_, "0", x), elu)), elu))[0];
  }
  // A class Net whose forward is this text, over the three linear layers.
  std::string net_of(const std::string& forward) {
    ScriptWriter writer = writer_;
    writer.code.emplace_back("__torch__.py",
                             "class Net(Module):\n  training : bool\n  limit : Final[float] = 0.5\n"
                             "  def forward(self: __torch__.Net,\n    x: Tensor) -> Tensor:\n" +
                                 forward);
    return writer.write(
        {"",
         "Net",
         {{"a", linear_module(net_, "0")}, {"b", linear_module(net_, "2")}, {"c", linear_module(net_, "4")}}});
  }

  TestTensors net_;
  ScriptWriter writer_;
};

TEST_F(TorchScripts, a_scripted_sequential) {
  const auto policy = load(writer_.write(sequential()), "pendulum");
  EXPECT_EQ(warnings_, "");
  EXPECT_NE(reading_.find("TorchScript; layers 0, 2, 4 with ELU"), std::string::npos) << reading_;
  for (const Vector& x : probed) EXPECT_NEAR(act(*policy, x), std::clamp(wanted(x), -2.0, 2.0), 1e-5);
  expect_error(ErrorCode::bad_value, "TorchScript, which holds its own layers", [&] {
    load(writer_.write(sequential()), "pendulum", {{"activation", "ReLU", "a test"}});
  });
}

// As Isaac Lab exports policies of rsl_rl: a normaliser before the actor.
TEST_F(TorchScripts, an_exported_policy_with_its_normaliser) {
  writer_.code.emplace_back("__torch__/rsl_rl/modules/normalizer.py", R"(class EmpiricalNormalization(Module):
  __parameters__ = []
  __buffers__ = ["_mean", "_var", "_std", "count", ]
  _mean : Tensor
  _std : Tensor
  training : bool
  eps : float
  def forward(self: __torch__.rsl_rl.modules.normalizer.EmpiricalNormalization,
    x: Tensor) -> Tensor:
    _mean = self._mean
    _0 = torch.sub(x, _mean)
    _std = self._std
    eps = self.eps
    _1 = torch.div(_0, torch.add(_std, eps))
    return _1
)");
  writer_.code.emplace_back("__torch__/isaaclab_rl/rsl_rl/exporter.py", R"(class _TorchPolicyExporter(Module):
  __parameters__ = []
  __buffers__ = []
  training : bool
  is_recurrent : bool
  actor : __torch__.torch.nn.modules.container.Sequential
  normalizer : __torch__.rsl_rl.modules.normalizer.EmpiricalNormalization
  def forward(self: __torch__.isaaclab_rl.rsl_rl.exporter._TorchPolicyExporter,
    x: Tensor) -> Tensor:
    actor = self.actor
    normalizer = self.normalizer
    _0 = (actor).forward((normalizer).forward(x, ), )
    return _0
  def reset(self: __torch__.isaaclab_rl.rsl_rl.exporter._TorchPolicyExporter) -> NoneType:
    return None
)");
  const TestModule normaliser{"rsl_rl.modules.normalizer",
                              "EmpiricalNormalization",
                              {},
                              {{"_mean", {{1, 3}, {0.5F, -0.25F, 1}}}, {"_std", {{1, 3}, {2, 0.5F, 1}}}},
                              {{"eps", 0.01}}};
  const auto policy = load(writer_.write({"isaaclab_rl.rsl_rl.exporter",
                                          "_TorchPolicyExporter",
                                          {{"actor", sequential()}, {"normalizer", normaliser}}}),
                           "pendulum", {}, "policy.pt");
  for (const Vector& x : probed) {
    const Vector seen{(x[0] - 0.5) / 2.01, (x[1] + 0.25) / 0.51, (x[2] - 1) / 1.01};
    EXPECT_NEAR(act(*policy, x), std::clamp(wanted(seen), -2.0, 2.0), 1e-5);
  }
}

// torch.jit.trace nests calls, numbers classes that differ, and leaves out arguments.
TEST_F(TorchScripts, a_traced_sequential) {
  TestModule root = sequential();
  root.modules[2].second.file = "torch.nn.modules.linear.___torch_mangle_0";
  root.modules[4].second.file = "torch.nn.modules.linear.___torch_mangle_0";
  writer_.code = {{"__torch__/torch/nn/modules/linear.py", R"(class Linear(Module):
  __parameters__ = ["weight", "bias", ]
  __buffers__ = []
  weight : Tensor
  bias : Tensor
  training : bool
  _is_full_backward_hook : Optional[bool]
  def forward(self: __torch__.torch.nn.modules.linear.Linear,
    input: Tensor) -> Tensor:
    _0 = self.bias
    input0 = torch.linear(input, self.weight, _0)
    return input0
)"},
                  {"__torch__/torch/nn/modules/linear/___torch_mangle_0.py", R"(class Linear(Module):
  __parameters__ = ["weight", "bias", ]
  __buffers__ = []
  weight : Tensor
  bias : Tensor
  def forward(self: __torch__.torch.nn.modules.linear.___torch_mangle_0.Linear,
    argument_1: Tensor) -> Tensor:
    _0 = self.bias
    _1 = torch.addmm(_0, argument_1, torch.t(self.weight))
    return _1
)"},
                  {"__torch__/torch/nn/modules/activation.py", R"(class ELU(Module):
  __parameters__ = []
  def forward(self: __torch__.torch.nn.modules.activation.ELU,
    argument_1: Tensor) -> Tensor:
    return torch.elu(argument_1)
)"},
                  {"__torch__/torch/nn/modules/container.py", R"(class Sequential(Module):
  __parameters__ = []
  __buffers__ = []
  training : bool
  __annotations__["0"] = __torch__.torch.nn.modules.linear.Linear
  def forward(self: __torch__.torch.nn.modules.container.Sequential,
    argument_1: Tensor) -> Tensor:
    _4 = getattr(self, "4")
    _3 = getattr(self, "3")
    _2 = getattr(self, "2")
    _1 = getattr(self, "1")
    _5 = (getattr(self, "0")).forward(argument_1, )
    _6 = (_3).forward((_2).forward((_1).forward(_5, ), ), )
    return (_4).forward(_6, )
  def __len__(self: __torch__.torch.nn.modules.container.Sequential) -> int:
    return 5
)"}};
  const auto policy = load(writer_.write(root), "pendulum");
  for (const Vector& x : probed) EXPECT_NEAR(act(*policy, x), std::clamp(wanted(x), -2.0, 2.0), 1e-5);
}

TEST_F(TorchScripts, residuals_limits_and_operations_in_place) {
  const auto policy = load(net_of(R"(    a = self.a
    _0 = torch.clamp(x, -5, None)
    x0 = (a).forward(_0, )
    b = self.b
    x1 = (b).forward(torch.relu_(x0), )
    x2 = torch.add(x1, x0)
    c = self.c
    limit = self.limit
    return torch.mul(torch.tanh((c).forward(torch.gelu(x2, approximate="none"), )), torch.mul(limit, 3))
)"),
                           "pendulum");
  for (const Vector& x : probed) {
    Vector seen = mapped(x, [](double number) { return std::max(number, -5.0); });
    const Vector first = mapped(linear(net_, "0", seen), relu);
    Vector sum = linear(net_, "2", first);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += first[i];
    sum = mapped(sum, [](double number) { return 0.5 * number * (1 + std::erf(number / std::sqrt(2.0))); });
    EXPECT_NEAR(act(*policy, x), 1.5 * std::tanh(linear(net_, "4", sum)[0]), 1e-5);
  }
}

TEST_F(TorchScripts, what_is_no_plain_chain_is_refused) {
  const auto refused = [&](const std::string& words, const std::string& forward) {
    expect_error(ErrorCode::bad_format, words, [&] { load(net_of(forward), "pendulum"); });
  };
  refused("'if'", "    if True:\n      x0 = x\n    else:\n      x0 = x\n    return x0\n");
  refused("the operation torch.cat", "    return torch.cat([1, 2], 1)\n");
  refused("the function ops.prim.data", "    return ops.prim.data(x)\n");
  refused("the function __torch__.os.system", "    return __torch__.os.system(\"ls\", )\n");
  refused("returns nothing", "    x0 = x\n");
  refused("no layer of its TorchScript", "    return torch.relu(x)\n");
  refused("does not hold", "    return self.other\n");
  refused("a tuple", "    a = self.a\n    return ((a).forward(x, ), x)\n");
  refused("levels", "    return (self).forward(x, )\n");
  refused("levels", "    return " + std::string(1000, '(') + "x" + std::string(1000, ')') + "\n");
  refused("the sign '@'", "    return x @ x\n");
  refused("a statement without its end", "    a = self.\n    return x\n");
  // Doubling at every level ends at a limit, not after 2^100 operations.
  std::string doubling = "    x0 = x\n";
  for (int i = 1; i < 5600; ++i) {
    doubling +=
        "    x" + std::to_string(i) + " = torch.add(x" + std::to_string(i - 1) + ", x" + std::to_string(i - 1) + ")\n";
  }
  refused("more than 16384 expressions", doubling + "    return x5599\n");
  writer_.code[0].second = "class Other(Module):\n";
  expect_error(ErrorCode::bad_format, "has no forward", [&] { load(writer_.write(sequential()), "pendulum"); });
  writer_.code.erase(writer_.code.begin());
  expect_error(ErrorCode::bad_format, "no code of __torch__.torch.nn.modules.linear.Linear",
               [&] { load(writer_.write(sequential()), "pendulum"); });
}

TEST_F(TorchScripts, hostile_archives_are_refused) {
  const auto refused = [&](ErrorCode code, const std::string& words,
                           const std::vector<std::pair<std::string, std::string>>& members) {
    expect_error(code, words, [&] { load(zip_of(members), "pendulum"); });
  };
  using namespace pickle;
  const auto module = [](const std::string& state) {
    return global("__torch__", "Net") + std::string(")\x81") + state + "b";
  };
  const std::string called = start + call(global("os", "system"), {text("ls")}) + stop;
  refused(ErrorCode::bad_format, "it refers to 'os.system'", {{"p/data.pkl", called}});
  refused(ErrorCode::bad_format, "without plain attributes", {{"p/data.pkl", start + module(integer(1)) + stop}});
  refused(ErrorCode::corrupt_file, "lost the numbers",
          {{"p/data.pkl", start + module(dict({text("w"), tensor("0", 1'000'000'000, {1'000'000'000})})) + stop}});
  refused(ErrorCode::corrupt_file, "another number of elements",
          {{"p/data.pkl", start + module(dict({text("w"), tensor("0", 1'000'000'000, {1'000'000'000})})) + stop},
           {"p/data/0", "1234"}});
  refused(ErrorCode::corrupt_file, "twice",
          {{"p/data.pkl", start + module(dict({})) + stop}, {"p/code/__torch__.py", ""}, {"p/code/__torch__.py", ""}});
  refused(ErrorCode::bad_format, "no code of __torch__.Net",
          {{"p/data.pkl", start + module(dict({})) + stop}, {"p/code/../__torch__.py", "class Net(Module):\n"}});
  refused(ErrorCode::bad_format, "262144 bytes of code",
          {{"p/data.pkl", start + module(dict({})) + stop}, {"p/code/__torch__.py", std::string(300'000, ' ')}});
  // A module that holds one below it twice, and so on: 2^20 paths in a few hundred bytes, and one inside itself.
  std::string shared = module(dict({})) + "q" + little(0, 1);
  for (int level = 1; level <= 14; ++level) {
    const std::string before = "h" + little(static_cast<std::uint64_t>(level - 1), 1);
    shared += "0" + module(dict({text("a"), before, text("b"), before, text("c"), before})) + "q" +
              little(static_cast<std::uint64_t>(level), 1);
  }
  refused(ErrorCode::bad_format, "more than 100000 entries", {{"p/data.pkl", start + shared + stop}});
  const std::string own = global("__torch__", "Net") + std::string(")\x81q\x01") + dict({text("a"), "h\x01"}) + "b";
  refused(ErrorCode::bad_format, "16 modules inside each other", {{"p/data.pkl", start + own + stop}});
}

TEST_F(TorchScripts, truncation_at_every_byte_is_noticed) {
  const std::string whole = writer_.write(sequential());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(load(whole.substr(0, size), "pendulum"), Error) << size;
  }
}

}  // namespace
}  // namespace mercer
