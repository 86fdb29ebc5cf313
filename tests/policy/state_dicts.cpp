#include "io/safetensors.hpp"
#include "support/errors.hpp"
#include "support/policy_files.hpp"

// Files as trainers write them, compared with an evaluation that follows their forward functions line by line.

namespace mercer {
namespace {

using StateDicts = PolicyFiles;

TEST_F(StateDicts, ppo_of_cleanrl) {
  TestTensors tensors{{"actor_logstd", {{1, 1}, {-0.5F}}}};
  add_three(tensors, "actor_mean", 3, 1);
  add_three(tensors, "critic", 3, 1);
  const auto policy = load(torch_zip(tensors), "pendulum", {}, "ppo.cleanrl_model");
  EXPECT_NE(warnings_.find("NormalizeObservation"), std::string::npos);
  EXPECT_NE(reading_.find("PPO of CleanRL; layers actor_mean.0, actor_mean.2, actor_mean.4 with Tanh"),
            std::string::npos);
  for (const Vector& x : probed) {
    const double mean = three(tensors, "actor_mean", x, tanh_of)[0];
    EXPECT_NEAR(act(*policy, x), std::clamp(mean, -2.0, 2.0), 1e-6);
    EXPECT_NEAR(density(*policy, x, 0.25), normal(0.25, mean, -0.5), 1e-5);
  }
  load(torch_legacy(tensors), "pendulum", {{"normaliser", "none", "a test"}});
  EXPECT_EQ(warnings_, "");
}

TEST_F(StateDicts, discrete_ppo_and_dqn_of_cleanrl) {
  const Vector x{0.1, -0.4, 0.03, 0.6};
  TestTensors ppo, dqn;
  add_three(ppo, "actor", 4, 2);
  add_three(ppo, "critic", 4, 1);
  const Vector logits = three(ppo, "actor", x, tanh_of);
  const double share = std::log(std::exp(logits[0]) + std::exp(logits[1]));
  const auto drawn = load(torch_zip(ppo), "cart-pole");
  for (const int a : {0, 1}) {
    EXPECT_NEAR(density(*drawn, x, a), logits[static_cast<std::size_t>(a)] - share, 1e-6);
  }
  add_three(dqn, "network", 4, 2);
  const auto greedy = load(torch_zip(dqn), "cart-pole");
  for (const double angle : {-0.2, -0.1, 0.0, 0.1, 0.2}) {
    const Vector seen{0.1, -0.4, angle, 5 * angle}, q = three(dqn, "network", seen, relu);
    EXPECT_EQ(act(*greedy, seen), q[1] > q[0] ? 1 : 0);
  }
  EXPECT_EQ(warnings_, "");
  dqn["atoms"] = {{3}, {0, 1, 2}};
  expect_error(ErrorCode::bad_format, "C51", [&] { load(torch_zip(dqn), "cart-pole"); });
}

TEST_F(StateDicts, sac_and_td3_of_cleanrl_bring_their_scale) {
  TestTensors sac{{"action_scale", {{1}, {2}}}, {"action_bias", {{1}, {0}}}};
  add_layer(sac, "fc1", 5, 3);
  add_layer(sac, "fc2", 4, 5);
  TestTensors td3 = sac;
  add_layer(sac, "fc_mean", 1, 4);
  add_layer(sac, "fc_logstd", 1, 4);
  add_layer(td3, "fc_mu", 1, 4);
  TestTensors critic;
  add_layer(critic, "fc1", 5, 4);
  add_layer(critic, "fc2", 4, 5);
  add_layer(critic, "fc3", 1, 4);
  const auto gaussian = load(torch_zip(sac), "pendulum");
  const auto plain = load(torch_nested({{"", td3}, {"", critic}}, true), "pendulum");
  for (const Vector& x : probed) {
    const Vector hidden = mapped(linear(sac, "fc2", mapped(linear(sac, "fc1", x), relu)), relu);
    const double mean = linear(sac, "fc_mean", hidden)[0];
    const double log_std = -5 + 0.5 * (2 + 5) * (std::tanh(linear(sac, "fc_logstd", hidden)[0]) + 1);
    EXPECT_NEAR(act(*gaussian, x), 2 * std::tanh(mean), 1e-5);
    const double z = 0.3, u = std::atanh(z);
    const double wanted = normal(u, mean, log_std) - std::log(2 * (1 - z * z));
    EXPECT_NEAR(density(*gaussian, x, 2 * z), wanted, 1e-4 * (1 + std::abs(wanted)));
    EXPECT_NEAR(act(*plain, x), 2 * std::tanh(linear(td3, "fc_mu", hidden)[0]), 1e-5);
  }
  EXPECT_EQ(warnings_, "");
  td3["action_scale"].values = {1};
  expect_error(ErrorCode::shape_mismatch, "from -1 to 1 and that of task 'pendulum' from -2 to 2",
               [&] { load(torch_zip(td3), "pendulum"); });
}

TEST_F(StateDicts, rsl_rl_of_three_generations) {
  TestTensors net{{"std", {{1}, {0.5F}}}}, newest{{"distribution.std_param", {{1}, {0.5F}}}};
  add_three(net, "actor", 3, 1);
  add_three(net, "critic", 3, 1);
  for (const char* const layer : {".0", ".2", ".4"}) {
    for (const char* const part : {".weight", ".bias"}) {
      newest[std::string("mlp") + layer + part] = net.at(std::string("actor") + layer + part);
    }
  }
  const TestTensors statistics{
      {"_mean", {{1, 3}, {0.5F, -0.25F, 1}}}, {"_var", {{1, 3}, {4, 0.25F, 1}}}, {"_std", {{1, 3}, {2, 0.5F, 1}}}};
  TestTensors within = net;
  for (const auto& [name, tensor] : statistics) {
    within["actor_obs_normalizer." + name] = tensor;
    newest["obs_normalizer." + name] = tensor;
  }
  const std::string files[] = {torch_nested({{"model_state_dict", net}, {"obs_norm_state_dict", statistics}}),
                               torch_nested({{"model_state_dict", within}}),
                               torch_nested({{"actor_state_dict", newest}, {"critic_state_dict", newest}})};
  for (const std::string& file : files) {
    const auto policy = load(file, "pendulum");
    EXPECT_NE(warnings_.find("ELU, the usual one of rsl_rl, is assumed"), std::string::npos);
    for (const Vector& x : probed) {
      const Vector seen{(x[0] - 0.5) / 2.01, (x[1] + 0.25) / 0.51, (x[2] - 1) / 1.01};
      const double mean = three(net, "actor", seen, elu)[0];
      EXPECT_NEAR(act(*policy, x), std::clamp(mean, -2.0, 2.0), 1e-5);
      EXPECT_NEAR(density(*policy, x, 0.25), normal(0.25, mean, std::log(0.5)), 1e-4);
    }
  }
  newest.erase("distribution.std_param");
  expect_error(ErrorCode::bad_format, "Beta", [&] { load(torch_nested({{"actor_state_dict", newest}}), "pendulum"); });
  const auto other = load(torch_nested({{"model_state_dict", net}}), "pendulum", {{"activation", "tanh", "a test"}});
  EXPECT_EQ(warnings_, "");
  EXPECT_NEAR(act(*other, probed[0]), std::clamp(three(net, "actor", probed[0], tanh_of)[0], -2.0, 2.0), 1e-5);
}

TEST_F(StateDicts, rl_games_with_its_normaliser_and_bounds) {
  TestTensors net{{"a2c_network.sigma", {{1}, {-1}}},
                  {"running_mean_std.running_mean", {{3}, {0.5F, 0, 1}}},
                  {"running_mean_std.running_var", {{3}, {4, 1, 0.25F}}}};
  add_layer(net, "a2c_network.actor_mlp.0", 5, 3);
  add_layer(net, "a2c_network.actor_mlp.2", 4, 5);
  add_layer(net, "a2c_network.mu", 1, 4);
  add_layer(net, "a2c_network.value", 1, 4);
  const auto policy = load(torch_nested({{"model", net}}), "pendulum", {{"activation", "ELU", "a test"}}, "a.pth");
  EXPECT_EQ(warnings_, "");
  for (const Vector& x : probed) {
    Vector seen(3);
    const double mean[] = {0.5, 0, 1}, var[] = {4, 1, 0.25};
    for (std::size_t d = 0; d < 3; ++d) seen[d] = std::clamp((x[d] - mean[d]) / std::sqrt(var[d] + 1e-5), -5.0, 5.0);
    const Vector hidden =
        mapped(linear(net, "a2c_network.actor_mlp.2", mapped(linear(net, "a2c_network.actor_mlp.0", seen), elu)), elu);
    EXPECT_NEAR(act(*policy, x), 2 * std::clamp(linear(net, "a2c_network.mu", hidden)[0], -1.0, 1.0), 1e-5);
  }
  // Early versions keep the statistics beside the model, and a norm comes behind the activation.
  TestTensors bare, beside;
  for (const auto& [name, tensor] : net) {
    const std::string own = "running_mean_std.";
    (name.starts_with(own) ? beside[name.substr(own.size())] : bare[name]) = tensor;
  }
  const auto early = load(torch_nested({{"model", bare}, {"running_mean_std", beside}}), "pendulum",
                          {{"activation", "ELU", "a test"}});
  for (const Vector& x : probed) EXPECT_EQ(act(*early, x), act(*policy, x));
  bare["a2c_network.actor_mlp.4.weight"] = {{4}, {1, 2, -1, 0.5F}};
  bare["a2c_network.actor_mlp.4.bias"] = {{4}, {0, 0.1F, 0, -0.1F}};
  const auto normed = load(torch_nested({{"model", bare}}), "pendulum", {{"activation", "ELU", "a test"}});
  for (const Vector& x : probed) {
    Vector y =
        mapped(linear(bare, "a2c_network.actor_mlp.2", mapped(linear(bare, "a2c_network.actor_mlp.0", x), elu)), elu);
    y = layer_norm(bare, "a2c_network.actor_mlp.4", y, 1e-5);
    EXPECT_NEAR(act(*normed, x), 2 * std::clamp(linear(bare, "a2c_network.mu", y)[0], -1.0, 1.0), 1e-5);
  }
  bare["a2c_network.actor_mlp.4.running_mean"] = {{4}, {0, 0, 0, 0}};
  expect_error(ErrorCode::bad_format, "BatchNorm", [&] {
    load(torch_nested({{"model", bare}}), "pendulum", {{"activation", "ELU", "a test"}});
  });
  net["a2c_network.rnn.rnn.weight_ih_l0"] = {{1, 1}, {1}};
  expect_error(ErrorCode::bad_format, "recurrent", [&] { load(torch_nested({{"model", net}}), "pendulum"); });
}

TEST_F(StateDicts, settings_describe_other_files) {
  TestTensors net{{"norm.weight", {{4}, {1, 2, 1, 0.5F}}}, {"norm.bias", {{4}, {0, 0.1F, 0, -0.1F}}}};
  add_layer(net, "body", 4, 3);
  add_layer(net, "head", 1, 4);
  const auto wanted = [&](const Vector& x) {
    const Vector y = mapped(layer_norm(net, "norm", linear(net, "body", x), 1e-5),
                            [](double number) { return number > 0 ? number : 0.2 * number; });
    return linear(net, "head", y)[0];
  };
  const std::string file = torch_zip(net);
  expect_error(ErrorCode::bad_format, "no known trainer: body.bias (4), body.weight (4x3)",
               [&] { load(file, "pendulum"); });
  expect_error(ErrorCode::missing_option, "activation function", [&] {
    load(file, "pendulum", {{"layers", "body,norm", "a test"}, {"action", "head", "a test"}});
  });
  expect_error(ErrorCode::missing_option, "output layer", [&] {
    load(file, "pendulum", {{"layers", "body,norm", "a test"}});
  });
  expect_error(ErrorCode::unknown_name, "no layer of ", [&] {
    load(file, "pendulum", {{"layers", "bodi", "a"}, {"action", "head", "a"}, {"activation", "ReLU", "a"}});
  });
  expect_error(ErrorCode::unknown_name, "no activation is called 'Step'", [&] {
    load(file, "pendulum", {{"layers", "body", "a"}, {"action", "head", "a"}, {"activation", "Step", "a"}});
  });
  write_bytes(folder_ / "net.toml",
              "layers = [\"body\", \"norm\"]\nactivation = \"LeakyReLU(0.2)\"\naction = \"head\"\n");
  Arrays arrays;
  for (const auto& [name, tensor] : net) {
    arrays[name] = Array::of(tensor.values, {tensor.shape.begin(), tensor.shape.end()});
  }
  write_safetensors(folder_ / "net.safetensors", {arrays, {}});
  const auto beside = make_policy((folder_ / "net.safetensors").string(), make_env("pendulum")->task());
  const auto named = load(file, "pendulum", {{"layers", (folder_ / "net.toml").string(), "a test"}}, "other.pt");
  for (const Vector& x : probed) {
    EXPECT_NEAR(act(*beside, x), std::clamp(wanted(x), -2.0, 2.0), 1e-5);
    EXPECT_NEAR(act(*named, x), act(*beside, x), 1e-12);
  }
  EXPECT_EQ(warnings_, "");
  // A layer that nobody names would be left out in silence. Those of critics stand under names of their own.
  add_layer(net, "critic.0", 4, 3);
  load(torch_zip(net), "pendulum", {{"layers", "body", "a"}, {"action", "head", "a"}, {"activation", "ReLU", "a"}});
  EXPECT_NE(warnings_.find("the layers norm are not used"), std::string::npos) << warnings_;
}

}  // namespace
}  // namespace mercer
