#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/warning.hpp"
#include "policy/agents/activation.hpp"
#include "policy/agents/agent.hpp"
#include "policy/agents/networks.hpp"
#include "support/agent_writer.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/temporary.hpp"

// Agents small enough to follow by hand; tests/python/test_sb3.py compares all algorithms with numpy.

namespace mercer {
namespace {

const TestTensors td3{{"actor.mu.0.weight", {{1, 2}, {0.5F, -1}}}, {"actor.mu.0.bias", {{1}, {0.25F}}}};
const TestTensors dqn{{"q_net.q_net.0.weight", {{3, 2}, {1, 0, 0, 1, -1, -1}}},
                      {"q_net.q_net.0.bias", {{3}, {0, 0, 0}}}};
const TestTensors ppo{{"mlp_extractor.policy_net.0.weight", {{2, 2}, {1, 0, 0, 2}}},
                      {"mlp_extractor.policy_net.0.bias", {{2}, {0, 0}}},
                      {"action_net.weight", {{1, 2}, {1, 1}}},
                      {"action_net.bias", {{1}, {0}}},
                      {"value_net.weight", {{1, 2}, {3, 0}}},
                      {"value_net.bias", {{1}, {1}}},
                      {"log_std", {{1}, {-1}}}};

class Agents : public testing::Test {
 protected:
  Agents() {
    set_warning_sink([this](const std::string& sentence) { warnings_ += sentence; });
  }
  ~Agents() override { set_warning_sink({}); }

  std::string write(const std::string& content) {
    write_bytes(folder_ / "a.zip", content);
    return (folder_ / "a.zip").string();
  }
  std::unique_ptr<Policy> load(const std::string& content, const std::vector<PolicySetting>& settings = {}) {
    const std::string file = write(content);
    AgentOptions options;
    for (const PolicySetting& setting : settings) set_agent_option(options, setting);
    return make_policy(file, read_agent_task(file, options), settings);
  }
  void expect_refused(const std::string& part, const std::string& content, ErrorCode code = ErrorCode::bad_format) {
    expect_error(code, part, [&] { load(content); });
  }
  static double act(const Policy& policy, std::vector<double> observation) {
    double action = 0;
    policy.mean_action({observation.data(), observation.size(), 1}, {&action, 1, 1});
    return action;
  }
  // The file of VecNormalize.save with these statistics.
  static std::string normaliser(const std::string& mean, const std::string& var, const std::string& norm_obs) {
    using namespace pickle;
    const std::string statistics =
        build(call(global("stable_baselines3.common.running_mean_std", "RunningMeanStd"), {}),
              dict({text("mean"), mean, text("var"), var}));
    return start +
           build(call(global("stable_baselines3.common.vec_env.vec_normalize", "VecNormalize"), {}),
                 dict({text("norm_obs"), norm_obs, text("epsilon"), real(0), text("clip_obs"), real(3), text("obs_rms"),
                       statistics})) +
           stop;
  }

  TemporaryFolder folder_;
  std::string warnings_;
};

TEST_F(Agents, a_layer_is_what_its_tensors_say_in_both_layouts_of_torch) {
  for (const std::string& policy : {torch_zip(td3), torch_legacy(td3)}) {
    const auto agent = load(agent_zip(agent_data(action_text), policy));
    EXPECT_NEAR(act(*agent, {0.5, 0.25}), std::tanh(0.25), 1e-6);
    EXPECT_TRUE(std::isinf(agent->contract().observation.axes[1].range.high));  // 3.4e38 is no bound
    EXPECT_EQ(agent->contract().observation.axes[1].range.low, -2);
  }
  EXPECT_NE(warnings_.find("vecnormalize.pkl"), std::string::npos);  // such files do not say whether there was one
}

TEST_F(Agents, statistics_beside_an_agent_that_does_not_ask_for_them_are_reported) {
  const std::string file = agent_zip(agent_data(action_text), torch_zip(td3));
  const std::string statistics = normaliser(pickle::array({1, -1}), pickle::array({4, 1}), pickle::yes);
  write_bytes(folder_ / "vecnormalize.pkl", statistics);
  EXPECT_EQ(load(file)->contract().normalisation.mean.size(), 2U);
  EXPECT_NE(warnings_.find("from its folder"), std::string::npos) << warnings_;
  warnings_.clear();
  std::filesystem::create_directory(folder_ / "a");  // a folder of the agent's name holds nobody else's
  write_bytes(folder_ / "a/vecnormalize.pkl", statistics);
  EXPECT_EQ(load(file)->contract().normalisation.mean.size(), 2U);
  EXPECT_EQ(warnings_, "");
  const Task task = make_env("pendulum")->task();
  expect_error(ErrorCode::unknown_name, "no policy is called", [&] { make_policy((folder_ / "a").string(), task); });
}

TEST_F(Agents, settings_shape_the_policy) {
  const std::string file = agent_zip(agent_data(action_text), torch_zip(td3));
  const auto spread = load(file, {{"spread", "0.5", "a test"}, {"normaliser", "none", "a test"}});
  EXPECT_EQ(warnings_, "");
  const std::vector<double> state{0.5, 0.25}, action{0};
  double density = 0;
  spread->log_prob({state.data(), 2, 1}, {action.data(), 1, 1}, {&density, 1});
  EXPECT_TRUE(std::isfinite(density));
  expect_error(ErrorCode::bad_value, "obs-order is for dictionaries", [&] {
    load(file, {{"obs-order", "a,b", "a test"}});
  });
}

TEST_F(Agents, on_policy_agents_store_whether_they_need_a_normaliser) {
  const std::string policy = torch_zip(ppo);
  const std::string needs = agent_zip(agent_data(action_text, R"(, "_last_original_obs": {"x": 1})"), policy);
  const std::string does_not = agent_zip(agent_data(action_text, R"(, "_last_original_obs": null)"), policy);
  expect_refused("vecnormalize.pkl", needs, ErrorCode::missing_option);
  EXPECT_NEAR(act(*load(does_not), {0.5, 0.25}), 2 * std::tanh(0.5), 1e-6);
  EXPECT_EQ(warnings_, "");
  write_bytes(folder_ / "vecnormalize.pkl", normaliser(pickle::array({1, -1}), pickle::array({4, 1}), pickle::yes));
  // (0.5 - 1) / 2 and a value beyond the clip of 3; the sum is clipped to the action's bounds by the contract.
  EXPECT_NEAR(act(*load(needs), {0.5, 9}), std::tanh(-0.25) + std::tanh(6.0), 1e-6);
  EXPECT_EQ(load(does_not)->contract().normalisation.mean.size(), 0U);
  EXPECT_NE(warnings_.find("is not used"), std::string::npos);
  // The folder of the agent's own name comes first.
  std::filesystem::create_directory(folder_ / "a");
  write_bytes(folder_ / "a/vecnormalize.pkl", normaliser(pickle::array({0, 0}), pickle::array({1, 1}), pickle::no));
  EXPECT_TRUE(load(needs)->contract().normalisation.empty());
  write_bytes(folder_ / "a/vecnormalize.pkl", normaliser(pickle::array({0}), pickle::array({1}), pickle::yes));
  expect_refused("normalises 1 observations", needs, ErrorCode::shape_mismatch);
}

TEST_F(Agents, what_would_be_another_policy_is_refused) {
  const auto data = [](const std::string& more, const std::string& action = action_text) {
    return agent_zip(agent_data(action, more), torch_zip(td3));
  };
  const auto kwargs = [&](const std::string& text) { return data(R"(, "policy_kwargs": {)" + text + "}"); };
  expect_refused("MyExtractor", kwargs(R"("features_extractor_class": "<class '__main__.MyExtractor'>")"));
  expect_refused("no class of torch.nn", kwargs(R"("activation_fn": "<function <lambda> at 0x7f>")"));
  expect_refused("Hardshrink", kwargs(R"("activation_fn": "<class 'torch.nn.modules.activation.Hardshrink'>")"));
  expect_refused("module '__main__'", data(R"(, "policy_class": {"__module__": "__main__"})"));
  expect_refused("masks", data(R"(, "policy_class": {"__module__": "sb3_contrib.common.maskable.policies"})"));
  expect_refused("MultiDiscrete", data("", R"({":type:": "<class 'gym.spaces.multi_discrete.MultiDiscrete'>"})"));
  expect_refused("MultiBinary", data("", R"({":type:": "<class 'gym.spaces.multi_binary.MultiBinary'>", "n": 3})"));
  expect_refused("actions are discrete", data("", discrete_text));
  expect_refused("shape",
                 data("", R"({":type:": "<class 'gym.spaces.box.Box'>", "shape": [8, 8], "low": "0", "high": "1"})"));
  expect_refused("no known policy", agent_zip(agent_data(action_text), torch_zip({{"w", {{1}, {1}}}})));
  expect_refused("recurrent", agent_zip(agent_data(action_text), torch_zip({{"lstm_actor.weight", {{1}, {1}}}})));
  expect_refused("CnnPolicy",
                 agent_zip(agent_data(action_text), torch_zip({{"features_extractor.cnn.0.weight", {{1}, {1}}}})));
  const TestTensors norm{{"actor.mu.0.weight", {{1, 2}, {1, 1}}}, {"actor.mu.1.weight", {{1}, {1}}}};
  expect_refused("not a linear layer", agent_zip(agent_data(action_text), torch_zip(norm)));
  const TestTensors nan{{"actor.mu.0.weight", {{1, 2}, {1, std::nanf("")}}}};
  expect_refused("holds nan", agent_zip(agent_data(action_text), torch_zip(nan)), ErrorCode::not_finite);
  // Squashed actions need bounds to be scaled to.
  const std::string open =
      R"({":type:": "<class 'gym.spaces.box.Box'>", "shape": [1], "low": "[-inf]", "high": "[inf]"})";
  expect_refused("no known bounds", data("", open), ErrorCode::missing_option);
}

TEST_F(Agents, agents_must_fit_the_task) {
  const auto load_for = [&](const std::string& content, const char* env) {
    make_policy(write(content) + ":normaliser=none", make_env(env)->task());
  };
  const std::string box = agent_zip(agent_data(action_text), torch_zip(td3));
  const std::string discrete = agent_zip(agent_data(discrete_text), torch_zip(dqn));
  load_for(box, "continuous-mountain-car");
  load_for(discrete, "mountain-car");
  expect_error(ErrorCode::shape_mismatch, "one of 3 discrete actions",
               [&] { load_for(discrete, "continuous-mountain-car"); });
  expect_error(ErrorCode::shape_mismatch, "outputs 1 number;", [&] { load_for(box, "mountain-car"); });
  expect_error(ErrorCode::shape_mismatch, "takes one of 2 discrete", [&] { load_for(discrete, "cart-pole"); });
  expect_error(ErrorCode::shape_mismatch, "from -1 to 1", [&] { load_for(box, "pendulum"); });
}

TEST_F(Agents, critics_are_kept) {
  const AgentOptions options{"none"};
  const auto read = [&](const std::string& action, const TestTensors& tensors) {
    return read_critics(write(agent_zip(agent_data(action), torch_zip(tensors))), options);
  };
  EXPECT_FALSE(read(action_text, td3));
  TestTensors twin = td3;  // the mean of two quantiles, as of TQC
  twin["critic.qf0.0.weight"] = {{2, 3}, {1, 2, 3, 3, 2, 1}};
  twin["critic.qf0.0.bias"] = {{2}, {1, 0}};
  const auto critics = read(action_text, twin);
  ASSERT_TRUE(critics && critics->of_actions);
  const std::vector<double> state{1, 10}, action{100};
  double value = 0;
  const MatrixView<const double> inputs[]{{state.data(), 2, 1}, {action.data(), 1, 1}};
  const MatrixView<double> outputs[]{{&value, 1, 1}};
  critics->network.evaluate(inputs, outputs);
  EXPECT_NEAR(value, 2 * 1 + 2 * 10 + 2 * 100 + 0.5, 1e-4);
  const auto values = read(action_text, ppo);
  ASSERT_TRUE(values && !values->of_actions);
  EXPECT_EQ(values->network.outputs()[0].name, "v");
  ASSERT_TRUE(read(discrete_text, dqn));
}

// Hostile files: none is executed, none takes memory, all end in an error.
TEST_F(Agents, truncation_at_every_byte_is_noticed) {
  const std::string whole = agent_zip(agent_data(action_text), torch_legacy(td3));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(load(whole.substr(0, size)), Error) << size;
  }
}

TEST_F(Agents, hostile_zips_are_refused) {
  const std::string data = agent_data(action_text), policy = torch_zip(td3);
  expect_refused("is not a zip file", "no zip");
  expect_refused("not an agent", zip_of({{"data", data}}));
  expect_refused("twice", zip_of({{"data", data}, {"policy.pth", policy}, {"policy.pth", policy}}),
                 ErrorCode::corrupt_file);
  expect_refused("not an agent", zip_of({{"../data", data}, {"../policy.pth", policy}}));
  expect_refused("at most", zip_of({{"data", std::string(5 << 20, ' ')}, {"policy.pth", policy}}),
                 ErrorCode::too_large);
  expect_refused("not JSON", agent_zip("{\"a\": ", policy), ErrorCode::corrupt_file);
  expect_refused("deep", agent_zip(std::string(100'000, '['), policy));
  expect_refused(
      "'posix.system'",
      agent_zip(data, torch_zip({}, pickle::start +
                                        pickle::call(pickle::global("posix", "system"), {pickle::text("touch made")}) +
                                        ".")));
  expect_refused("does not begin like a file", agent_zip(data, "hello"));
}

TEST(AgentActivations, arguments_are_read_or_refused) {
  const auto parse = [](const std::string& text) { return parse_activation(text, "a.zip"); };
  const std::string leaky = "<class 'torch.nn.modules.activation.LeakyReLU'>",
                    elu = "<class 'torch.nn.modules.activation.ELU'>";
  EXPECT_EQ(parse(leaky).alpha, 0.01);
  EXPECT_EQ(parse("functools.partial(" + leaky + ", 0.3)").alpha, 0.3);
  EXPECT_EQ(parse("functools.partial(" + leaky + ", negative_slope=0.25, inplace=True)").alpha, 0.25);
  EXPECT_EQ(parse("functools.partial(" + elu + ", alpha=0.5)").alpha, 0.5);
  EXPECT_EQ(parse("functools.partial(" + elu + ")").alpha, 1);
  for (const std::string& bad : {"functools.partial(" + leaky + ", slope=0.3)", "functools.partial(" + leaky + ", x)",
                                 "functools.partial(" + elu + ", 1, 2)", leaky + ", 0.3",
                                 std::string("<class '__main__.ReLU'>"), std::string()}) {
    expect_error(ErrorCode::bad_format, "activation function", [&] { parse(bad); });
  }
}

TEST(AgentActivations, functions_are_those_of_torch) {
  const auto value = [](const std::string& name, double x) {
    GraphBuilder builder("a.zip", 17);
    builder.add_input("x", {1});
    add_activation(builder, activation_named(name, "a.zip"), "x", "y");
    builder.add_output("y");
    const Network network(builder.finish());
    double y = 0;
    const MatrixView<const double> inputs[]{{&x, 1, 1}};
    const MatrixView<double> outputs[]{{&y, 1, 1}};
    network.evaluate(inputs, outputs);
    return y;
  };
  for (const double x : {-2.5, -0.3, 0.0, 0.7, 3.0}) {
    const double sigmoid = 1 / (1 + std::exp(-x));
    EXPECT_NEAR(value("SiLU", x), x * sigmoid, 1e-6);
    EXPECT_NEAR(value("GELU", x), x * 0.5 * std::erfc(-x / std::numbers::sqrt2), 1e-6);
    EXPECT_NEAR(value("Mish", x), x * std::tanh(std::log1p(std::exp(x))), 1e-6);
    EXPECT_NEAR(value("ELU", x), x > 0 ? x : std::expm1(x), 1e-6);
    EXPECT_NEAR(value("LeakyReLU", x), x > 0 ? x : 0.01 * x, 1e-6);
    EXPECT_NEAR(value("Softsign", x), x / (1 + std::abs(x)), 1e-6);
    EXPECT_NEAR(value("Identity", x), x, 1e-6);
  }
}

}  // namespace
}  // namespace mercer
