#include "certify/lipschitz.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "mercer/random.hpp"
#include "mercer/rollout.hpp"
#include "support/errors.hpp"
#include "support/function_policy.hpp"

namespace mercer {
namespace {

// Two actions that should be where the two states are: the reward is -(2 |a_0 - s_0| + 3 |a_1 - s_1|), and nothing
// moves. So Q_t(s, a) = r(s, a) + what follows whatever a is, and its slope in the sum of distances is 3 (2 with one
// action).
class Reach : public Env {
 public:
  explicit Reach(std::size_t actions = 2) : Env(task_of(actions)) {}
  void reset(const Draws& draws, MatrixView<double> state) const override {
    for (std::size_t d = 0; d < state.rows(); ++d)
      draws.fill_uniform(state.row(d), -1, 1, static_cast<std::uint32_t>(d));
  }
  void step(MatrixView<double> state, MatrixView<const double> action, const Draws&, std::span<double> reward,
            std::span<std::uint8_t> terminated) const override {
    std::ranges::fill(reward, 0);
    for (std::size_t d = 0; d < action.rows(); ++d) {
      for (std::size_t i = 0; i < reward.size(); ++i) {
        reward[i] -= static_cast<double>(2 + d) * std::abs(action(d, i) - state(d, i));
      }
    }
    std::ranges::fill(terminated, std::uint8_t{StepEnd::none});
  }
  Range return_range(std::uint32_t horizon) const override { return {-10.0 * horizon, 0}; }

 private:
  static Task task_of(std::size_t actions) {
    Task task;
    task.name = "reach";
    task.state = task.observation = Space::box({{"x", {-1, 1}, "", false}, {"y", {-1, 1}, "", false}});
    std::vector<Axis> axes;
    for (std::size_t d = 0; d < actions; ++d) axes.push_back({fmt::format("a{}", d), {-1, 1}, "", false});
    task.action = Space::box(axes);
    task.reward = {-10, 0};
    task.time_limit = 6;
    task.gamma = 0.9;
    return task;
  }
};

// Aims at the states, with a spread.
GaussianPolicy aiming(const Env& env, double spread) {
  Contract contract = contract_of(env.task());
  return {"aims", contract, [spread](MatrixView<const double> seen, MatrixView<double> out) {
            const std::size_t actions = out.rows() / 2;
            for (std::size_t d = 0; d < actions; ++d) {
              for (std::size_t i = 0; i < out.cols(); ++i) {
                out(d, i) = 0.8 * seen(d, i);
                out(actions + d, i) = std::log(spread);
              }
            }
          }};
}

struct Layout {
  std::size_t actions, state_bins, action_bins;
  bool noise;
  Act act;
};

LatticeEmbedding embed_on(const Env& env, const Policy& teacher, const Layout& how, std::size_t k,
                          std::size_t episodes) {
  LatticeOptions options = best_lattice();
  options.state_bins = {how.state_bins};
  options.action_bins = {how.action_bins};
  options.playing.noise = how.noise;
  const Lattice lattice = make_lattice(teacher, rollout(env, teacher, {.episodes = episodes, .seed = 5}), options);
  return LatticeEmbedding::make(teacher, lattice, options.playing, {.basis = "dct", .k = k});
}

TEST(Lipschitz, bounds_what_discretisation_and_embedding_cost_in_two_dimensions) {
  double least = HUGE_VAL;
  for (const Layout& how :
       {Layout{1, 5, 5, true, Act::sample}, Layout{2, 4, 4, true, Act::sample}, Layout{2, 6, 5, false, Act::sample},
        Layout{2, 5, 4, true, Act::mean}, Layout{1, 8, 9, false, Act::mean}}) {
    const Reach env(how.actions);
    const GaussianPolicy teacher = aiming(env, 0.2);
    for (const std::size_t k : {5, 40}) {
      const LatticeEmbedding embedding = embed_on(env, teacher, how, k, 30);  // few enough that cells are missing
      for (const std::optional<double> constant :
           {std::optional<double>(how.actions == 1 ? 2 : 3), std::optional<double>()}) {
        CertifyOptions options;
        options.confidence = 0.99;
        options.gamma = 0.9;
        options.act = how.act;
        options.lipschitz = LipschitzOptions{.constant = constant};
        RolloutOptions playing{.episodes = 400, .seed = 9, .act = how.act, .horizon = 6};
        const LipschitzBounds bounds = lipschitz_bounds(env, teacher, embedding.policy(), playing, options, {});
        ASSERT_TRUE(bounds.applicable) << bounds.why_not;
        for (const LipschitzTerm* term : {&bounds.discretisation, &bounds.embedding}) {
          EXPECT_LE(term->measured, term->value * (1 + 1e-9) + 1e-9) << how.actions << " " << k;
          EXPECT_NEAR(term->discretisation + term->pruning + term->projection, term->value, 1e-9 * (1 + term->value));
          if (term->measured > 1e-6) least = std::min(least, term->value / term->measured);
        }
        EXPECT_EQ(bounds.discretisation.pruning, 0);
        EXPECT_EQ(bounds.discretisation.projection, 0);
        if (constant) continue;
        EXPECT_NEAR(bounds.slope_most, how.actions == 1 ? 2 : 3, 1e-9) << "the reward's own slope";
      }
    }
  }
  fmt::print("the tightest bound is {:.2f} times what was measured\n", least);
}

// The twin draws from both and moves the mass exactly; drawing can only overestimate, by about 1 / sqrt(draws).
TEST(Lipschitz, moves_actions_as_far_as_exact_transport) {
  for (const bool noise : {true, false}) {
    const Reach env(1);
    const GaussianPolicy teacher = aiming(env, 0.3);
    const LatticeEmbedding embedding = embed_on(env, teacher, {1, 3, 12, noise, Act::sample}, 100, 400);
    CertifyOptions options;
    options.gamma = 1;
    options.lipschitz = LipschitzOptions{.constant = 1};
    const RolloutOptions playing{.episodes = 20, .seed = 3, .act = Act::sample, .horizon = 6};
    const LipschitzBounds bounds = lipschitz_bounds(env, teacher, embedding.policy(), playing, options, {});
    ASSERT_TRUE(bounds.applicable);
    const Rollouts visits = rollout(env, embedding.policy(), playing);
    std::vector<double> seen(visits.observations.size());
    for (std::size_t t = 0; t < visits.steps(); ++t) {
      for (std::size_t d = 0; d < 2; ++d) seen[d * visits.steps() + t] = visits.observations[2 * t + d];
    }
    const double drawn = sampled_wasserstein(teacher, embedding.policy(), {seen.data(), 2, visits.steps()}, 1000);
    fmt::print("moved {:.4f}, by drawing {:.4f}\n", bounds.embedding.moved, drawn);
    // Distance by two steps of a triangle: not below; bins and steps of quadrature: not far above.
    EXPECT_GE(bounds.embedding.moved, drawn - 0.02);
    EXPECT_LE(bounds.embedding.moved, drawn + 0.06);
  }
}

TEST(Lipschitz, stands_in_certificates_with_its_level) {
  const Reach env;
  const GaussianPolicy teacher = aiming(env, 0.2);
  const LatticeEmbedding embedding = embed_on(env, teacher, {2, 5, 4, true, Act::sample}, 60, 30);
  CertifyOptions options;
  options.episodes = 400;
  options.coupled = 300;
  const auto rows_of = [&](std::optional<LipschitzOptions> how) {
    options.lipschitz = how;
    std::vector<CertificateRow> rows;
    for (const CertificateRow& row : certify(EnvPlayer(env), teacher, embedding.policy(), options).rows) {
      if (row.term.starts_with("lipschitz")) rows.push_back(row);
    }
    return rows;
  };
  EXPECT_TRUE(rows_of({}).empty());
  for (const std::optional<double> constant : {std::optional<double>(), std::optional<double>(3)}) {
    const std::vector<CertificateRow> rows = rows_of(LipschitzOptions{.constant = constant});
    ASSERT_EQ(rows.size(), 2U);
    for (const CertificateRow& row : rows) {
      EXPECT_EQ(row.level, constant ? Level::statistical : Level::estimate) << row.term;
      EXPECT_LE(row.measured, row.value) << row.term;
      EXPECT_FALSE(row.vacuous) << row.term;
      EXPECT_NE(row.assumptions[0].find("sum over their dimensions"), std::string::npos);
    }
    EXPECT_EQ(rows[1].term, "lipschitz_three_terms");
  }
}

TEST(Lipschitz, says_what_it_cannot_bound) {
  const auto env = make_env("mountain-car", 0);
  const auto uniform = make_policy("uniform", env->task());
  const Lattice lattice = make_lattice(*uniform, rollout(*env, *uniform, {.episodes = 3}), best_lattice());
  CertifyOptions options;
  options.episodes = 20;
  options.lipschitz = LipschitzOptions{};
  const auto told = [&](const Env& task, const Policy& teacher, const Policy& student, const char* part) {
    const Certificate made = certify(EnvPlayer(task), teacher, student, options);
    return std::ranges::any_of(made.not_covered,
                               [&](const std::string& one) { return one.find(part) != std::string::npos; });
  };
  const LatticePolicy table = lattice_policy("l", *uniform, lattice, lattice.table, best_lattice().playing);
  EXPECT_TRUE(told(*env, *uniform, table, "discrete actions have no distance"));
  EXPECT_TRUE(told(*env, *uniform, *uniform, "the policy is not on a lattice"));
  options.lipschitz->constant = -1;
  expect_error(ErrorCode::out_of_range, "Lipschitz constant",
               [&] { certify(EnvPlayer(*env), *uniform, table, options); });
}

}  // namespace
}  // namespace mercer
