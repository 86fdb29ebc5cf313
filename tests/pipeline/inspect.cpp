#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "io/npz.hpp"
#include "io/sha256.hpp"
#include "mercer/env.hpp"
#include "mercer/pipeline.hpp"
#include "pipeline/documents.hpp"
#include "support/agent_writer.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

const std::string data = MERCER_TEST_DATA;
const std::string actor = data + "/policies/pendulum_5000_actor.onnx";
const std::string dqn = data + "/policies/mc_dqn_120000_q.onnx";
const std::string small = data + "/export/pendulum_5000.mercer";

InspectResult look(const std::string& file, const std::string& env = {},
                   const std::vector<PolicySetting>& settings = {}) {
  InspectRequest request;
  request.policy = {file, settings};
  request.env = env;
  return inspect(request);
}

bool warns(const InspectResult& result, const std::string& part) {
  return std::ranges::any_of(result.warnings,
                             [&](const std::string& one) { return one.find(part) != std::string::npos; });
}

TEST(Inspect, a_network_without_a_task_shows_what_its_file_says) {
  const InspectResult result = look(actor);
  EXPECT_EQ(result.kind, "network");
  EXPECT_EQ(result.sha256, sha256_file(actor));
  ASSERT_FALSE(result.layers.empty());
  EXPECT_EQ(result.layers.front().inputs, 3U);
  EXPECT_EQ(result.inputs.front().size, 3U);
  EXPECT_FALSE(result.policy) << "a squashed Gaussian needs bounds";
  EXPECT_NE(result.missing.find("no known bounds to scale to"), std::string::npos) << result.missing;
  EXPECT_NE(result.missing.find("--env"), std::string::npos);
  const InspectResult scaled = look(actor, "", {{"scale", "2", "a test"}, {"centre", "0", "a test"}});
  ASSERT_TRUE(scaled.policy);
  EXPECT_TRUE(warns(scaled, "actions are never clipped: action0"));
  EXPECT_TRUE(warns(scaled, "observations without bounds: obs0, obs1, obs2"));
  EXPECT_TRUE(warns(scaled, "units of observations are unknown"));
  EXPECT_TRUE(warns(scaled, "control period is unknown"));
}

TEST(Inspect, a_task_gives_names_units_and_bounds) {
  const InspectResult result = look(actor, "pendulum");
  ASSERT_TRUE(result.policy);
  EXPECT_EQ(result.policy->contract().observation.axes[0].name, "cos_theta");
  EXPECT_TRUE(result.warnings.empty()) << result.warnings.front();
  EXPECT_NE(result.plays.find("squash tanh, scale 2, centre 0"), std::string::npos);
  expect_error(ErrorCode::shape_mismatch, "takes 3 numbers", [] { look(actor, "continuous-mountain-car"); });
}

TEST(Inspect, values_of_discrete_actions_play_without_a_task) {
  const InspectResult result = look(dqn);
  ASSERT_TRUE(result.policy);
  EXPECT_EQ(result.policy->action_space().count, 3U);
  EXPECT_NE(result.plays.find("greedy policy"), std::string::npos);
}

TEST(Inspect, tensors_tell_their_trainer_and_what_was_assumed) {
  const TemporaryFolder folder;
  TestTensors tensors{{"actor_logstd", {{1, 1}, {-0.5F}}}};
  const auto layer = [&](const std::string& name, std::int32_t outputs, std::int32_t inputs) {
    tensors[name + ".weight"] = {{outputs, inputs},
                                 std::vector<float>(static_cast<std::size_t>(outputs * inputs), 0.1F)};
    tensors[name + ".bias"] = {{outputs}, std::vector<float>(static_cast<std::size_t>(outputs), 0.2F)};
  };
  for (const std::string net : {"actor_mean", "critic"}) {
    layer(net + ".0", 4, 3), layer(net + ".2", 4, 4), layer(net + ".4", 1, 4);
  }
  const std::string file = (folder / "ppo.cleanrl_model").string();
  write_bytes(file, torch_zip(tensors));
  const InspectResult result = look(file);
  EXPECT_EQ(result.kind, "tensors");
  EXPECT_EQ(result.algorithm, "PPO of CleanRL");
  ASSERT_EQ(result.layers.size(), 3U);
  EXPECT_EQ(result.layers[1].name, "actor_mean.2");
  EXPECT_EQ(result.activation, "Tanh");
  ASSERT_TRUE(result.policy) << result.missing;
  EXPECT_TRUE(warns(result, "never clipped"));
  EXPECT_TRUE(warns(result, "normalises observations outside the network"));
}

TEST(Inspect, tables_and_files_of_other_kinds) {
  const TemporaryFolder folder;
  write_bytes(folder / "pi.json", R"({"pi": [[0.5, 0.5], [1, 0], [0.25, 0.75]]})");
  const InspectResult result = look((folder / "pi.json").string());
  EXPECT_EQ(result.kind, "table");
  EXPECT_EQ(result.plays, "table of 3 states and 2 actions");
  expect_error(ErrorCode::bad_value, "'x.txt' is not a policy file", [] { look("x.txt"); });
  expect_error(ErrorCode::missing_option, "no file was named", [] { look(""); });
  expect_error(ErrorCode::bad_value, "'temperature' is for networks", [] {
    look(small, "", {{"temperature", "1", "a test"}});
  });
}

TEST(Inspect, an_embedding_keeps_its_names) {
  const auto named = [](const char* key, const char* names) { look(small, "", {{key, names, "a test"}}); };
  named("names", "cos_theta,sin_theta,speed");
  named("action-names", "torque");
  expect_error(ErrorCode::bad_value, "names gives 'cos_theta' the name 'sin_theta'",
               [&] { named("names", "sin_theta,cos_theta,speed"); });
  expect_error(ErrorCode::bad_value, "action-names gives 'torque' the name 'speed'",
               [&] { named("action-names", "speed"); });
}

TEST(Inspect, an_embedding_shows_its_contract) {
  const InspectResult result = look(small, "pendulum");
  ASSERT_TRUE(result.embedding);
  const nlohmann::ordered_json shown = document(result);
  EXPECT_EQ(shown["contract"]["observation"]["axes"][2]["name"], "speed");
  EXPECT_EQ(shown["contract"]["observation"]["axes"][2]["unit"], "rad/s");
  EXPECT_EQ(shown["contract"]["dt"], 0.05);
  EXPECT_EQ(shown["sha256"], sha256_file(small));
  EXPECT_EQ(shown["payload_bytes"], result.embedding->embedding.payload().size());
  EXPECT_EQ(result.embedding->embedding.payload(), read_embedding(small).embedding.payload());
}

class Vectors : public testing::Test {
 protected:
  TestVectors make(const std::string& file, std::size_t count, const std::string& env = {}, std::uint64_t seed = 0,
                   const std::vector<PolicySetting>& settings = {}) {
    InspectRequest request;
    request.policy = {file, settings};
    request.env = env;
    request.test_vectors = count;
    request.seed = seed;
    request.out = (folder_ / "v").string();
    const InspectResult result = inspect(request);
    EXPECT_EQ(result.written, (std::vector<std::string>{request.out + ".json", request.out + ".npz"}));
    return read_test_vectors(request.out + ".json");
  }
  TemporaryFolder folder_;
};

TEST_F(Vectors, hold_edges_and_the_actions_of_the_policy) {
  const TestVectors made = make(actor, 64, "pendulum");
  ASSERT_EQ(made.count(), 64U);
  EXPECT_EQ(made.sha256, sha256_file(actor));
  EXPECT_TRUE(made.single_precision);
  const auto policy = make_policy(actor, make_env("pendulum")->task());
  double low = 0, high = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    const double* const row = made.observations.data() + 3 * i;
    double action = 0;
    policy->mean_action({row, 3, 1}, {&action, 1, 1});
    EXPECT_EQ(action, made.actions[i]) << i;
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_EQ(row[d], static_cast<double>(static_cast<float>(row[d])));
      EXPECT_LE(std::abs(row[d]), d == 2 ? 8 : 1);
    }
    low = std::min(low, row[2]), high = std::max(high, row[2]);
  }
  EXPECT_EQ(low, -8);
  EXPECT_EQ(high, 8);
  EXPECT_NEAR(made.tolerance[0], 4e-5, 1e-12);
  const Arrays arrays = read_npz(folder_ / "v.npz");
  EXPECT_EQ(arrays.at("observations").as_doubles(), made.observations);
  EXPECT_EQ(arrays.at("actions").as_doubles(), made.actions);
  EXPECT_EQ(arrays.at("tolerance").as_doubles(), made.tolerance);
  EXPECT_EQ(make(actor, 64, "pendulum").observations, made.observations) << "seeded";
  EXPECT_NE(make(actor, 64, "pendulum", 1).observations, made.observations);
}

TEST_F(Vectors, infinite_ranges_follow_the_normaliser) {
  const std::vector<PolicySetting> settings{
      {"scale", "2", "t"}, {"centre", "0", "t"}, {"obs-mean", "10;0;0", "t"}, {"obs-var", "100;1;4", "t"}};
  const TestVectors made = make(actor, 400, "", 0, settings);
  double mean = 0, squares = 0;
  std::size_t counted = 0;
  for (std::size_t i = 20; i < 400; ++i, ++counted) mean += made.observations[3 * i];
  mean /= static_cast<double>(counted);
  for (std::size_t i = 20; i < 400; ++i) squares += std::pow(made.observations[3 * i] - mean, 2);
  EXPECT_NEAR(mean, 10, 2);
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(counted)), 10, 1.5);
  EXPECT_NEAR(made.observations[3], 10 - 3 * 10, 1e-4) << "all lower edges, 3 spreads away";
}

TEST_F(Vectors, refusals) {
  expect_error(ErrorCode::missing_option, "no test vectors: ", [&] { make(actor, 4); });
  write_bytes(folder_ / "x.json", "{}");
  expect_error(ErrorCode::bad_format, "these are no test vectors", [&] { read_test_vectors(folder_ / "x.json"); });
  make(small, 4);
  std::string text = read_bytes(folder_ / "v.json");
  nlohmann::json document = nlohmann::json::parse(text);
  document["actions"].erase(0);
  write_bytes(folder_ / "x.json", document.dump());
  expect_error(ErrorCode::bad_format, "not of one number", [&] { read_test_vectors(folder_ / "x.json"); });
}

// Embeddings read raw observations: a teacher's normaliser is in their terms, not beside them.
TEST(Contract, an_embedding_holds_no_normaliser) {
  const TemporaryFolder folder;
  EmbedRequest request;
  request.task.env = "pendulum";
  request.teacher = {actor,
                     {{"obs-mean", "0.5;0;0", "a test"},
                      {"obs-var", "1;1;4", "a test"},
                      {"names", "c,s,omega", "a test"},
                      {"units", ",,rad/s", "a test"}}};
  request.rollouts = 5;
  request.episodes = 5;
  for (const Route route : {Route::continuous, Route::lattice}) {
    request.route = route;
    request.k = 4;
    request.continuous.rounds = 1;
    request.lattice.state_bins = {4};
    request.out = (folder / "p.mercer").string();
    const EmbedResult made = embed(request);
    const EmbeddingFile file = read_embedding(request.out);
    const auto teacher = make_policy(actor, make_env("pendulum")->task(), request.teacher.settings);
    EXPECT_FALSE(teacher->contract().normalisation.empty());
    EXPECT_TRUE(file.embedding.policy().contract().normalisation.empty());
    EXPECT_EQ(file.embedding.policy().contract().observation.axes[2].name, "omega");
    // The payload and the contract alone play: nothing else of the teacher is read.
    const Embedding again = decoded(file.embedding, "again");
    std::vector<double> state{0.3, -0.9, 2}, one{0}, other{0};
    file.embedding.policy().mean_action({state.data(), 3, 1}, {one.data(), 1, 1});
    again.policy().mean_action({state.data(), 3, 1}, {other.data(), 1, 1});
    EXPECT_EQ(one, other);
    // It still plays in its task, under names of its own.
    EXPECT_NO_THROW(make_policy(request.out, make_env("pendulum")->task()));
    EXPECT_EQ(resolve_origin(file, request.out).teacher->contract().observation.axes[2].name, "omega");
  }
}

}  // namespace
}  // namespace mercer
