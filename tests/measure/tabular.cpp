#include <cmath>
#include <numeric>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "mercer/mdp.hpp"
#include "mercer/random.hpp"
#include "support/errors.hpp"
#include "support/golden_mdp.hpp"
#include "support/tables.hpp"

namespace mercer {
namespace {

constexpr double through_Z = 1e-7;

TEST(Tabular, golden_values_critics_and_occupancies) {
  for (const std::string& name : golden_mdps) {
    const nlohmann::json golden = read_theory(name);
    const SparseMdp mdp = sparse_mdp(theory_mdp(golden));
    for (const std::string number : {"1", "2"}) {
      const nlohmann::json& expected = golden.at("expected").at("policy" + number);
      const std::string what = name + ", policy " + number + ": ";
      const TabularSolution solution = solve_tabular(mdp, flat(golden.at("pi" + number)));
      expect_golden(solution.V, expected.at("V"), what + "V");
      expect_golden(solution.Q, expected.at("Q"), what + "Q");
      expect_golden(solution.A, expected.at("A"), what + "A");
      expect_golden(solution.d, expected.at("d_discounted_normalised"), what + "d");
      expect_golden(solution.eta, expected.at("eta"), what + "eta");
      expect_golden(solution.eps_bar, expected.at("eps_bar"), what + "eps_bar");
      expect_golden(solution.span_A, expected.at("span_A_by_state"), what + "span");
      EXPECT_LT(solution.eta_error, 1e-10 * (1 + std::abs(solution.eta))) << what;
      EXPECT_NEAR(std::accumulate(solution.d.begin(), solution.d.end(), 0.0), 1, 1e-12) << what;
    }
  }
}

TEST(Tabular, golden_long_run) {
  for (const std::string& name : golden_mdps) {
    const nlohmann::json golden = read_theory(name);
    const SparseMdp mdp = sparse_mdp(theory_mdp(golden));
    for (const std::string number : {"1", "2"}) {
      const nlohmann::json& expected = golden.at("expected").at("policy" + number);
      const std::string what = name + ", policy " + number + ": ";
      const PolicyChain chain = policy_chain(mdp, flat(golden.at("pi" + number)));
      expect_golden(chain.r, expected.at("r_pi"), what + "r_pi");
      const LongRun run = long_run(chain);
      ASSERT_TRUE(run.applicable) << run.reason;
      expect_golden(run.rho, expected.at("rho_stationary"), what + "rho");
      expect_golden(run.Z, expected.at("Z"), what + "Z", through_Z);
      expect_golden(run.G, expected.at("group_inverse"), what + "G", through_Z);
      expect_golden(run.Z_norms.s1, expected.at("Z_schatten_1"), what + "S1", through_Z);
      expect_golden(run.Z_norms.s2, expected.at("Z_schatten_2"), what + "S2", through_Z);
      expect_golden(run.Z_norms.sinf, expected.at("Z_schatten_inf"), what + "Sinf", through_Z);
      expect_golden(run.tau, expected.at("tau1_group_inverse"), what + "tau", through_Z);
      expect_golden(run.kappa3, expected.at("kappa3"), what + "kappa3", through_Z);
    }
  }
}

TEST(Tabular, golden_chains_stay_accurate_where_they_hardly_go) {
  const nlohmann::json document = read_theory("chain");
  for (const nlohmann::json& golden : document.at("cases")) {
    const double alpha = golden.at("alpha").get<double>();
    const auto n = golden.at("N").get<std::size_t>();
    std::vector<double> right;
    for (std::size_t s = 0; s < n; ++s) right.insert(right.end(), {0, 1});
    const LongRun run = long_run(policy_chain(sparse_mdp(make_chain(n, alpha, 10)), right));
    ASSERT_TRUE(run.applicable);
    const std::string what = fmt::format("N {} alpha {}", n, alpha);
    for (std::size_t s = 0; s < n; ++s) {  // entry by entry, however small
      EXPECT_NEAR(run.rho[s] / golden.at("rho")[s].get<double>(), 1, 1e-9) << what;
    }
    if (!golden.contains("Z_schatten_inf")) continue;
    expect_golden(run.Z_norms.sinf, golden.at("Z_schatten_inf"), what, through_Z);
    expect_golden(run.tau, golden.at("tau1"), what, through_Z);
  }
}

TEST(Tabular, golden_finite_horizon) {
  for (const std::string& name : golden_mdps) {
    const nlohmann::json golden = read_theory(name);
    const SparseMdp mdp = sparse_mdp(theory_mdp(golden));
    const nlohmann::json& expected = golden.at("expected").at("finite_horizon_undiscounted");
    for (const std::string number : {"1", "2"}) {
      const FiniteHorizon run =
          solve_finite_horizon(mdp, flat(golden.at("pi" + number)), expected.at("T").get<std::size_t>(), 1);
      expect_golden(run.eta, expected.at("eta" + number), name);
      // Counted from the visits instead of the values.
      const PolicyChain chain = policy_chain(mdp, flat(golden.at("pi" + number)));
      double counted = 0;
      for (std::size_t t = 0; t < run.T; ++t) {
        for (std::size_t s = 0; s < mdp.n; ++s) counted += run.visits[t * mdp.n + s] * chain.r[s];
      }
      EXPECT_NEAR(counted, run.eta, 1e-12 * (1 + std::abs(run.eta)));
    }
  }
}

// A walk on a ring of n states with two actions, one step left or right (or three, seldom), that forgets slowly.
SparseMdp ring(std::size_t n, double gamma, bool far) {
  SparseMdp mdp{n, 2, {0}, {}, {}, {}, std::vector<double>(n, 1 / static_cast<double>(n)), gamma, 1, {}};
  Random random({7, Stage::simulate, n, 0});
  for (std::size_t s = 0; s < n; ++s) {
    for (std::size_t a = 0; a < 2; ++a) {
      const std::size_t step = a == 0 ? 1 : n - 1;
      const auto other = far ? random.bits() % n : (s + 3 * step) % n;
      mdp.next.insert(mdp.next.end(), {static_cast<std::uint32_t>((s + step) % n), static_cast<std::uint32_t>(other)});
      mdp.probability.insert(mdp.probability.end(), {0.9, 0.1});
      mdp.offsets.push_back(mdp.next.size());
      mdp.r.push_back(random.uniform());
    }
  }
  return mdp;
}

TEST(Tabular, every_solver_finds_the_same_within_what_it_certifies) {
  const SparseMdp mdp = ring(500, 0.99, true);
  const std::vector<double> pi = random_policy(mdp.n, mdp.m, 5).values;
  const TabularSolution dense = solve_tabular(mdp, pi, {.solver = TabularSolver::dense});
  for (const TabularSolver solver : {TabularSolver::direct, TabularSolver::iterative}) {
    const TabularSolution other = solve_tabular(mdp, pi, {.solver = solver});
    EXPECT_LE(largest_difference(dense.V, other.V), dense.V_error + other.V_error);
    EXPECT_LT(largest_difference(dense.d, other.d), 1e-12);
    EXPECT_LT(other.V_error, 1e-10);
  }
  const TabularSolution rough = solve_tabular(mdp, pi, {.solver = TabularSolver::iterative, .tolerance = 1e-3});
  EXPECT_LE(largest_difference(dense.V, rough.V), dense.V_error + rough.V_error) << "also when it stops early";
}

TEST(Tabular, a_hundred_thousand_states) {
  for (const std::size_t n : {100000, 120000}) {  // the direct solver, and the iterative one
    const SparseMdp mdp = ring(n, 0.99, false);
    const std::vector<double> pi(n * 2, 0.5);
    const TabularSolution solution = solve_tabular(mdp, pi);
    EXPECT_LT(solution.V_error, 1e-9);
    EXPECT_NEAR(std::accumulate(solution.d.begin(), solution.d.end(), 0.0), 1, 1e-9);
    const PolicyChain chain = policy_chain(mdp, pi);
    double by_visits = 0;
    for (std::size_t s = 0; s < n; ++s) by_visits += solution.d[s] * chain.r[s];
    EXPECT_NEAR(by_visits / (1 - mdp.gamma), solution.eta, 1e-8) << "eta from the occupancy";
  }
}

TEST(Tabular, the_certified_error_is_met_by_a_solution_in_rational_numbers) {
  // Two states that alternate, rewards 1 and 0, g = 1/2: V = (4/3, 2/3).
  const TabularMdp mdp{2, 1, {0, 1, 1, 0}, {1, 0}, {1, 0}, 0.5, 1, {}};
  const TabularSolution solution = solve_tabular(sparse_mdp(mdp), std::vector<double>{1, 1});
  EXPECT_LE(std::abs(static_cast<long double>(solution.eta) - 4.0L / 3), solution.eta_error);
  EXPECT_LT(solution.eta_error, 1e-14);
  EXPECT_GT(solution.eta_error, 0);
}

TEST(Tabular, the_certified_error_notices_wrong_values) {
  const nlohmann::json golden = read_theory("mdp_103_n8_m4");
  const SparseMdp mdp = sparse_mdp(theory_mdp(golden));
  const std::vector<double> pi = flat(golden.at("pi1"));
  std::vector<double> V = solve_tabular(mdp, pi).V;
  V[3] += 1e-6;
  EXPECT_GE(value_error(mdp, pi, V), 1e-6);
}

TEST(Tabular, states_where_episodes_end_pay_nothing) {
  // 0 goes to 1 for a reward of 1, and 1 would pay 5 for ever if it were not the end.
  TabularMdp mdp{2, 1, {0, 1, 0, 1}, {1, 5}, {1, 0}, 0.9, 1, {0, 1}};
  const TabularSolution ends = solve_tabular(sparse_mdp(mdp), std::vector<double>{1, 1});
  EXPECT_NEAR(ends.eta, 1, 1e-14);
  EXPECT_NEAR(ends.d[1], 0.9, 1e-14);
  mdp.terminal.clear();
  EXPECT_NEAR(solve_tabular(sparse_mdp(mdp), std::vector<double>{1, 1}).eta, 1 + 0.9 * 50, 1e-12);
}

TEST(Tabular, two_closed_classes_have_no_long_run) {
  const TabularMdp apart{3, 1, {0, 0.5, 0.5, 0, 1, 0, 0, 0, 1}, {0, 0, 0}, {1, 0, 0}, 0.9, 1, {}};
  const PolicyChain chain = policy_chain(sparse_mdp(apart), std::vector<double>{1, 1, 1});
  EXPECT_EQ(closed_classes(chain), (std::vector<std::vector<std::uint32_t>>{{1}, {2}}));
  const LongRun run = long_run(chain);
  EXPECT_FALSE(run.applicable);
  EXPECT_NE(run.reason.find("2 closed classes"), std::string::npos);
}

TEST(Tabular, transient_states_have_no_share_of_the_long_run) {
  const TabularMdp leaving{3, 1, {0.5, 0.25, 0.25, 0, 0.2, 0.8, 0, 0.6, 0.4}, {0, 0, 0}, {1, 0, 0}, 0.9, 1, {}};
  const LongRun run = long_run(policy_chain(sparse_mdp(leaving), std::vector<double>{1, 1, 1}));
  ASSERT_TRUE(run.applicable);
  EXPECT_EQ(run.rho[0], 0);
  EXPECT_NEAR(run.rho[1], 3.0 / 7, 1e-15);  // 0.8 rho_1 = 0.6 rho_2
}

TEST(Tabular, schatten_norms_of_a_matrix_worked_by_hand) {
  const std::vector<double> matrix{3, 0, 0, -4, 0, 0};  // singular values 4 and 3
  const SchattenNorms norms = schatten_norms({matrix.data(), 3, 2});
  EXPECT_NEAR(norms.s1, 7, 1e-14);
  EXPECT_NEAR(norms.s2, 5, 1e-14);
  EXPECT_NEAR(norms.sinf, 4, 1e-14);
  EXPECT_NEAR(spectral_norm({matrix.data(), 2, 3}), 5, 1e-14);  // the same numbers as 2 x 3: rows (3 0 0), (-4 0 0)
  expect_error(ErrorCode::shape_mismatch, "empty", [] { schatten_norms({}); });
}

TEST(Tabular, bad_input_is_refused) {
  const TabularMdp mdp{2, 1, {0, 1, 1, 0}, {1, 0}, {1, 0}, 1, 1, {}};
  const SparseMdp undiscounted = sparse_mdp(mdp);
  const std::vector<double> pi{1, 1};
  expect_error(ErrorCode::out_of_range, "discount", [&] { solve_tabular(undiscounted, pi); });
  expect_error(ErrorCode::shape_mismatch, "policy", [&] { checked_policy(undiscounted, {}, "policy"); });
  expect_error(ErrorCode::bad_distribution, "policy[0]", [&] {
    checked_policy(undiscounted, std::vector<double>{0.5, 1}, "policy");
  });
  expect_error(ErrorCode::out_of_range, "horizon", [&] { solve_finite_horizon(undiscounted, pi, 0, 1); });
  expect_error(ErrorCode::too_large, "10^8", [&] { solve_finite_horizon(undiscounted, pi, 100000000, 1); });
  const PolicyChain chain = policy_chain(undiscounted, pi);
  expect_error(ErrorCode::shape_mismatch, "right side", [&] { solve_discounted(chain, 0.5, {}, false); });
}

}  // namespace
}  // namespace mercer
