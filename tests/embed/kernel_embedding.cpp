#include "embed/continuous/kernel_embedding.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mercer/embed.hpp"
#include "support/errors.hpp"
#include "support/tanh_teacher.hpp"

namespace mercer {
namespace {

// What landmarks and features reach with a budget, on states that neither saw.
struct Errors {
  double landmarks, features;
  bool landmarks_first;
};
Errors errors_with(std::size_t observations, std::size_t actions, std::size_t floats, std::size_t count,
                   Correlated how) {
  const GaussianPolicy teacher = tanh_teacher(observations, actions, 5);
  const std::vector<double> states = correlated_states(observations, count, 6, how);
  const auto found = kernel_candidates(teacher, {states.data(), observations, count}, floats);
  const std::vector<double> fresh = correlated_states(observations, 2000, 7, how);
  Errors errors{0, 0, found[0].landmarks};
  for (const KernelCandidate& one : found) {
    EXPECT_LE(one.floats, floats);
    EXPECT_EQ(one.embedding.parameters().stored + 1, one.floats);
    (one.landmarks ? errors.landmarks : errors.features) =
        mean_total_variation(teacher, one.embedding.policy(), {fresh.data(), observations, 2000}, 8);
  }
  fmt::print("{} observations, {} actions, {}, {} floats: landmarks {:.4f}, features {:.4f}\n", observations, actions,
             how == Correlated::along_time ? "correlated in time" : "correlated axes", floats, errors.landmarks,
             errors.features);
  return errors;
}

TEST(KernelEmbeddings, come_closer_with_more_numbers) {
  Errors before{1, 1, false};
  for (const std::size_t floats : {80U, 320U, 1280U}) {
    const Errors now = errors_with(3, 1, floats, 3000, Correlated::along_time);
    EXPECT_LT(now.landmarks, 0.6 * before.landmarks);
    EXPECT_LT(now.features, 0.9 * before.features);
    before = now;
  }
  EXPECT_LT(before.landmarks, 0.01);
}

TEST(KernelEmbeddings, of_twenty_observations_take_features_when_numbers_are_few) {
  errors_with(20, 6, 6144, 12000, Correlated::along_time);  // twenty independent axes: for the record
  Errors before{1, 1, false};
  for (const std::size_t floats : {512U, 2048U, 8192U}) {
    const Errors now = errors_with(20, 6, floats, 8000, Correlated::along_axes);
    EXPECT_LT(std::min(now.landmarks, now.features), std::min(before.landmarks, before.features));
    EXPECT_FALSE(floats == 512 && now.landmarks_first);
    // The choice was made on other states: it may only be wrong where both are as good.
    const double chosen = now.landmarks_first ? now.landmarks : now.features;
    EXPECT_LT(chosen, 1.1 * std::min(now.landmarks, now.features)) << floats;
    before = now;
  }
}

TEST(KernelEmbeddings, need_a_budget_for_a_term) {
  const GaussianPolicy teacher = tanh_teacher(3, 1, 5);
  const std::vector<double> states = correlated_states(3, 100, 6);
  expect_error(ErrorCode::out_of_range, "budget", [&] { make_kernel_embedding(teacher, {states.data(), 3, 100}, 11); });
  EXPECT_LE(make_kernel_embedding(teacher, {states.data(), 3, 100}, 12).floats, 12U);
}

}  // namespace
}  // namespace mercer
