#include <filesystem>
#include <fstream>

#include "fuzz/agents.hpp"

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
}
