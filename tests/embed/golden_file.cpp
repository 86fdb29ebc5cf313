// A file that version 1 wrote, and what it plays: later versions must read it and do the same.
//
// To make a new pair for a new version of the format (never to change an old one):
//   test_embed --gtest_also_run_disabled_tests --gtest_filter='GoldenFile.DISABLED_write'

#include <cmath>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "mercer/env.hpp"
#include "mercer/file.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "support/reference_pairs.hpp"

namespace mercer {
namespace {

const std::filesystem::path folder = std::filesystem::path(MERCER_TEST_DATA) / "embed";

// What a policy does in fixed states of the pendulum, whose last lie outside of any lattice.
struct Played {
  explicit Played(const Policy& policy) {
    for (std::size_t i = 0; i < count; ++i) {
      const double t = static_cast<double>(i);
      states[i] = std::cos(0.7 * t);
      states[count + i] = std::sin(0.7 * t);
      states[2 * count + i] = 0.4 * (t - 25);
      items[i] = i;
    }
    const MatrixView<const double> seen(states.data(), 3, count);
    policy.sample(seen, {1, Stage::action, 0, items}, {actions.data(), 1, count});
    policy.mean_action(seen, {means.data(), 1, count});
    policy.log_prob(seen, {actions.data(), 1, count}, log_prob);
  }
  static constexpr std::size_t count = 50;
  std::vector<double> states = std::vector<double>(3 * count);
  std::vector<std::uint64_t> items = std::vector<std::uint64_t>(count);
  std::vector<double> actions = std::vector<double>(count), means = actions, log_prob = actions;
};

void expect_near(const nlohmann::json& expected, const std::vector<double>& found, const std::string& what) {
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(expected[i].get<double>(), found[i], 1e-9) << what << ", state " << i;
  }
}

TEST(GoldenFile, of_version_1_plays_as_it_did) {
  const nlohmann::json expected = nlohmann::json::parse(std::ifstream(folder / "lattice_v1.json"));
  const auto env = make_env("pendulum");
  for (const char* const from : {"", ":from=coefficients"}) {
    const Played played(*make_policy((folder / "lattice_v1.mercer").string() + from, env->task()));
    expect_near(expected["states"], played.states, "states");
    expect_near(expected["actions"], played.actions, "actions");
    expect_near(expected["means"], played.means, "means");
    expect_near(expected["log_prob"], played.log_prob, "log_prob");
  }
}

TEST(GoldenFile, DISABLED_write) {
  const auto env = make_env("pendulum");
  const auto teacher = make_policy(ReferencePairs::file("pendulum_5000_actor.onnx").string(), env->task());
  LatticeOptions options = best_lattice();
  options.state_bins = {5, 5, 7};
  options.action_bins = {9};
  const Lattice lattice = make_lattice(*teacher, rollout(*env, *teacher, {.episodes = 20, .seed = 1}), options);
  const auto embedding = LatticeEmbedding::make(*teacher, lattice, options.playing, {.basis = "dct", .k = 60});
  write_embedding(folder / "lattice_v1.mercer", embedding, {"pendulum", "pendulum_5000_actor.onnx", 1, {{"k", "60"}}});
  const Played played(embedding.policy());
  const nlohmann::json told{
      {"states", played.states}, {"actions", played.actions}, {"means", played.means}, {"log_prob", played.log_prob}};
  std::ofstream(folder / "lattice_v1.json") << told.dump(1) << '\n';
}

}  // namespace
}  // namespace mercer
