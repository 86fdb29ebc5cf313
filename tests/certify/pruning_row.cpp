#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "certify/exact.hpp"
#include "certify/unvisited.hpp"
#include "mercer/statistics.hpp"
#include "support/random_mdp.hpp"

namespace mercer {
namespace {

const CertificateRow* find_row(const std::vector<CertificateRow>& rows, const std::string& term) {
  const auto found = std::ranges::find(rows, term, &CertificateRow::term);
  return found == rows.end() ? nullptr : &*found;
}

// A policy of a finite task as a table, by its probabilities.
std::vector<double> table_of(const Policy& policy, std::size_t n, std::size_t m) {
  std::vector<double> states(n), action(n), logs(n), pi(n * m);
  std::iota(states.begin(), states.end(), 0.0);
  for (std::size_t a = 0; a < m; ++a) {
    std::ranges::fill(action, static_cast<double>(a));
    policy.log_prob({states.data(), 1, n}, {action.data(), 1, n}, logs);
    for (std::size_t s = 0; s < n; ++s) pi[s * m + a] = std::exp(logs[s]);
  }
  return pi;
}

// An embedding of a teacher in a finite task, and the returns of all policies by going through the states.
struct Embedded {
  TabularEnv env;
  TabularPolicy teacher;
  LatticeEmbedding embedding;

  Embedded(const TabularMdp& mdp, const std::vector<double>& pi, const LatticeOptions& options,
           const TruncationOptions& truncation, std::size_t rollouts, std::uint64_t seed)
      : env("t", mdp), teacher("teacher", mdp.n, mdp.m, pi), embedding(make(options, truncation, rollouts, seed)) {}

  const LatticePolicy& policy() const { return embedding.policy(); }
  double eta(const Policy& of, double gamma) const {
    return finite_return(env.mdp(), table_of(of, env.mdp().n, env.mdp().m), gamma);
  }
  double loss(double gamma) const { return eta(teacher, gamma) - eta(policy(), gamma); }
  double unvisited_loss(double gamma) const {
    return eta(TeacherInUnvisited(policy(), teacher), gamma) - eta(policy(), gamma);
  }

 private:
  LatticeEmbedding make(const LatticeOptions& options, const TruncationOptions& truncation, std::size_t rollouts,
                        std::uint64_t seed) const {
    const Lattice lattice = make_lattice(teacher, rollout(env, teacher, {.episodes = rollouts, .seed = seed}), options);
    return LatticeEmbedding::make(teacher, lattice, options.playing, truncation, seed);
  }
};

// 98% to the left: the teacher hardly leaves the first states, an embedding that is uniform walks through all.
Embedded left_walker() {
  std::vector<double> left;
  for (int s = 0; s < 10; ++s) left.insert(left.end(), {0.98, 0.02});
  return {make_chain(10, 1, 100), left, paper_lattice(), {.basis = "fourier", .k = 1}, 200, 0};
}

TEST(PruningRow, counts_the_episodes_of_the_embedding_and_not_those_of_the_teacher) {
  const Embedded chain = left_walker();
  ASSERT_TRUE(has_unvisited(chain.policy()));
  CertifyOptions options;
  options.seed = 1;
  options.levels = {Level::statistical};
  const LevelRows made = certify_levels(chain.env, chain.teacher, chain.policy(), options, 0);
  const CertificateRow* const row = find_row(made.rows, "pruning");
  ASSERT_NE(row, nullptr);
  const double truth = std::abs(chain.unvisited_loss(1));
  fmt::print("unvisited cells cost {:.4f}, measured {:.4f}, at most {:.4f}\n", truth, row->measured, row->value);
  EXPECT_GT(truth, 1) << "or nothing is shown";
  EXPECT_GE(row->value, truth);
  EXPECT_NEAR(row->measured, truth, 0.15 * truth);
  EXPECT_NEAR(row->slack, row->value - row->measured, 1e-12);
  EXPECT_NE(row->assumptions[0].find("episodes of the embedding"), std::string::npos);
  EXPECT_NE(row->assumptions[1].find("episodes of the embedding touch one"), std::string::npos);

  // The teacher's own episodes hardly touch an unvisited cell: what they would promise is broken.
  const Rollouts of_teacher = rollout(chain.env, chain.teacher, {.episodes = 1000, .seed = 1});
  std::size_t touched = 0;
  for (std::size_t e = 0; e < of_teacher.episodes(); ++e) {
    const auto begin = of_teacher.observations.begin() + of_teacher.offsets[e];
    const auto end = of_teacher.observations.begin() + of_teacher.offsets[e + 1];
    touched +=
        std::any_of(begin, end, [&](double s) { return chain.policy().cells().find(&s) == Cells::none; }) ? 1 : 0;
  }
  EXPECT_LT(100 * clopper_pearson_interval(touched, 1000, 0.05, Sides::upper).high, truth);
}

TEST(PruningRow, a_lattice_with_every_cell_costs_nothing) {
  LatticeOptions full = best_lattice();
  full.full = true;
  const TabularMdp mdp = random_mdp(6, 2, 3);
  const Embedded made(mdp, random_rows(6, 2, 3, 1), full, {.basis = "dct", .k = 3}, 3, 0);
  CertifyOptions options;
  options.episodes = 10;
  options.levels = {Level::statistical};
  const LevelRows rows = certify_levels(made.env, made.teacher, made.policy(), options, 0);
  const CertificateRow* const row = find_row(rows.rows, "pruning");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->value, 0);
  EXPECT_EQ(row->measured, 0);
}

// Rows that can be added are counted before anything is played.
TEST(PruningRow, statistical_rows_are_counted_beforehand) {
  const Embedded chain = left_walker();
  CertifyOptions options;
  options.episodes = 20;
  options.levels = {Level::statistical};
  EXPECT_EQ(statistical_rows(chain.policy(), options), 3U);
  EXPECT_EQ(statistical_rows(chain.teacher, options), 2U);
  EXPECT_EQ(certify_levels(chain.env, chain.teacher, chain.policy(), options, 0).rows.size(), 3U);
  EXPECT_EQ(certify_levels(chain.env, chain.teacher, chain.teacher, options, 0).rows.size(), 2U);
  const auto env = make_env("pendulum", 0);
  const auto uniform = make_policy("uniform", env->task());
  EXPECT_EQ(statistical_rows(*uniform, options), 2U);
  options.act = Act::mean;
  EXPECT_EQ(statistical_rows(*uniform, options), 0U);
  options.levels = {Level::rigorous, Level::exact};
  EXPECT_EQ(statistical_rows(chain.policy(), options), 0U);
}

// N of the printed theorem is that of the rollouts that pruned.
TEST(PruningRow, the_printed_theorem_has_the_rollouts_that_pruned) {
  const Embedded chain = left_walker();
  CertifyOptions options;
  options.episodes = 50;
  options.levels = {Level::paper};
  const auto printed = [&](std::size_t rollouts) {
    options.pruning_rollouts = rollouts;
    const LevelRows made = certify_levels(chain.env, chain.teacher, chain.policy(), options, 0);
    return *find_row(made.rows, "paper_pruning");
  };
  const CertificateRow unknown = printed(0), few = printed(200), many = printed(800);
  EXPECT_TRUE(std::isnan(unknown.value));
  EXPECT_NE(unknown.assumptions.back().find("does not apply: how many rollouts"), std::string::npos);
  EXPECT_NEAR(few.value, 2 * many.value, 1e-9 * few.value);
  EXPECT_FALSE(std::isnan(few.measured));
}

struct Slack {
  std::size_t cases = 0, broken = 0, vacuous = 0;
  std::vector<double> of;

  void add(const CertificateRow& row, double truth) {
    ++cases;
    broken += row.value < truth * (1 - 1e-12) ? 1 : 0;
    vacuous += row.vacuous ? 1 : 0;
    of.push_back(row.value - truth);
  }
  std::string text() {
    std::ranges::sort(of);
    return fmt::format("{} cases, {} broken, {} vacuous, slack {:.3g} to {:.3g}, median {:.3g}", cases, broken, vacuous,
                       of.front(), of.back(), of[of.size() / 2]);
  }
};

// A teacher that prefers one action, lattices of few rollouts, both rules for unvisited cells.
TEST(PruningRow, statistical_rows_hold_in_random_finite_tasks) {
  std::map<std::string, Slack> slack;
  double noise = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random({seed, Stage::task, 99, 0});
    const auto pick = [&](std::size_t low, std::size_t high) {
      return low + static_cast<std::size_t>(random.uniform() * static_cast<double>(high - low + 1));
    };
    const std::size_t n = pick(4, 20), m = pick(2, 4);
    TabularMdp mdp = seed % 2 == 0 ? random_mdp(n, m, seed) : make_chain(n, 0.5 + 0.5 * random.uniform(), 1);
    mdp.horizon = static_cast<std::uint32_t>(seed % 2 == 0 ? pick(1, 8) : pick(1, 60));
    std::vector<double> pi = random_rows(mdp.n, mdp.m, seed, 1);
    const double bold = random.uniform();  // towards the first action
    for (std::size_t i = 0; i < pi.size(); ++i) pi[i] = (1 - bold) * pi[i] + (i % mdp.m == 0 ? bold : 0);
    LatticeOptions lattice = seed % 3 == 0 ? paper_lattice() : best_lattice();
    lattice.playing.unvisited = seed % 4 < 2 ? Unvisited::uniform : Unvisited::nearest;
    TruncationOptions truncation{.basis = seed % 5 < 3 ? "fourier" : "dct"};
    truncation.energy = 0.3 + 0.69 * random.uniform();
    const Embedded made(mdp, pi, lattice, truncation, pick(1, 3), seed);
    CertifyOptions options;
    options.episodes = options.coupled = pick(20, 400);
    options.seed = seed + 1000;
    options.gamma = seed % 7 == 0 ? 0.9 : 1;
    options.levels = {Level::statistical};
    const LevelRows rows = certify_levels(made.env, made.teacher, made.policy(), options, 0);
    const double loss = std::abs(made.loss(options.gamma)), unvisited = std::abs(made.unvisited_loss(options.gamma));
    for (const CertificateRow& row : rows.rows) {
      if (row.term == "pruning" && !has_unvisited(made.policy())) continue;
      slack[row.term].add(row, row.term == "pruning" ? unvisited : loss);
      if (row.term != "pruning") continue;
      EXPECT_LE(row.measured, row.value) << seed;
      const double width = return_range(made.env, mdp.horizon, options.gamma).width();
      noise = std::max(noise,
                       std::abs(row.measured - unvisited) / (width / std::sqrt(static_cast<double>(options.episodes))));
    }
  }
  fmt::print("pruning: measured and true differ by up to {:.2f} widths / sqrt(episodes)\n", noise);
  EXPECT_LT(noise, 4);
  ASSERT_EQ(slack.size(), 3U);
  for (auto& [term, own] : slack) {
    fmt::print("{:12} {}\n", term, own.text());
    // At 5% each, 13 or more of 120 cases have a probability below 1%.
    EXPECT_LT(own.broken, 13U) << term;
  }
  EXPECT_GT(slack["pruning"].cases, 120U) << "or too little was tried";
  EXPECT_LT(slack["pruning"].vacuous, slack["pruning"].cases / 2) << "or nothing was bounded";
}

}  // namespace
}  // namespace mercer
