#include <fstream>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "io/file.hpp"
#include "io/npz.hpp"
#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "support/errors.hpp"
#include "support/plain_rollout.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

Rollouts played(const char* spec, const RolloutOptions& options) {
  const auto env = make_env(spec);
  return rollout(*env, UniformPolicy(env->task()), options);
}

class RolloutsNpz : public testing::Test {
 protected:
  // A file that was written well, and then changed.
  void refused(ErrorCode code, const std::string& part, const std::function<void(Arrays&)>& change) {
    write_rollouts(folder_ / "r.npz", played("cart-pole", {.episodes = 3}));
    Arrays arrays = read_npz(folder_ / "r.npz");
    change(arrays);
    write_npz(folder_ / "r.npz", arrays);
    expect_error(code, part, [&] { read_rollouts(folder_ / "r.npz"); });
  }

  TemporaryFolder folder_;
};

TEST_F(RolloutsNpz, keeps_everything) {
  for (const char* spec : {"pendulum", "cart-pole", "chain"}) {
    for (const bool keep_steps : {true, false}) {
      const Rollouts before = played(spec, {.episodes = 5,
                                            .seed = std::numeric_limits<std::uint64_t>::max(),
                                            .gamma = 0.123456789012345678,
                                            .keep_steps = keep_steps});
      write_rollouts(folder_ / "r.npz", before);
      const Rollouts after = read_rollouts(folder_ / "r.npz");
      expect_same_numbers(before, after, spec);
      EXPECT_EQ(after.env, before.env);
      EXPECT_EQ(after.policy, before.policy);
      EXPECT_EQ(after.seed, before.seed);
      EXPECT_EQ(after.gamma, before.gamma);
      EXPECT_EQ(after.discrete_actions, before.discrete_actions);
      EXPECT_EQ(after.state_names, before.state_names);
      EXPECT_EQ(after.observation_names, before.observation_names);
      EXPECT_EQ(after.action_names, before.action_names);
      EXPECT_EQ(after.has_steps(), keep_steps);
    }
  }
}

TEST_F(RolloutsNpz, discrete_actions_are_whole_numbers_in_the_file) {
  write_rollouts(folder_ / "r.npz", played("cart-pole", {.episodes = 2}));
  const Arrays arrays = read_npz(folder_ / "r.npz");
  EXPECT_EQ(arrays.at("actions").type, Array::Type::i64);
  EXPECT_EQ(arrays.at("terminated").type, Array::Type::boolean);
  EXPECT_EQ(arrays.at("states").shape.size(), 2);
}

// A file name need not be valid UTF-8, and JSON must be.
TEST_F(RolloutsNpz, any_policy_name_can_be_written) {
  Rollouts rollouts = played("chain", {.episodes = 1});
  rollouts.policy = "tabular:caf\xe9.json";
  write_rollouts(folder_ / "r.npz", rollouts);
  EXPECT_TRUE(read_rollouts(folder_ / "r.npz").policy.starts_with("tabular:caf"));
}

TEST_F(RolloutsNpz, cut_short_is_corrupt) {
  write_rollouts(folder_ / "r.npz", played("cart-pole", {.episodes = 2, .horizon = 3}));
  const std::string whole = read_text(folder_ / "r.npz");
  for (std::size_t size = 0; size < whole.size(); size += size + 50 < whole.size() ? 37 : 1) {
    std::ofstream(folder_ / "cut.npz", std::ios::binary) << whole.substr(0, size);
    try {
      read_rollouts(folder_ / "cut.npz");
      ADD_FAILURE() << size << " of " << whole.size() << " bytes were read without an error";
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_code(), 3) << error.what();
      EXPECT_TRUE(size < 4 || error.code() == ErrorCode::corrupt_file) << size << ": " << error.what();
    }
  }
}

TEST_F(RolloutsNpz, refuses_what_does_not_fit_together) {
  const std::vector<std::int64_t> falling{0, 9, 5, 20}, late{1, 2, 3, 4};
  const std::vector<double> numbers(3, 0.5);
  refused(ErrorCode::bad_format, "has no array 'rewards'", [](Arrays& a) { a.erase("rewards"); });
  refused(ErrorCode::bad_format, "has no array 'meta'", [](Arrays& a) { a.erase("meta"); });
  refused(ErrorCode::bad_format, "offset 2 is less than the one before",
          [&](Arrays& a) { a["offsets"] = Array::of(falling, {4}); });
  refused(ErrorCode::bad_format, "does not start with 0", [&](Arrays& a) { a["offsets"] = Array::of(late, {4}); });
  refused(ErrorCode::bad_format, "integers are needed", [&](Arrays& a) { a["offsets"] = Array::of(numbers, {3}); });
  refused(ErrorCode::bad_format, "3 rewards for", [&](Arrays& a) { a["rewards"] = Array::of(numbers, {3}); });
  refused(ErrorCode::bad_format, "array 'states' has 3 numbers and needs",
          [&](Arrays& a) { a["states"] = Array::of(numbers, {3}); });
  refused(ErrorCode::bad_format, "array 'returns' has 2 numbers and needs 3 x 1",
          [&](Arrays& a) { a["returns"] = Array::of(std::span(numbers).first(2), {2}); });
}

TEST_F(RolloutsNpz, refuses_another_format_and_a_newer_version) {
  const auto with = [](const char* key, const nlohmann::json& value) {
    return [=](Arrays& arrays) {
      nlohmann::json meta = nlohmann::json::parse(arrays["meta"].as_text());
      meta[key] = value;
      arrays["meta"] = Array::of_text(meta.dump());
    };
  };
  refused(ErrorCode::bad_format, "it does not hold rollouts", with("format", "something"));
  refused(ErrorCode::bad_format, "it has format version 2 and this program reads up to 1", with("version", 2));
  refused(ErrorCode::bad_format, "its 'meta' cannot be read", with("state_names", 5));
  refused(ErrorCode::bad_format, "its 'meta' cannot be read", [](Arrays& a) { a["meta"] = Array::of_text("{"); });
  expect_error(ErrorCode::cannot_open, "gone.npz", [&] { read_rollouts(folder_ / "gone.npz"); });
}

}  // namespace
}  // namespace mercer
