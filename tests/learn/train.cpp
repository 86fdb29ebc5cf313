#include "mercer/train.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "io/safetensors.hpp"
#include "mercer/env.hpp"
#include "mercer/parallel.hpp"
#include "mercer/policy.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

template <class Options>
Options tiny() {
  Options options;
  options.hidden = {16, 8};
  options.batch_size = 20;
  options.warmup = 30;
  return options;
}

// Runs of a few hundred steps, in folders of one test.
class Train : public testing::Test {
 protected:
  TrainOptions options(const std::string& name, const std::string& task = "pendulum") {
    TrainOptions options;
    options.env = task == "ars" ? "pendulum" : task;
    options.seed = 3;
    options.steps = 300;
    options.snapshots = {100, 200};
    options.folder = folder_ / name;
    if (task == "cart-pole") {
      DqnOptions dqn = tiny<DqnOptions>();
      dqn.epsilon_run = 4;
      dqn.epsilon_steps = 200;
      options.algorithm = dqn;
    } else if (task == "ars") {
      options.algorithm = ArsOptions{3, 2, 0.1, 0.1};
      options.steps = 5000;
      options.snapshots = {1, 1300};
    } else if (task == "quadrotor") {  // of the size of physics tasks
      SacOptions sac;
      sac.hidden = {128, 128};
      sac.batch_size = 64;
      sac.warmup = 30;
      sac.train_every = 3;
      options.algorithm = sac;
    } else {
      SacOptions sac = tiny<SacOptions>();
      sac.noise_correlation = 0.5;
      sac.buffer = 120;  // wraps around
      options.algorithm = sac;
    }
    return options;
  }
  static TrainResult run(const TrainOptions& options, const Progress& progress = {}) {
    return train(*make_env(options.env), options, progress);
  }
  // Stops the run when this fraction is done; the progress sink is called after every step.
  static void run_until(double fraction, const TrainOptions& options) {
    std::stop_source stop;
    Progress progress{[&](std::string_view, double done) {
                        if (done >= fraction) stop.request_stop();
                      },
                      stop.get_token()};
    expect_error(ErrorCode::interrupted, "", [&] { run(options, progress); });
  }
  static std::vector<std::string> bytes_of(const TrainResult& result) {
    std::vector<std::string> bytes;
    for (const Snapshot& snapshot : result.snapshots) bytes.push_back(read_bytes(snapshot.file));
    return bytes;
  }
  const TemporaryFolder folder_;
};

TEST_F(Train, keeps_the_snapshots_that_were_asked_for) {
  const TrainResult result = run(options("a"));
  EXPECT_EQ(result.steps, 300U);
  ASSERT_EQ(result.snapshots.size(), 3U);
  std::vector<std::string> names = names_in(folder_ / "a");
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{".lock", "checkpoint.safetensors", "policy.safetensors", "run.json",
                                             "snapshot_000100.safetensors", "snapshot_000200.safetensors",
                                             "snapshot_000300.safetensors"}));
  const Safetensors file = read_safetensors(result.snapshots[1].file);
  const auto document = nlohmann::json::parse(file.metadata.at("mercer"));
  EXPECT_EQ(document["format"], 1);
  EXPECT_EQ(document["kind"], "sac");
  EXPECT_EQ(document["env"], "pendulum");
  EXPECT_EQ(document["step"], 200);
  EXPECT_EQ(document["hidden"], (std::vector<int>{16, 8}));
  EXPECT_EQ(document["replay"]["cursor"], 200 - 120);
  EXPECT_EQ(document["replay"]["size"], 120);
  EXPECT_EQ(document["options"]["gamma"], 0.99);
  EXPECT_EQ(document["contract"]["scale"], std::vector<double>{2});
  EXPECT_EQ(file.tensors.at("actor.0.weight").shape, (std::vector<std::size_t>{16, 3}));
  EXPECT_EQ(file.tensors.at("actor.2.weight").shape, (std::vector<std::size_t>{2, 8}));
  EXPECT_EQ(file.tensors.at("q2_target.0.weight").shape, (std::vector<std::size_t>{16, 4}));
  EXPECT_EQ(file.tensors.at("adam.q1.v.2.bias").shape, (std::vector<std::size_t>{1}));
}

// What acts, and nothing else: the file to hand on.
TEST_F(Train, the_policy_is_the_last_snapshot_without_what_only_training_needs) {
  for (const std::string task : {"pendulum", "cart-pole"}) {
    const TrainResult result = run(options(task, task));
    const Safetensors policy = read_safetensors(result.policy);
    const Safetensors last = read_safetensors(result.snapshots.back().file);
    EXPECT_EQ(policy.metadata, last.metadata);
    EXPECT_EQ(policy.tensors.size(), 6U);  // weights and biases of three layers
    for (const auto& [name, array] : policy.tensors) EXPECT_EQ(array.data, last.tensors.at(name).data) << name;
    const auto env = make_env(task);
    EXPECT_NO_THROW(make_policy(result.policy.string(), env->task()));
    std::filesystem::remove(result.policy);
    run(options(task, task));  // a finished run writes it again
    EXPECT_EQ(read_safetensors(result.policy).tensors.size(), 6U);
  }
}

TEST_F(Train, the_same_bits_on_one_thread_and_on_two) {
  for (const std::string task : {"pendulum", "cart-pole", "quadrotor", "ars"}) {
    std::vector<std::vector<std::string>> bytes;
    for (const std::size_t threads : {1U, 2U}) {
      const ThreadLimit limit(threads);
      bytes.push_back(bytes_of(run(options(task + std::to_string(threads), task))));
    }
    EXPECT_EQ(bytes[0], bytes[1]) << task;
    EXPECT_NE(bytes[0][1], bytes[0][2]);
  }
}

TEST_F(Train, another_seed_gives_other_weights) {
  TrainOptions other = options("b");
  other.seed = 4;
  EXPECT_NE(bytes_of(run(options("a"))), bytes_of(run(other)));
}

// Stopped in the warm-up, on a snapshot, in the middle and before the last step; the checkpoint holds all there is.
TEST_F(Train, goes_on_to_the_same_bits_after_a_stop) {
  for (const std::string task : {"pendulum", "cart-pole", "quadrotor"}) {
    const auto whole = bytes_of(run(options(task, task)));
    for (const int stop : {1, 29, 100, 177, 299}) {
      const TrainOptions again = options(task + std::to_string(stop), task);
      run_until(stop / 300.0 - 1e-9, again);
      const TrainResult result = run(again);
      EXPECT_EQ(result.resumed_from, static_cast<std::uint64_t>(stop));
      EXPECT_EQ(bytes_of(result), whole) << task << " stopped after " << stop;
    }
  }
}

// An iteration is 6 episodes of 200 steps; a run stops between two.
TEST_F(Train, a_search_goes_on_to_the_same_bits_after_a_stop) {
  const TrainResult whole = run(options("whole", "ars"));
  EXPECT_EQ(whole.steps, 6000U);
  for (const double fraction : {0.1, 0.3, 0.9}) {
    const TrainOptions again = options("stopped" + std::to_string(fraction), "ars");
    run_until(fraction, again);
    const TrainResult result = run(again);
    EXPECT_GT(result.resumed_from, 0U);
    EXPECT_EQ(bytes_of(result), bytes_of(whole)) << fraction;
  }
}

TEST_F(Train, a_longer_search_is_the_shorter_one_continued) {
  run(options("a", "ars"));
  TrainOptions longer = options("a", "ars"), at_once = options("b", "ars");
  longer.steps = at_once.steps = 8000;
  EXPECT_EQ(run(longer).resumed_from, 6000U);
  run(at_once);
  EXPECT_EQ(read_bytes(folder_ / "a/policy.safetensors"), read_bytes(folder_ / "b/policy.safetensors"));
  EXPECT_EQ(read_bytes(folder_ / "a/snapshot_008000.safetensors"),
            read_bytes(folder_ / "b/snapshot_008000.safetensors"));
}

// A snapshot keeps the first weights that have played as many steps; it is a linear policy of observations as they are.
TEST_F(Train, snapshots_of_a_search) {
  const TrainResult result = run(options("a", "ars"));
  const auto step_of = [](const Snapshot& snapshot) {
    return nlohmann::json::parse(read_safetensors(snapshot.file).metadata.at("mercer"))["step"].get<int>();
  };
  ASSERT_EQ(result.snapshots.size(), 3U);
  EXPECT_EQ(step_of(result.snapshots[0]), 1200);
  EXPECT_EQ(step_of(result.snapshots[1]), 2400);
  EXPECT_EQ(step_of(result.snapshots[2]), 6000);
  const Safetensors file = read_safetensors(result.snapshots[2].file);
  const std::vector<double> weights = file.tensors.at("actor.0.weight").as_doubles();
  const double bias = file.tensors.at("actor.0.bias").as_doubles()[0];
  const auto env = make_env("pendulum");
  const auto policy = make_policy(result.snapshots[2].file.string(), env->task());
  const std::vector<double> observation{0.6, -0.8, 0.01};
  double action = 0, expected = bias;
  policy->mean_action({observation.data(), 3, 1}, {&action, 1, 1});
  for (std::size_t i = 0; i < 3; ++i) expected += weights[i] * observation[i];
  EXPECT_NEAR(action, 2 * std::clamp(expected, -1.0, 1.0), 1e-5);
  expect_error(ErrorCode::bad_format, "no critics",
               [&] { make_policy(result.policy.string() + ":temperature=1", env->task()); });
}

TEST_F(Train, how_often_checkpoints_are_written_changes_nothing) {
  TrainOptions often = options("often");
  often.checkpoint_seconds = 0;
  EXPECT_EQ(bytes_of(run(often)), bytes_of(run(options("seldom"))));
}

TEST_F(Train, a_finished_run_is_done_and_a_longer_one_goes_on) {
  const auto whole = bytes_of(run(options("a")));
  const TrainResult again = run(options("a"));
  EXPECT_EQ(again.resumed_from, 300U);
  EXPECT_EQ(bytes_of(again), whole);
  TrainOptions longer = options("a");
  longer.steps = 400;
  const TrainResult continued = run(longer);
  EXPECT_EQ(continued.resumed_from, 300U);
  TrainOptions at_once = options("b");
  at_once.steps = 400;
  run(at_once);
  EXPECT_EQ(read_bytes(folder_ / "a/snapshot_000400.safetensors"),
            read_bytes(folder_ / "b/snapshot_000400.safetensors"));
}

TEST_F(Train, refuses_a_folder_with_another_run_unless_forced) {
  run(options("a"));
  TrainOptions other = options("a");
  std::get<SacOptions>(other.algorithm).gamma = 0.9;
  expect_error(ErrorCode::bad_value, "options.gamma 0.99 and 0.9", [&] { run(other); });
  EXPECT_EQ(run(options("a")).resumed_from, 300U);  // it is untouched
  other.force = true;
  other.snapshots = {};
  EXPECT_EQ(run(other).resumed_from, 0U);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a/snapshot_000100.safetensors"));
}

TEST_F(Train, refuses_snapshots_of_steps_that_have_passed) {
  run(options("a"));
  TrainOptions other = options("a");
  other.snapshots = {150};
  expect_error(ErrorCode::bad_value, "passed 300 steps", [&] { run(other); });
  other.force = true;
  EXPECT_EQ(run(other).resumed_from, 0U);
}

TEST_F(Train, a_damaged_checkpoint_is_file_trouble) {
  const auto whole = bytes_of(run(options("a")));
  const std::filesystem::path file = folder_ / "a/checkpoint.safetensors";
  const std::string bytes = read_bytes(file);
  for (std::size_t length = 0; length < bytes.size(); length += bytes.size() / 37) {
    write_bytes(file, bytes.substr(0, length));
    expect_error(ErrorCode::corrupt_file, "checkpoint.safetensors", [&] { run(options("a")); });
  }
  for (std::size_t at = 4; at < bytes.size(); at += bytes.size() / 61) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    write_bytes(file, flipped);
    try {
      run(options("a"));
      ADD_FAILURE() << "byte " << at << " was changed and nobody saw it";
    } catch (const Error& error) {
      EXPECT_TRUE(error.exit_code() == 3 || error.code() == ErrorCode::bad_value) << error.what();
    }
  }
  TrainOptions forced = options("a");
  forced.force = true;
  EXPECT_EQ(bytes_of(run(forced)), whole);
}

TEST_F(Train, two_at_once_refuse_each_other_and_left_overs_go) {
  const TrainOptions first = options("a");
  int tried = 0;
  run(first, {[&](std::string_view, double) {
                if (tried++ > 0) return;
                expect_error(ErrorCode::cannot_write, "another process", [&] { run(first); });
              },
              {}});
  EXPECT_GT(tried, 0);
  write_bytes(folder_ / "a/.checkpoint.safetensors.99.part", "half");
  run(first);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a/.checkpoint.safetensors.99.part"));
}

TEST_F(Train, a_folder_that_cannot_be_made_is_named) {
  write_bytes(folder_ / "file", "x");
  expect_error(ErrorCode::cannot_write, "file/run", [&] { run(options("file/run")); });
}

// Absurd steps make the weights overflow; that ends in an error, not in a policy of NaN.
TEST_F(Train, weights_that_grow_beyond_all_bounds_are_an_error) {
  TrainOptions wild = options("a");
  wild.steps = 20'000;
  wild.snapshots = {};
  std::get<SacOptions>(wild.algorithm).learning_rate = 1;
  std::get<SacOptions>(wild.algorithm).gamma = 1;
  std::get<SacOptions>(wild.algorithm).tau = 1;
  expect_error(ErrorCode::not_finite, "the policy chose action", [&] { run(wild); });
}

}  // namespace
}  // namespace mercer
