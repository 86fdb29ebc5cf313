#include <filesystem>
#include <fstream>

#include "fuzz/agents.hpp"
#include "support/flax_writer.hpp"
#include "support/script_writer.hpp"

// Writes small agents of every kind, torch files and a normaliser into the folder that is given: inputs for the fuzzer
// to start from.

namespace {

TestTensor filled(std::vector<std::int32_t> shape) {
  std::size_t count = 1;
  for (const std::int32_t size : shape) count *= static_cast<std::size_t>(size);
  return {std::move(shape), std::vector<float>(count, 0.5F)};
}

TestTensors tensors(const std::vector<std::pair<std::string, std::vector<std::int32_t>>>& shapes) {
  TestTensors out;
  for (const auto& [name, shape] : shapes) out[name] = filled(shape);
  return out;
}

// A module with one layer of its own, and what torch would write as its code.
std::string script_tree() {
  using namespace pickle;
  return start +
         build(global("__torch__", "Net") + std::string(")\x81"),
               dict({text("weight"), tensor("0", 6, {2, 3}), text("bias"), tensor("1", 2, {2}), text("eps"),
                     real(0.01)})) +
         stop;
}
const std::string script_forward = R"(class Net(Module):
  weight : Tensor
  limit : Final[float] = 0.5
  def forward(self: __torch__.Net,
    x: Tensor) -> Tensor:
    weight = self.weight
    bias = annotate(Optional[Tensor], self.bias)
    x0 = torch.clamp(x, -5, 5.)
    x1 = torch.elu_(torch.linear(x0, weight, bias), 1.)
    x2 = torch.addmm(bias, torch.sub(x, getattr(self, "limit")), torch.t(weight))
    return torch.div(torch.add(x1, (self).head(x2, )), torch.add(self.eps, 1))
  def head(self: __torch__.Net,
    x: Tensor,
    inplace: bool=False) -> Tensor:
    _0 = __torch__.torch.nn.functional.layer_norm
    return torch.gelu(_0(x, [2], self.bias, self.bias, 1e-05, ), approximate="tanh")
)";

std::string normaliser() {
  using namespace pickle;
  const std::string statistics = build(call(global("stable_baselines3.common.running_mean_std", "RunningMeanStd"), {}),
                                       dict({text("mean"), array({1, 2}), text("var"), array({1, 2})}));
  return start +
         build(call(global("stable_baselines3.common.vec_env.vec_normalize", "VecNormalize"), {}),
               dict({text("norm_obs"), yes, text("epsilon"), real(0), text("clip_obs"), real(3), text("obs_rms"),
                     statistics})) +
         stop;
}

}  // namespace

int main(int, char** arguments) {
  const std::filesystem::path folder = arguments[1];
  std::filesystem::create_directories(folder);
  const auto write = [&](const std::string& name, const std::string& content) {
    std::ofstream(folder / name, std::ios::binary) << content;
  };
  const std::string box = agent_data(action_text), discrete = agent_data(discrete_text);
  const std::string slope = "functools.partial(<class 'torch.nn.modules.activation.LeakyReLU'>, 0.3)";
  const std::string leaky =
      agent_data(action_text, R"(, "policy_kwargs": {"use_expln": true, "activation_fn": ")" + slope + "\"}");
  const TestTensors sac = tensors({{"actor.latent_pi.0.weight", {3, 2}},
                                   {"actor.latent_pi.0.bias", {3}},
                                   {"actor.mu.weight", {1, 3}},
                                   {"actor.mu.bias", {1}},
                                   {"actor.log_std.weight", {1, 3}},
                                   {"actor.log_std.bias", {1}},
                                   {"critic.qf0.0.weight", {2, 3}}});
  const TestTensors noisy = tensors({{"mlp_extractor.shared_net.0.weight", {2, 2}},
                                     {"mlp_extractor.policy_net.0.weight", {3, 2}},
                                     {"action_net.weight", {1, 3}},
                                     {"value_net.weight", {1, 2}},
                                     {"log_std", {3, 1}}});
  const TestTensors td3 = tensors({{"actor.mu.0.weight", {1, 2}}, {"actor.mu.0.bias", {1}}});
  const TestTensors dqn =
      tensors({{"quantile_net.quantile_net.0.weight", {6, 2}}, {"quantile_net.quantile_net.0.bias", {6}}});
  write("sac", fuzz_parts('l', {box, torch_legacy(sac)}));
  write("noisy", fuzz_parts('l', {leaky, torch_legacy(noisy)}));
  write("td3", fuzz_parts('l', {leaky, torch_legacy(td3)}));
  write("dqn", fuzz_parts('l', {discrete, torch_legacy(dqn)}));
  write("td3_zip", fuzz_parts('p', {box, tensor_dict(td3), raw({1}), raw({1, 2})}));
  write("dqn_zip",
        fuzz_parts('p', {discrete, tensor_dict(dqn), raw(std::vector<float>(6)), raw(std::vector<float>(12))}));
  write("zip", "z" + agent_zip(box, torch_zip(td3)));
  write("torch", "t" + torch_zip(td3));
  write("torch_legacy", "t" + torch_legacy(sac));
  write("normaliser", "n" + normaliser());
  write("script", fuzz_parts('s', {script_tree(), script_forward, raw(std::vector<float>(6, 0.5F)), raw({1, 2})}));
  write("rl_games", "d" + torch_legacy(tensors({{"a2c_network.actor_mlp.0.weight", {3, 2}},
                                                {"a2c_network.actor_mlp.0.bias", {3}},
                                                {"a2c_network.actor_mlp.2.weight", {3}},
                                                {"a2c_network.mu.weight", {1, 3}},
                                                {"a2c_network.sigma", {1}},
                                                {"running_mean_std.running_mean", {2}},
                                                {"running_mean_std.running_var", {2}}})));
  write("rsl_rl", "d" + torch_legacy(tensors({{"actor.0.weight", {3, 2}},
                                              {"actor.2.weight", {1, 3}},
                                              {"std", {1}},
                                              {"actor_obs_normalizer._mean", {1, 2}},
                                              {"actor_obs_normalizer._std", {1, 2}}})));
  write("clean_rl", "d" + torch_legacy(tensors({{"fc1.weight", {3, 2}},
                                                {"fc_mean.weight", {1, 3}},
                                                {"fc_logstd.weight", {1, 3}},
                                                {"action_scale", {1}},
                                                {"action_bias", {1}}})));
  const std::string layers = msgpack::layers(tensors({{"hidden_0.weight", {3, 2}},
                                                      {"hidden_0.bias", {3}},
                                                      {"LayerNorm_0.weight", {3}},
                                                      {"LayerNorm_0.bias", {3}},
                                                      {"hidden_1.weight", {2, 3}},
                                                      {"hidden_1.bias", {2}}}));
  const std::string statistics =
      msgpack::map({{"mean", msgpack::array(filled({2}))}, {"std", msgpack::array(filled({2}))}});
  write("brax", "m" + msgpack::map({{"0", statistics}, {"1", msgpack::map({{"params", layers}})}}));
}
