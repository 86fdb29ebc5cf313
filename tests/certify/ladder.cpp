#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "certify/exact.hpp"
#include "support/ladder_sweep.hpp"
#include "support/random_mdp.hpp"

namespace mercer {
namespace {

const CertificateRow* find_row(const Certificate& certificate, const std::string& term,
                               Quantity about = Quantity::episode_return, bool in_model = false) {
  const auto found = std::ranges::find_if(certificate.rows, [&](const CertificateRow& row) {
    return row.term == term && row.about == about && row.in_model == in_model;
  });
  return found == certificate.rows.end() ? nullptr : &*found;
}

Certificate certify_mix(const TabularEnv& env, double share, const CertifyOptions& options) {
  const std::size_t n = env.mdp().n, m = env.mdp().m;
  const auto pi1 = random_rows(n, m, 5, 1), other = random_rows(n, m, 5, 2);
  std::vector<double> pi2(pi1);
  for (std::size_t i = 0; i < pi2.size(); ++i) pi2[i] += share * (other[i] - pi1[i]);
  return certify(EnvPlayer(env), TabularPolicy("1", n, m, pi1), TabularPolicy("2", n, m, pi2), options);
}

// One state and two arms, one step: every value by hand. pi1 = (3/4, 1/4), pi2 = (1/4, 3/4), rewards 1 and 0, g = 1/2.
TEST(Ladder, rows_of_a_finite_task_are_those_of_the_task_itself) {
  const TabularEnv env("arms", TabularMdp{1, 2, {1, 1}, {1, 0}, {1}, 0.5, 1, {}});
  CertifyOptions options;
  options.episodes = 200;
  const Certificate made =
      certify(EnvPlayer(env), TabularPolicy("1", 1, 2, {0.75, 0.25}), TabularPolicy("2", 1, 2, {0.25, 0.75}), options);
  const auto expect = [&](const std::string& term, Level level, double value, double measured,
                          Quantity about = Quantity::episode_return) {
    const CertificateRow* const row = find_row(made, term, about);
    ASSERT_NE(row, nullptr) << term;
    EXPECT_EQ(row->level, level) << term;
    EXPECT_NEAR(row->value, value, 1e-12) << term;
    EXPECT_NEAR(row->measured, measured, 1e-12) << term;
    EXPECT_FALSE(row->assumptions.empty()) << term;
  };
  expect("exact", Level::exact, 0.5, 0.5);
  expect("exact", Level::exact, 1, 1, Quantity::discounted_return);
  expect("B0_T", Level::rigorous, 1, 0.5);
  expect("B2'_T", Level::rigorous, 0.5, 0.5);
  expect("B5_T", Level::rigorous, 0.5, 0.5);
  expect("B5", Level::rigorous, 2 * 0.5 / 0.75, 1, Quantity::discounted_return);
  expect("paper_alpha", Level::paper, 2.25, 1, Quantity::discounted_return);
  expect("paper_bandit_p1", Level::paper, 0.5, 0.5, Quantity::reward);
  expect("C4", Level::rigorous, 2 * 0.5 * (2.0 / 3), 0, Quantity::occupancy_l1);
  EXPECT_TRUE(find_row(made, "B0_T")->vacuous);
  EXPECT_EQ(find_row(made, "exact/pruning"), nullptr) << "nothing was pruned";
}

TEST(Ladder, the_least_rigorous_bound_wins_and_exact_is_what_it_is_measured_by) {
  TabularMdp mdp = random_mdp(6, 3, 2);
  mdp.horizon = 15;
  const TabularEnv env("t", mdp);
  CertifyOptions options;
  options.episodes = 300;
  const Certificate made = certify_mix(env, 0.3, options);
  for (const Quantity about : {Quantity::episode_return, Quantity::discounted_return}) {
    const CertificateRow* winner = nullptr;
    std::size_t winners = 0;
    for (const CertificateRow& row : made.rows) {
      if (!row.winner || row.about != about) continue;
      winner = &row;
      ++winners;
    }
    ASSERT_EQ(winners, 1U) << name(about);
    const CertificateRow* const exact = find_row(made, "exact", about);
    ASSERT_NE(exact, nullptr);
    EXPECT_NEAR(winner->measured, exact->measured, 1e-9);
    EXPECT_GE(winner->value * (1 + 1e-9), exact->measured);
    for (const CertificateRow& row : made.rows) {
      EXPECT_TRUE(row.level != Level::rigorous || row.about != about || row.value * (1 + 1e-8) >= winner->value)
          << row.term;
      EXPECT_TRUE(!row.winner || row.level == Level::rigorous) << row.term;
    }
  }
  const std::string page = certificate_page(made);
  EXPECT_NE(page.find("paper, as published (no guarantee): discounted return"), std::string::npos);
  EXPECT_NE(page.find("least"), std::string::npos);
  EXPECT_NE(page.find("vacuous: says nothing"), std::string::npos);
  EXPECT_LT(page.find("statistical, guaranteed: return"), page.find("rigorous, guaranteed by theorem: return"));
  EXPECT_LT(page.find("exact, computed: return"), page.find("paper, as"));
  EXPECT_EQ(certificate_json(certificate_from_json(certificate_json(made), "t")), certificate_json(made));
}

TEST(Ladder, levels_and_models_are_had_on_request_alone) {
  const TabularEnv env("t", make_chain(5, 0.8, 20));
  CertifyOptions options;
  options.episodes = 100;
  for (const Level level : {Level::paper, Level::rigorous, Level::exact, Level::statistical}) {
    options.levels = {level};
    std::set<Level> levels;
    for (const CertificateRow& row : certify_mix(env, 0.3, options).rows) levels.insert(row.level);
    EXPECT_EQ(levels.size(), 1U);
  }
  options.levels = {Level::rigorous, Level::exact};
  options.model = false;
  for (const CertificateRow& row : certify_mix(env, 0.3, options).rows) {
    EXPECT_TRUE(row.term == "trivial" || row.term == "coupling_geom") << row.term;
  }
}

// State 1 ends episodes and starts half of them: those play one step there, and what comes back there is over.
TEST(Ladder, a_start_that_ends_episodes_is_played_once) {
  TabularMdp mdp{2, 2, {0, 1, 0, 1, 0, 1, 0, 1}, {1, 0, 3, -1}, {0.5, 0.5}, 0.9, 10, {0, 1}};
  const TabularEnv env("t", mdp);
  CertifyOptions options;
  options.episodes = 4000;
  const TabularPolicy first("1", 2, 2, {1, 0, 1, 0}), mixed("2", 2, 2, {0.5, 0.5, 0.25, 0.75});
  const Certificate made = certify(EnvPlayer(env), first, mixed, options);
  // (1 - 1/2) / 2 from state 0, (3 - 0) / 2 from state 1.
  EXPECT_NEAR(find_row(made, "exact")->measured, 0.25 + 1.5, 1e-12);
  EXPECT_NEAR(made.loss_return, 1.75, 0.15);
}

TEST(Ladder, a_bandit_is_one_round) {
  const auto env = make_env("noisy-bandit:arms=8", 3);
  const TabularMdp& mdp = dynamic_cast<const TabularEnv&>(*env).mdp();
  const auto teacher = boltzmann_table(1, 8, mdp.r, 0.1), student = boltzmann_table(1, 8, mdp.r, 0.5);
  double loss = 0;
  for (std::size_t a = 0; a < 8; ++a) {
    loss += mdp.r[a] * (dynamic_cast<const TabularPolicy&>(*teacher).row(0)[a] -
                        dynamic_cast<const TabularPolicy&>(*student).row(0)[a]);
  }
  CertifyOptions options;
  options.episodes = 2000;
  const Certificate made = certify(EnvPlayer(*env), *teacher, *student, options);
  EXPECT_NEAR(find_row(made, "exact")->measured, loss, 1e-12);
  EXPECT_NEAR(made.loss_return, loss, 0.05);
  EXPECT_GE(find_row(made, "bandit", Quantity::reward)->value, loss);
  EXPECT_FALSE(std::isnan(find_row(made, "paper_bandit_p2", Quantity::reward)->value));
}

// Played without drawing, both are tables of a single action in each state.
TEST(Ladder, undrawn_actions_are_solved_as_they_are_played) {
  const TabularEnv env("t", make_chain(5, 0.8, 20));
  CertifyOptions options;
  options.episodes = 50;
  options.act = Act::mean;
  const TabularPolicy right("r", 5, 2, {0.4, 0.6, 0.4, 0.6, 0.4, 0.6, 0.4, 0.6, 0.4, 0.6});
  const TabularPolicy also_right("r", 5, 2, {0, 1, 0, 1, 0, 1, 0, 1, 0, 1});
  EXPECT_LT(find_row(certify(EnvPlayer(env), right, also_right, options), "exact")->value, 1e-9);
}

TEST(Ladder, what_has_no_cells_or_no_line_of_actions_says_so) {
  const auto env = make_env("pendulum", 0);
  const auto uniform = make_policy("uniform", env->task());
  CertifyOptions options;
  options.episodes = 5;
  const Certificate made = certify(EnvPlayer(*env), *uniform, *uniform, options);
  EXPECT_TRUE(std::ranges::any_of(made.not_covered, [](const std::string& sentence) {
    return sentence.find("need a finite task or a lattice embedding") != std::string::npos;
  }));
  for (const CertificateRow& row : made.rows) EXPECT_TRUE(row.level == Level::statistical || row.term == "trivial");
}

// One step, paid by the first of two actions.
class TwoActions : public Env {
 public:
  TwoActions() : Env(task_of_two()) {}
  void reset(const Draws&, MatrixView<double> state) const override { std::ranges::fill(state.row(0), 0.5); }
  void step(MatrixView<double>, MatrixView<const double> action, const Draws&, std::span<double> reward,
            std::span<std::uint8_t> terminated) const override {
    for (std::size_t i = 0; i < reward.size(); ++i) reward[i] = action(0, i);
    std::ranges::fill(terminated, std::uint8_t{1});
  }

 private:
  static Task task_of_two() {
    Task task;
    task.name = "two";
    task.state = task.observation = Space::box({{"x", {0, 1}, "", false}});
    task.action = Space::box({{"a", {-1, 1}, "", false}, {"b", {-1, 1}, "", false}});
    task.reward = {-1, 1};
    return task;
  }
};

// The return of uniform actions is known: nothing is lost by a table of them.
TEST(Ladder, actions_of_two_dimensions_have_a_model) {
  const TwoActions env;
  const auto uniform = make_policy("uniform", env.task());
  LatticeOptions lattice = best_lattice();
  lattice.state_bins = {2};
  lattice.action_bins = {3};
  RolloutOptions collecting;
  collecting.episodes = 20;
  const Lattice made = make_lattice(*uniform, rollout(env, *uniform, collecting), lattice);
  PolicyTable left = made.table;  // the lower third of both actions alone
  std::ranges::fill(left.pi, 0);
  for (std::size_t r = 0; r < left.rows; ++r) left.row(r)[0] = 1;
  CertifyOptions options;
  options.episodes = 400;
  const Certificate told =
      certify(EnvPlayer(env), *uniform, lattice_policy("l", *uniform, made, left, lattice.playing), options);
  const CertificateRow* const distance = find_row(told, "D1", Quantity::discounted_return, true);
  ASSERT_NE(distance, nullptr) << certificate_page(told);
  EXPECT_EQ(distance->level, Level::model);
  // Both actions move by 2/3 on average, the reward is the first of them, and an episode is one step.
  EXPECT_NEAR(distance->measured, 2.0 / 3, 0.1);
  EXPECT_NEAR(distance->value, 4.0 / 3, 0.25);
  for (const CertificateRow& row : told.rows) {
    if (row.level != Level::model || std::isnan(row.value) || std::isnan(row.measured)) continue;
    EXPECT_GE(row.value, row.measured * (1 - 1e-9) - 1e-9) << row.term;
  }
  EXPECT_NE(find_row(told, "three_terms", Quantity::discounted_return, true), nullptr);
  EXPECT_NE(find_row(told, "paper_discretisation_fixed", Quantity::volume, true), nullptr);
}

// Few rollouts, and uniform actions in all cells that they never met: the model, made of the teacher's episodes, hardly
// knows those cells, so that its bounds are far below what the embedding loses in the task.
TEST(Ladder, a_bound_in_an_estimated_model_may_be_below_the_loss_and_promises_nothing) {
  const std::unique_ptr<Env> env = make_env("pendulum", 0);
  const auto teacher = make_policy(std::string(MERCER_TEST_DATA) + "/policies/pendulum_5000_actor.onnx", env->task());
  LatticeOptions lattice = paper_lattice();
  lattice.state_bins = {12};
  const Lattice made = make_lattice(*teacher, rollout(*env, *teacher, {.episodes = 100}), lattice);
  const LatticeEmbedding embedding =
      LatticeEmbedding::make(*teacher, made, lattice.playing, {.basis = "dct", .k = made.table.pi.size() / 2});
  CertifyOptions options;
  options.episodes = 200;
  options.coupled = 50;
  options.seed = 7;
  const Certificate told = certify(EnvPlayer(*env), *teacher, embedding.policy(), options);
  const CertificateRow* const row = find_row(told, "B2'_T", Quantity::episode_return, true);
  ASSERT_NE(row, nullptr);
  fmt::print("in the model at most {:.4g}, where it is {:.4g}; the loss in the task {:.4g}\n", row->value,
             row->measured, told.loss_return);
  ASSERT_LT(row->value, told.loss_return) << "or nothing is shown";
  for (const CertificateRow& one : told.rows) {
    EXPECT_TRUE(!one.in_model || (one.level != Level::rigorous && one.level != Level::statistical)) << one.term;
    EXPECT_TRUE(!one.winner || one.level == Level::rigorous) << one.term;
    EXPECT_TRUE(one.level != Level::rigorous || one.value >= std::abs(told.loss_return)) << one.term;
  }
  EXPECT_EQ(row->level, Level::model);
  EXPECT_EQ(find_row(told, "model-exact+error", Quantity::discounted_return)->level, Level::model);
}

// The steps from teacher to embedding add up to the whole, in the task and in a model of it.
TEST(Ladder, the_split_adds_up) {
  for (const LadderTask& task : ladder_tasks(std::string(MERCER_TEST_DATA) + "/policies")) {
    if (task.name != "chain" && task.name != "turntable" && task.name != "cart-pole") continue;
    const LadderSweepOptions few{.bases = {"dct"}, .shares = {0.3}, .rollouts = 30, .episodes = 50, .coupled = 50};
    sweep_ladder(task, few, [&](const std::string& name, const Certificate& certificate) {
      const std::string prefix = task.name == "chain" ? "exact" : "model-exact";
      const auto part = [&](const std::string& of) {
        const CertificateRow* const row =
            find_row(certificate, prefix + of, Quantity::episode_return, task.name != "chain");
        EXPECT_NE(row, nullptr) << task.name << " " << prefix + of;
        return row == nullptr ? 0 : row->measured;
      };
      const double a = part("/discretisation"), b = part("/pruning"), c = part("/projection"), all = part("");
      // Sizes of differences whose signs are not told: some signs make the sum.
      double miss = HUGE_VAL;
      for (const int i : {-1, 1}) {
        for (const int j : {-1, 1}) miss = std::min(miss, std::abs(std::abs(a + i * b + j * c) - all));
      }
      EXPECT_LT(miss, 1e-6 * (1 + all)) << task.name << " " << name;
    });
  }
}

// The ladder whole, on every task; more bases and K in `./run bounds`.
TEST(Ladder, no_rigorous_or_statistical_bound_is_below_what_was_measured) {
  const LadderSweepOptions few{
      .bases = {"dct", "svd"}, .shares = {0.1, 0.5}, .rollouts = 30, .episodes = 100, .coupled = 30};
  for (const LadderTask& task : ladder_tasks(std::string(MERCER_TEST_DATA) + "/policies")) {
    LadderTallies tallies;
    sweep_ladder(task, few, [&](const std::string&, const Certificate& made) { tally(tallies, made); });
    EXPECT_TRUE(tallies.contains("paired"));
    std::size_t solved = 0, printed = 0;
    for (const auto& [term, own] : tallies) {
      solved += own.level == Level::exact ? 1 : 0;
      printed += own.level == Level::paper ? 1 : 0;
      if (own.level == Level::paper) continue;
      EXPECT_EQ(own.violations, 0U) << task.name << " " << term;
      fmt::print("{:24} {:60} slack {:.3g} to {:.3g}, {} of {} vacuous\n", task.name, term, own.least, own.most,
                 own.vacuous, own.rows);
    }
    EXPECT_GE(solved, 8U) << task.name;
    EXPECT_GE(printed, 8U) << task.name;
  }
}

}  // namespace
}  // namespace mercer
