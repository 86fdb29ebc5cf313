#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "support/errors.hpp"
#include "support/plain_task.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

TEST(PolicyRegistry, makes_policies_by_name) {
  const Task pendulum = make_env("pendulum")->task();
  const auto uniform = make_policy("uniform", pendulum);
  EXPECT_EQ(uniform->name(), "uniform");
  EXPECT_EQ(uniform->observation_dimensions(), 3);
  EXPECT_EQ(uniform->action_space().axes[0].range.high, 2);
  for (const PolicyKind& kind : known_policies()) EXPECT_FALSE(kind.summary.empty()) << kind.name;

  const TemporaryFolder folder;
  std::ofstream(folder / "pi.json") << R"({"pi": [[0, 1], [0, 1], [0, 1]]})";
  const auto table = make_policy("tabular:" + (folder / "pi.json").string(), make_env("chain:n=3")->task());
  EXPECT_EQ(dynamic_cast<const TabularPolicy&>(*table).states(), 3);
}

TEST(PolicyRegistry, names_the_nearest_policy) {
  const Task task = make_env("chain")->task();
  expect_error(ErrorCode::unknown_name, "no policy is called 'unifrom'. Did you mean 'uniform'?",
               [&] { make_policy("unifrom", task); });
  expect_error(ErrorCode::unknown_name, "Did you mean 'tabular'?", [&] { make_policy("tabula:x.json", task); });
  expect_error(ErrorCode::unknown_name, "Known: uniform, tabular", [&] { make_policy("zzzzzzzzzz", task); });
  expect_error(ErrorCode::missing_option, "policy 'tabular' needs a file", [&] { make_policy("tabular", task); });
  expect_error(ErrorCode::missing_option, "policy 'tabular' needs a file", [&] { make_policy("tabular:", task); });
  expect_error(ErrorCode::bad_value, "policy 'uniform' has no settings, and was given 'seed=1'",
               [&] { make_policy("uniform:seed=1", task); });
}

TEST(PolicyRegistry, tables_must_fit_the_task) {
  const TemporaryFolder folder;
  std::ofstream(folder / "pi.json") << R"({"pi": [[0, 1], [0, 1], [0, 1]]})";
  const std::string spec = "tabular:" + (folder / "pi.json").string();
  expect_error(ErrorCode::shape_mismatch, "has 3 rows and the observation of task 'chain' is one of 4",
               [&] { make_policy(spec, make_env("chain:n=4")->task()); });
  expect_error(ErrorCode::shape_mismatch, "is a table and task 'pendulum' does not have finitely many states",
               [&] { make_policy(spec, make_env("pendulum")->task()); });
  std::ofstream(folder / "wide.json") << R"({"pi": [[0, 1, 0], [0, 1, 0], [0, 1, 0]]})";
  expect_error(ErrorCode::shape_mismatch, "is one of 3 and task 'chain' takes one of 2",
               [&] { make_policy("tabular:" + (folder / "wide.json").string(), make_env("chain:n=3")->task()); });
}

TEST(PolicyRegistry, reads_files_of_a_registered_ending) {
  const Task task = make_env("chain:n=3")->task();
  static std::string asked;  // the reader outlives this test
  register_policy_file({"FILE.constant", "one action"}, ".constant",
                       [](const std::string& file, std::span<const PolicySetting> settings, const Task& in) {
                         asked = file + "|" + settings[0].key + "|" + settings[0].value;
                         const auto choose = [](MatrixView<const double>, MatrixView<double> out) {
                           for (double& index : out.row(0)) index = 1;
                         };
                         return std::make_unique<DeterministicPolicy>(file, contract_of(in), choose);
                       });
  EXPECT_EQ(make_policy("right.constant:speed=2", task)->name(), "right.constant");
  EXPECT_EQ(asked, "right.constant|speed|2");
  EXPECT_EQ(known_policies().back().name, "FILE.constant");
}

TEST(PolicyRegistry, knows_embeddings_without_being_told) {
  const auto kinds = known_policies();
  EXPECT_TRUE(std::ranges::any_of(kinds, [](const PolicyKind& kind) { return kind.name == "FILE.mercer"; }));
}

TEST(CheckFits, compares_observations_and_actions) {
  const Task pendulum = make_env("pendulum")->task(), car = make_env("continuous-mountain-car")->task();
  const Task cart_pole = make_env("cart-pole")->task();
  check_fits(UniformPolicy(pendulum), pendulum);
  expect_error(ErrorCode::shape_mismatch, "policy 'uniform' takes 2 observations and task 'pendulum' gives 3",
               [&] { check_fits(UniformPolicy(car), pendulum); });
  expect_error(ErrorCode::shape_mismatch,
               "an action of policy 'uniform' is 1 numbers and task 'cart-pole' takes one of 2",
               [&] { check_fits(UniformPolicy(plain_task(4, car.action)), cart_pole); });
  expect_error(ErrorCode::shape_mismatch, "is one of 3 and task 'cart-pole' takes one of 2",
               [&] { check_fits(UniformPolicy(plain_task(4, Space::discrete("push", 3))), cart_pole); });
  const Space plane = Space::box({{"x", {0, 1}, "", false}, {"y", {0, 1}, "", false}});
  expect_error(ErrorCode::shape_mismatch, "is 2 numbers and task 'pendulum' takes 1 numbers",
               [&] { check_fits(UniformPolicy(plain_task(3, plane)), pendulum); });
}

}  // namespace
}  // namespace mercer
