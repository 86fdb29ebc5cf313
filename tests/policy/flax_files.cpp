#include "io/npz.hpp"
#include "io/safetensors.hpp"
#include "support/errors.hpp"
#include "support/flax_writer.hpp"
#include "support/policy_files.hpp"

// Parameters of flax, compared with an evaluation that follows the forward functions of their trainers.

namespace mercer {
namespace {

using FlaxFiles = PolicyFiles;

const std::vector<PolicySetting> silent{{"normaliser", "none", "a test"}, {"activation", "SiLU", "a test"}};

TestTensors brax_policy() {
  TestTensors net;
  add_layer(net, "hidden_0", 5, 3);
  add_layer(net, "hidden_1", 4, 5);
  add_layer(net, "hidden_2", 2, 4);
  return net;
}

std::string statistics(const std::vector<float>& mean, const std::vector<float>& std) {
  return msgpack::map({{"count", msgpack::map({{"hi", msgpack::number(0)}, {"lo", msgpack::number(7)}})},
                       {"mean", msgpack::array({{3}, mean})},
                       {"std", msgpack::array({{3}, std})},
                       {"summed_variance", msgpack::array({{3}, std})}});
}

TEST_F(FlaxFiles, ppo_of_brax) {
  const TestTensors net = brax_policy();
  const std::string parameters = msgpack::map({{"params", msgpack::layers(net)}});
  const std::string file =
      msgpack::map({{"0", statistics({0.5F, 0, 1}, {2, 1, 0.5F})}, {"1", parameters}, {"2", parameters}});
  const auto policy = load(file, "pendulum", {}, "brax.msgpack");
  EXPECT_NE(warnings_.find("SiLU, the usual one of Brax, is assumed"), std::string::npos);
  EXPECT_NE(warnings_.find("not whether it normalises by them"), std::string::npos);
  EXPECT_NE(reading_.find("Brax; layers 1.params.hidden_0"), std::string::npos) << reading_;
  for (const Vector& x : probed) {
    const Vector seen{(x[0] - 0.5) / 2, x[1], (x[2] - 1) / 0.5};
    const Vector out =
        linear(net, "hidden_2", mapped(linear(net, "hidden_1", mapped(linear(net, "hidden_0", seen), silu)), silu));
    EXPECT_NEAR(act(*policy, x), 2 * std::tanh(out[0]), 1e-5);
    const double std = std::log1p(std::exp(out[1])) + 0.001, z = 0.3;
    const double wanted = normal(std::atanh(z), out[0], std::log(std)) - std::log(2 * (1 - z * z));
    EXPECT_NEAR(density(*policy, x, 2 * z), wanted, 1e-4 * (1 + std::abs(wanted)));
  }
  const auto plain = load(parameters, "pendulum", silent, "bare.msgpack");
  EXPECT_EQ(warnings_, "");
  const Vector out =
      linear(net, "hidden_2", mapped(linear(net, "hidden_1", mapped(linear(net, "hidden_0", probed[0]), silu)), silu));
  EXPECT_NEAR(act(*plain, probed[0]), 2 * std::tanh(out[0]), 1e-5);
}

TEST_F(FlaxFiles, brax_without_tanh) {
  TestTensors net, head;
  add_layer(net, "hidden_0", 5, 3);
  add_layer(net, "hidden_1", 4, 5);
  add_layer(head, "Dense_0", 1, 4);
  const auto parameters = [&](const std::string& key, const std::string& name, float spread) {
    const std::string layer = msgpack::layers(head).substr(1);  // without the map's own byte
    return "\x83" + layer + msgpack::text("MLP_0") + msgpack::layers(net) + msgpack::text(key) +
           msgpack::map({{name, msgpack::array({{1}, {spread}})}});
  };
  const std::string values = msgpack::map({{"params", msgpack::layers(brax_policy())}});
  for (const bool log : {false, true}) {
    const std::string own =
        log ? parameters("std_logparam", "log_value", -0.5F) : parameters("std_param", "value", 0.25F);
    const auto policy = load(
        msgpack::map({{"0", statistics({0, 0, 0}, {1, 1, 1})}, {"1", msgpack::map({{"params", own}})}, {"2", values}}),
        "pendulum", {{"activation", "swish", "a test"}}, "n.msgpack");
    for (const Vector& x : probed) {
      const double mean =
          linear(head, "Dense_0", mapped(linear(net, "hidden_1", mapped(linear(net, "hidden_0", x), silu)), silu))[0];
      EXPECT_NEAR(act(*policy, x), 2 * std::clamp(mean, -1.0, 1.0), 1e-5);
      EXPECT_NEAR(density(*policy, x, 0.2), normal(0.1, mean, log ? -0.5 : std::log(0.25)) - std::log(2.0), 1e-4);
    }
  }
}

TEST_F(FlaxFiles, norms_of_brax_follow_the_activation_with_the_epsilon_of_flax) {
  TestTensors net = brax_policy();
  net["LayerNorm_0.weight"] = {{5}, {1, 2, -1, 0.5F, 1}};
  net["LayerNorm_0.bias"] = {{5}, {0, 0.1F, 0, -0.1F, 0}};
  // Nearly equal numbers, so that epsilon counts.
  net["hidden_0.weight"].values.assign(15, 0.001F);
  net["hidden_0.bias"].values = {1, 1.001F, 1.002F, 1, 1};
  const auto policy = load(msgpack::map({{"params", msgpack::layers(net)}}), "pendulum", silent, "b.msgpack");
  for (const Vector& x : probed) {
    const Vector y = layer_norm(net, "LayerNorm_0", mapped(linear(net, "hidden_0", x), silu), 1e-6);
    EXPECT_NEAR(act(*policy, x), 2 * std::tanh(linear(net, "hidden_2", mapped(linear(net, "hidden_1", y), silu))[0]),
                2e-4);
  }
}

TEST_F(FlaxFiles, td3_and_dqn_of_cleanrl) {
  TestTensors actor, critic, q;
  const auto chain = [](TestTensors& net, std::int32_t inputs, std::int32_t outputs) {
    add_layer(net, "Dense_0", 5, inputs);
    add_layer(net, "Dense_1", 4, 5);
    add_layer(net, "Dense_2", outputs, 4);
  };
  const auto forward = [](const TestTensors& net, const Vector& x) {
    return linear(net, "Dense_2", mapped(linear(net, "Dense_1", mapped(linear(net, "Dense_0", x), relu)), relu));
  };
  const auto parameters = [](const TestTensors& net) { return msgpack::map({{"params", msgpack::layers(net)}}); };
  chain(actor, 3, 1);
  chain(critic, 4, 1);
  chain(q, 4, 2);
  const auto td3 = load(msgpack::map({{"0", parameters(actor)}, {"1", parameters(critic)}, {"2", parameters(critic)}}),
                        "pendulum", {}, "td3.cleanrl_model");
  EXPECT_NE(reading_.find("TD3 or DDPG of CleanRL (jax)"), std::string::npos);
  for (const Vector& x : probed) EXPECT_NEAR(act(*td3, x), 2 * std::tanh(forward(actor, x)[0]), 1e-5);
  const auto dqn = load(parameters(q), "cart-pole", {}, "dqn.cleanrl_model");
  EXPECT_EQ(warnings_, "");
  for (const double angle : {-0.2, -0.1, 0.0, 0.1, 0.2}) {
    const Vector seen{0.1, -0.4, angle, 5 * angle}, values = forward(q, seen);
    EXPECT_EQ(act(*dqn, seen), values[1] > values[0] ? 1 : 0);
  }
  // The same names in a file of nobody's: what the last layer gives must be named.
  expect_error(ErrorCode::bad_format, "params.Dense_0.weight (5x4)",
               [&] { load(parameters(q), "cart-pole", {}, "q.msgpack"); });
  const auto named = load(parameters(actor), "pendulum",
                          {{"layers", "params.Dense_0,params.Dense_1", "a test"},
                           {"activation", "GELUTanh", "a test"},
                           {"action", "params.Dense_2", "a test"}},
                          "a.msgpack");
  const auto gelu = [](double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
  };
  for (const Vector& x : probed) {
    const Vector y = mapped(linear(actor, "Dense_1", mapped(linear(actor, "Dense_0", x), gelu)), gelu);
    EXPECT_NEAR(act(*named, x), std::clamp(linear(actor, "Dense_2", y)[0], -2.0, 2.0), 1e-5);
  }
}

TEST_F(FlaxFiles, arrays_of_numpy_are_networks_and_tables) {
  TestTensors net{{"action_scale", {{1}, {2}}}, {"action_bias", {{1}, {0}}}};
  add_layer(net, "fc1", 5, 3);
  add_layer(net, "fc2", 4, 5);
  add_layer(net, "fc_mu", 1, 4);
  Arrays arrays;
  for (const auto& [name, tensor] : net) {
    arrays[name] = Array::of(tensor.values, {tensor.shape.begin(), tensor.shape.end()});
  }
  const std::string file = (folder_ / "a.npz").string();
  write_npz(file, arrays);
  const auto policy = make_policy(file, make_env("pendulum")->task(), {}, &reading_);
  EXPECT_TRUE(is_network_file(file));
  EXPECT_NE(reading_.find("TD3 or DDPG of CleanRL"), std::string::npos);
  for (const Vector& x : probed) {
    const Vector hidden = mapped(linear(net, "fc2", mapped(linear(net, "fc1", x), relu)), relu);
    EXPECT_NEAR(act(*policy, x), 2 * std::tanh(linear(net, "fc_mu", hidden)[0]), 1e-5);
  }
  const std::string table = (folder_ / "pi.npz").string();
  const Vector pi{0.5, 0.5};
  write_npz(table, {{"pi", Array::of(pi, {1, 2})}});
  EXPECT_FALSE(is_network_file(table));
  expect_error(ErrorCode::shape_mismatch, "is a table", [&] { make_policy(table, make_env("pendulum")->task()); });
}

}  // namespace
}  // namespace mercer
