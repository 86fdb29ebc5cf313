#include <fstream>

#include <gtest/gtest.h>

#include "io/npz.hpp"
#include "mercer/policy.hpp"
#include "support/errors.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

TEST(TabularPolicyFiles, reads_json) {
  const TemporaryFolder folder;
  std::ofstream(folder / "pi.json") << R"({"pi": [[0.25, 0.75], [1, 0], [0.5, 0.5]]})";
  const TabularPolicy policy = read_tabular_policy(folder / "pi.json");
  EXPECT_EQ(policy.states(), 3);
  EXPECT_EQ(policy.action_space().count, 2);
  EXPECT_EQ(policy.row(0)[1], 0.75);
  EXPECT_EQ(policy.row(1)[0], 1);
  EXPECT_EQ(policy.name(), (folder / "pi.json").string());
}

TEST(TabularPolicyFiles, reads_npz) {
  const TemporaryFolder folder;
  const std::vector<double> pi{0.25, 0.75, 1, 0, 0.5, 0.5};
  write_npz(folder / "pi.npz", {{"pi", Array::of(pi, {3, 2})}, {"other", Array::of(pi, {6})}});
  const TabularPolicy policy = read_tabular_policy(folder / "pi.npz");
  ASSERT_EQ(policy.states(), 3);
  for (std::size_t s = 0; s < 3; ++s) {
    EXPECT_EQ(policy.row(s)[0], pi[s * 2]);
    EXPECT_EQ(policy.row(s)[1], pi[s * 2 + 1]);
  }
}

TEST(TabularPolicyFiles, refuses_json_of_other_shapes) {
  const TemporaryFolder folder;
  const auto refused = [&](ErrorCode code, const std::string& part, const std::string& text) {
    std::ofstream(folder / "pi.json") << text;
    expect_error(code, part, [&] { read_tabular_policy(folder / "pi.json"); });
  };
  refused(ErrorCode::bad_format, "has no \"pi\"", R"({"p": [[1]]})");
  refused(ErrorCode::bad_format, "has no \"pi\"", "[[1]]");
  refused(ErrorCode::shape_mismatch, "\"pi\" is not a list of rows", R"({"pi": 1})");
  refused(ErrorCode::shape_mismatch, "\"pi\" is not a list of rows", R"({"pi": []})");
  refused(ErrorCode::shape_mismatch, "\"pi\" is not a list of rows", R"({"pi": [0.5, 0.5]})");
  refused(ErrorCode::shape_mismatch, "the rows differ in length", R"({"pi": [[0.5, 0.5], [1]]})");
  refused(ErrorCode::shape_mismatch, "null is not a number", R"({"pi": [[0.5, null]]})");
  refused(ErrorCode::shape_mismatch, "0 numbers for 1 states and 0 actions", R"({"pi": [[]]})");
  refused(ErrorCode::bad_distribution, "pi[1] sums to 1.1", R"({"pi": [[0.5, 0.5], [0.6, 0.5]]})");
  refused(ErrorCode::bad_format, "is not JSON", R"({"pi": [[0.5, 0.5])");
}

TEST(TabularPolicyFiles, refuses_npz_of_other_shapes) {
  const TemporaryFolder folder;
  const std::vector<double> pi{0.25, 0.75};
  write_npz(folder / "flat.npz", {{"pi", Array::of(pi, {2})}});
  expect_error(ErrorCode::shape_mismatch, "pi has 1 dimensions, not 2",
               [&] { read_tabular_policy(folder / "flat.npz"); });
  write_npz(folder / "other.npz", {{"q", Array::of(pi, {1, 2})}});
  expect_error(ErrorCode::bad_format, "has no array 'pi'; it has: q",
               [&] { read_tabular_policy(folder / "other.npz"); });
}

TEST(TabularPolicyFiles, refuses_other_files) {
  expect_error(ErrorCode::bad_value, "'pi.txt' is neither .json nor .npz", [] { read_tabular_policy("pi.txt"); });
  const TemporaryFolder folder;
  expect_error(ErrorCode::cannot_open, "gone.json", [&] { read_tabular_policy(folder / "gone.json"); });
  expect_error(ErrorCode::cannot_open, "gone.npz", [&] { read_tabular_policy(folder / "gone.npz"); });
}

}  // namespace
}  // namespace mercer
