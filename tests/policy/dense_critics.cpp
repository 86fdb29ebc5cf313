#include "policy/agents/dense_critics.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "io/npz.hpp"
#include "io/safetensors.hpp"
#include "mercer/critics.hpp"
#include "mercer/random.hpp"
#include "policy/agents/agent.hpp"
#include "policy/files.hpp"
#include "support/policy_files.hpp"

// Critics as trainers write them, compared with evaluations that follow their forward functions and with the graph of
// `read_critics`.

namespace mercer {
namespace {

const std::string tanh_kwargs = R"(, "policy_kwargs": {"activation_fn": "<class 'torch.nn.modules.activation.Tanh'>"})";

// An actor of SAC for observations of two numbers and one action.
TestTensors actor() {
  TestTensors tensors;
  add_layer(tensors, "actor.latent_pi.0", 3, 2);
  add_layer(tensors, "actor.mu", 1, 3);
  add_layer(tensors, "actor.log_std", 1, 3);
  return tensors;
}

TestTensors with_critics(int count, std::int32_t quantiles, std::int32_t inputs = 3) {
  TestTensors tensors = actor();
  for (int i = 0; i < count; ++i) add_three(tensors, "critic.qf" + std::to_string(i), inputs, quantiles);
  return tensors;
}

double value(const std::vector<DenseLayer>& network, Vector x) {
  for (std::size_t l = 0; l < network.size(); ++l) {
    const DenseLayer& layer = network[l];
    EXPECT_EQ(x.size(), layer.inputs);
    Vector y = layer.bias;
    for (std::size_t o = 0; o < layer.outputs; ++o) {
      for (std::size_t i = 0; i < layer.inputs; ++i) y[o] += layer.weight[o * layer.inputs + i] * x[i];
    }
    x = l + 1 < network.size() ? mapped(std::move(y), relu) : std::move(y);
  }
  EXPECT_EQ(x.size(), 1U);
  return x[0];
}

Vector drawn(std::size_t size, std::uint64_t item) {
  Random random({7, Stage::simulate, item, 0});
  Vector numbers(size);
  for (double& number : numbers) number = 2 * random.normal();
  return numbers;
}

double mean_of(const Vector& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number;
  return sum / static_cast<double>(numbers.size());
}

class DenseCriticFiles : public PolicyFiles {
 protected:
  std::string write_agent(const TestTensors& tensors, const std::string& more = "",
                          const std::string& action = action_text) {
    write_bytes(folder_ / "a.zip", agent_zip(agent_data(action, more), torch_zip(tensors)));
    return (folder_ / "a.zip").string();
  }
  std::optional<DenseCritics> read(const std::string& file, std::vector<PolicySetting> settings = {}) {
    why_.clear();
    if (settings.empty()) settings.push_back({"normaliser", "none", "a test"});
    const Task task = read_agent_task(file, {"none"});
    return read_dense_critics(file, make_policy(file, task, settings)->contract(), settings, &why_);
  }
  void expect_none(const std::string& part, const std::string& file) {
    EXPECT_FALSE(read(file));
    EXPECT_NE(why_.find(part), std::string::npos) << why_;
  }

  std::string why_;
};

TEST_F(DenseCriticFiles, agents_with_one_two_or_five_critics_of_any_number_of_quantiles) {
  const std::pair<int, std::int32_t> shapes[]{{2, 1}, {1, 1}, {5, 25}};  // SAC or TD3, DDPG, TQC
  for (const auto& [count, quantiles] : shapes) {
    const TestTensors tensors = with_critics(count, quantiles);
    const std::string file = write_agent(tensors);
    const auto critics = read(file);
    ASSERT_TRUE(critics) << why_;
    const auto graph = read_critics(file, {"none"});
    ASSERT_TRUE(graph);
    ASSERT_EQ(critics->networks.size(), static_cast<std::size_t>(count));
    EXPECT_TRUE(critics->normalisation.empty());
    for (std::uint64_t item = 0; item < 50; ++item) {
      const Vector x = drawn(3, item);
      Vector found(critics->networks.size());
      const MatrixView<const double> inputs[]{{x.data(), 2, 1}, {x.data() + 2, 1, 1}};
      std::vector<MatrixView<double>> outputs;
      for (double& number : found) outputs.emplace_back(&number, 1, 1);
      graph->network.evaluate(inputs, outputs);
      for (std::size_t i = 0; i < found.size(); ++i) {
        const double own = value(critics->networks[i], x);
        EXPECT_NEAR(own, mean_of(three(tensors, "critic.qf" + std::to_string(i), x, relu)), 1e-12);
        EXPECT_NEAR(own, found[i], 2e-6 * (1 + std::abs(own)));
      }
    }
  }
  EXPECT_EQ(why_, "");
}

TEST_F(DenseCriticFiles, normalisation_and_scale_are_those_of_the_policy) {
  const TestTensors tensors = with_critics(2, 1);
  const auto critics = read(write_agent(tensors), {{"obs-mean", "1;2", "a test"},
                                                   {"obs-var", "4;9", "a test"},
                                                   {"scale", "0.5", "a test"},
                                                   {"centre", "0.25", "a test"}});
  ASSERT_TRUE(critics) << why_;
  EXPECT_EQ(critics->normalisation.mean, (Vector{1, 2}));
  EXPECT_EQ(critics->normalisation.variance, (Vector{4, 9}));
  // The policy plays 0.25 + 0.5 tanh(u), and the critic was trained on tanh(u).
  const Vector x = drawn(3, 0);
  EXPECT_NEAR(value(critics->networks[1], x), three(tensors, "critic.qf1", {x[0], x[1], (x[2] - 0.25) / 0.5}, relu)[0],
              1e-12);
}

TEST_F(DenseCriticFiles, discounts_and_normalised_rewards) {
  using namespace pickle;
  const auto statistics = [](const std::string& mean, const std::string& var) {
    return build(call(global("stable_baselines3.common.running_mean_std", "RunningMeanStd"), {}),
                 dict({text("mean"), mean, text("var"), var}));
  };
  const TestTensors tensors = with_critics(2, 1);
  const std::string file = write_agent(tensors, R"(, "gamma": 0.98)");
  const Vector x = drawn(3, 0);
  const double plain = three(tensors, "critic.qf0", x, relu)[0];
  const std::vector<PolicySetting> settings{{"normaliser", (folder_ / "v.pkl").string(), "a test"}};
  for (const bool rewards : {false, true}) {
    const std::string normaliser =
        build(call(global("stable_baselines3.common.vec_env.vec_normalize", "VecNormalize"), {}),
              dict({text("norm_obs"), yes, text("epsilon"), real(0), text("clip_obs"), real(3), text("obs_rms"),
                    statistics(array({1, 2}), array({4, 9})), text("norm_reward"), rewards ? yes : no, text("ret_rms"),
                    statistics(real(5), real(16))}));
    write_bytes(folder_ / "v.pkl", start + normaliser + stop);
    const auto critics = read(file, settings);
    ASSERT_TRUE(critics) << why_;
    EXPECT_EQ(critics->gamma, 0.98);
    EXPECT_EQ(critics->normalisation.mean, (Vector{1, 2}));
    EXPECT_NEAR(value(critics->networks[0], x), rewards ? 4 * plain : plain, 1e-12);
  }
  EXPECT_EQ(read(write_agent(tensors, R"(, "gamma": 1.5)"))->gamma, std::nullopt);
  EXPECT_EQ(read(write_agent(tensors))->gamma, std::nullopt);
}

TEST_F(DenseCriticFiles, observations_are_put_into_the_order_of_the_task) {
  TestTensors tensors;
  add_three(tensors, "q", 4, 1);
  Arrays arrays;
  for (const auto& [name, tensor] : tensors) {
    arrays[name] = Array::of(tensor.values, {tensor.shape.begin(), tensor.shape.end()});
  }
  const Contract contract = contract_of(make_env("pendulum")->task());
  const CriticLayout layout{{{"q.0", "q.2", "q.4"}}, {2, 0, 1}, 1, true};
  const DenseCritics critics = dense_critics(tensors_of(arrays), layout, contract, "a test");
  const Vector x = drawn(4, 0);
  EXPECT_NEAR(value(critics.networks[0], x), three(tensors, "q", {x[2], x[0], x[1], 2 * x[3]}, relu)[0], 1e-12);
}

TEST_F(DenseCriticFiles, what_cannot_be_used_gives_a_reason) {
  expect_none("holds no critics", write_agent(actor()));
  expect_none("its critics have Tanh between layers; legal: ReLU", write_agent(with_critics(2, 1), tanh_kwargs));
  expect_none("layer 'critic.qf0.0' of a critic takes 4 numbers and is given 3: observations and actions",
              write_agent(with_critics(2, 1, 4)));
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    TestTensors tensors = with_critics(2, 1);
    tensors["critic.qf1.2.bias"].values[1] = bad;
    expect_none("not finite: ", write_agent(tensors));
    EXPECT_NE(why_.find("'critic.qf1.2.bias' holds"), std::string::npos) << why_;
  }
  TestTensors tensors = with_critics(1, 1);
  add_layer(tensors, "critic.qf1.0", 1, 3);
  expect_none("differ in their sizes", write_agent(tensors));
  tensors = with_critics(1, 1);
  add_layer(tensors, "critic.qf0.2", 4, 6);
  expect_none("layer 'critic.qf0.2' of a critic takes 6 numbers and is given 5", write_agent(tensors));
  tensors = with_critics(1, 1);
  tensors["critic.qf0.1.weight"] = {{5}, {1, 1, 1, 1, 1}};
  expect_none("not a linear layer", write_agent(tensors));
  TestTensors ppo{{"log_std", {{1}, {-1}}}};
  add_layer(ppo, "mlp_extractor.policy_net.0", 2, 2);
  add_layer(ppo, "action_net", 1, 2);
  add_layer(ppo, "value_net", 1, 2);
  expect_none("A2C has no critics", write_agent(ppo));
  TestTensors dqn;
  add_layer(dqn, "q_net.q_net.0", 3, 2);
  expect_none("DQN has no critics", write_agent(dqn, "", discrete_text));
  const Contract contract = contract_of(make_env("pendulum")->task());
  for (const char* const spec : {"uniform", "missing.zip", "missing.onnx", "missing.pt:layers=a"}) {
    why_.clear();
    EXPECT_FALSE(read_dense_critics(spec, contract, {}, &why_));
    EXPECT_NE(why_, "") << spec;
    EXPECT_FALSE(read_dense_critics(spec, contract));
  }
}

TEST_F(DenseCriticFiles, critics_of_cleanrl_take_actions_as_they_are_played) {
  TestTensors td3{{"action_scale", {{1}, {2}}}, {"action_bias", {{1}, {0}}}}, critic;
  add_layer(td3, "fc1", 5, 3);
  add_layer(td3, "fc_mu", 1, 5);
  add_layer(critic, "fc1", 5, 4);
  add_layer(critic, "fc2", 4, 5);
  add_layer(critic, "fc3", 1, 4);
  const auto critic_of = [&](const Vector& x) {
    const Vector hidden = mapped(linear(critic, "fc1", {x[0], x[1], x[2], 2 * x[3]}), relu);
    return linear(critic, "fc3", mapped(linear(critic, "fc2", hidden), relu))[0];
  };
  const auto policy = load(torch_nested({{"", td3}, {"", critic}, {"", critic}}, true), "pendulum");
  const auto critics = read_dense_critics((folder_ / "a.pt").string(), policy->contract(), {}, &why_);
  ASSERT_TRUE(critics) << why_;
  ASSERT_EQ(critics->networks.size(), 2U);
  const Vector x = drawn(4, 0);
  for (const auto& network : critics->networks) EXPECT_NEAR(value(network, x), critic_of(x), 1e-12);
  const std::vector<PolicySetting> other{{"activation", "tanh", "a test"}};
  EXPECT_FALSE(read_dense_critics((folder_ / "a.pt").string(), policy->contract(), other, &why_));
  EXPECT_NE(why_.find("tanh between layers"), std::string::npos) << why_;
  const auto alone = load(torch_zip(td3), "pendulum");
  EXPECT_FALSE(read_dense_critics((folder_ / "a.pt").string(), alone->contract(), {}, &why_));
  EXPECT_NE(why_.find("holds no critics"), std::string::npos) << why_;
  // The scripts for jax name the layers of flax, whose kernels stand transposed.
  Arrays arrays;
  const auto add = [&](const std::string& name, const TestTensors& from, const std::string& layer) {
    const TestTensor &weight = from.at(layer + ".weight"), &bias = from.at(layer + ".bias");
    const auto rows = static_cast<std::size_t>(weight.shape[0]), columns = static_cast<std::size_t>(weight.shape[1]);
    std::vector<float> kernel(rows * columns);
    for (std::size_t i = 0; i < kernel.size(); ++i) kernel[i % columns * rows + i / columns] = weight.values[i];
    arrays[name + ".kernel"] = Array::of(kernel, {columns, rows});
    arrays[name + ".bias"] = Array::of(bias.values, {rows});
  };
  add("0.params.Dense_0", td3, "fc1");
  add("0.params.Dense_1", td3, "fc_mu");
  for (const int layer : {0, 1, 2}) {
    add("1.params.Dense_" + std::to_string(layer), critic, "fc" + std::to_string(layer + 1));
  }
  write_npz(folder_ / "j.npz", arrays);
  const std::string file = (folder_ / "j.npz").string();
  const auto jax = read_dense_critics(file, make_policy(file, make_env("pendulum")->task())->contract(), {}, &why_);
  ASSERT_TRUE(jax) << why_;
  ASSERT_EQ(jax->networks.size(), 1U);
  EXPECT_NEAR(value(jax->networks[0], x), critic_of(x), 1e-12);
}

TEST_F(DenseCriticFiles, snapshots_of_sac_and_the_policy_of_their_run) {
  const Task task = make_env("continuous-mountain-car")->task();
  Contract contract = contract_of(task);
  contract.squash = Squash::tanh;
  const nlohmann::ordered_json manifest{
      {"format", 1}, {"kind", "sac"}, {"contract", to_json(contract)}, {"step", 30}, {"options", {{"gamma", 0.97}}}};
  TestTensors tensors;
  add_layer(tensors, "actor.0", 2, 2);
  Safetensors policy, snapshot;
  policy.metadata = snapshot.metadata = {{"mercer", manifest.dump()}};
  const auto add = [&](Safetensors& file, const std::string& begin) {
    for (const auto& [name, tensor] : tensors) {
      const std::vector<std::size_t> shape(tensor.shape.begin(), tensor.shape.end());
      if (name.starts_with(begin)) file.tensors[name] = Array::of(tensor.values, shape);
    }
  };
  for (const char* const name : {"q1", "q2"}) {
    add_layer(tensors, std::string(name) + ".0", 4, 3);
    add_layer(tensors, std::string(name) + ".1", 1, 4);
  }
  add(policy, "actor.");
  add(snapshot, "");
  const std::string file = (folder_ / "policy.safetensors").string();
  const std::filesystem::path beside = folder_ / "snapshot_000030.safetensors";
  write_safetensors(file, policy);
  const auto read_for = [&](const std::string& name) {
    return read_dense_critics(name, make_policy(name, task)->contract(), {}, &why_);
  };
  EXPECT_FALSE(read_for(file));
  EXPECT_NE(why_.find("there is no"), std::string::npos) << why_;
  write_safetensors(beside, snapshot);
  const Vector x = drawn(3, 0);
  for (const std::string& name : {file, beside.string()}) {
    const auto critics = read_for(name);
    ASSERT_TRUE(critics) << why_;
    ASSERT_EQ(critics->networks.size(), 2U);
    EXPECT_EQ(critics->gamma, 0.97);
    EXPECT_NEAR(value(critics->networks[1], x), linear(tensors, "q2.1", mapped(linear(tensors, "q2.0", x), relu))[0],
                1e-12);
  }
  tensors["actor.0.bias"].values[0] += 1;
  add(snapshot, "actor.");
  write_safetensors(beside, snapshot);
  EXPECT_FALSE(read_for(file));
  EXPECT_NE(why_.find("another actor"), std::string::npos) << why_;
}

}  // namespace
}  // namespace mercer
