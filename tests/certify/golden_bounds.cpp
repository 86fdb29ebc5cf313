#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "certify/bandit.hpp"
#include "certify/discretisation.hpp"
#include "certify/exact.hpp"
#include "certify/pruning.hpp"
#include "certify/variance.hpp"
#include "mercer/certify.hpp"
#include "mercer/statistics.hpp"
#include "support/golden_mdp.hpp"

namespace mercer {
namespace {

constexpr double through_Z = 1e-7;

// The keys of the golden files and the ids of the bounds.
const std::map<std::string, std::string> ids{
    {"trivial", "B0"},
    {"max_tv", "B1"},
    {"max_tv_span", "B1'"},
    {"weighted_d2A1", "B2/d2A1"},
    {"weighted_d1A2", "B2/d1A2"},
    {"weighted_abs_d2A1", "B2'/d2A1"},
    {"weighted_abs_d1A2", "B2'/d1A2"},
    {"onpolicy1", "B3/1"},
    {"onpolicy2", "B3/2"},
    {"modelfree_d1", "B4/d1"},
    {"modelfree_d2", "B4/d2"},
    {"coupling", "B5"},
    {"coupling_geom", "B6"},
    {"trpo_correct", "B9"},
    {"rkhs", "B7/M"},
    {"rkhs_pointwise", "B7/pointwise"},
    {"rkhs_weighted", "B7'/d2A1"},
    {"parseval_weighted", "B8/d2A1"},
    {"paper_alpha", "paper_alpha"},
    {"paper_trunc_inf", "paper_trunc_inf"},
    {"rig_2norm", "C3/Z1"},
    {"rig_2norm_frob", "C3/frobenius"},
    {"rig_L1_tau_exactE", "C1/Z1"},
    {"rig_L1_tau_rowE", "C1/rows"},
    {"rig_L1_tau_TV", "C1/TV"},
    {"rig_L1_tau_maxTV", "C1/alpha"},
    {"rig_Linf_k3", "C2/Z1"},
    {"rig_L1_Zinf", "C1/Z_norm"},
    {"rig_L1_Ginf", "C1/G_norm"},
    {"printed_S1_as_2norm", "paper_coverage"},
    {"printed_as_vector_L1", "paper_coverage_l1"},
};

std::vector<Bound> all_bounds(const TabularComparison& comparison, const BoundInputs& inputs) {
  std::vector<Bound> all = rigorous_bounds(comparison, inputs);
  for (Bound& bound : paper_bounds(comparison, inputs)) all.push_back(std::move(bound));
  return all;
}

void expect_bounds(const TabularComparison& comparison, const std::string& kernel, const nlohmann::json& expected,
                   const std::string& what) {
  const std::vector<Bound> bounds =
      all_bounds(comparison, {.kernel = make_action_kernel(parse<ActionKernelKind>(kernel), comparison.mdp.m)});
  for (const auto& [key, value] : expected.items()) {
    if (key == "true") {
      expect_golden(std::abs(comparison.difference()), value, what + key);
    } else if (key == "pdl_identity_d2A1") {
      expect_golden(-comparison.difference(), value, what + key);
    } else {
      ASSERT_TRUE(ids.contains(key)) << key;
      const Bound* const bound = find_bound(bounds, ids.at(key));
      ASSERT_NE(bound, nullptr) << key;
      expect_golden(bound->value, value, what + key);
    }
  }
}

TEST(GoldenBounds, of_the_return_in_two_kernels) {
  for (const std::string& name : golden_mdps) {
    const nlohmann::json golden = read_theory(name);
    const nlohmann::json& expected = golden.at("expected");
    const TabularComparison comparison = compare(theory_mdp(golden), flat(golden.at("pi1")), flat(golden.at("pi2")));
    expect_bounds(comparison, "sobolev", expected.at("bounds_sobolev_kernel"), name + ", sobolev: ");
    expect_bounds(comparison, "identity", expected.at("bounds_identity_kernel"), name + ", identity: ");
    expect_golden(comparison.TV, expected.at("TV_by_state"), name);
    expect_golden(comparison.E_gamma_tau, expected.at("E_gamma_tau"), name);
    expect_golden(comparison.T3_frobenius, expected.at("T3_schatten_2"), name);
    expect_golden(comparison.T3_spectral, expected.at("T3_schatten_inf"), name);
    expect_golden(comparison.delta_norms.s1, expected.at("dPi_schatten_1"), name);
    expect_golden(comparison.delta_norms.s2, expected.at("dPi_schatten_2"), name);
  }
}

TEST(GoldenBounds, kernels_and_their_norms) {
  for (const std::string& name : golden_mdps) {
    const nlohmann::json golden = read_theory(name);
    const nlohmann::json& expected = golden.at("expected");
    const std::size_t m = golden.at("m").get<std::size_t>();
    const ActionKernel kernel = make_action_kernel(ActionKernelKind::sobolev, m);
    const std::vector<double> columns = flat(expected.at("real_dft_basis_columns"));
    for (std::size_t k = 0; k < m; ++k) {
      for (std::size_t a = 0; a < m; ++a) EXPECT_NEAR(kernel.e[k * m + a], columns[a * m + k], 1e-12) << name;
    }
    expect_golden(kernel.lambda, expected.at("lambda_sobolev"), name);
    expect_golden(kernel.diagonal, expected.at("kappa_diag_sobolev"), name);
    expect_golden(kernel.M, expected.at("M_sobolev"), name);
    const TabularComparison comparison = compare(theory_mdp(golden), flat(golden.at("pi1")), flat(golden.at("pi2")));
    const std::vector<double> xi = kernel_coefficients(kernel, comparison.delta);
    std::vector<double> expected_xi = flat(expected.at("xi_delta_by_state"));
    // The golden file may take pi1 - pi2.
    const double sign = std::abs(xi[1] - expected_xi[1]) < std::abs(xi[1] + expected_xi[1]) ? 1 : -1;
    for (std::size_t i = 0; i < xi.size(); ++i) EXPECT_NEAR(sign * xi[i], expected_xi[i], 1e-12) << name;
    expect_golden(squared_norms(kernel, xi, 0, m), expected.at("H_norm_sq_by_state_sobolev"), name);
  }
}

TEST(GoldenBounds, of_the_stationary_distribution) {
  for (const std::string& name : golden_mdps) {
    const nlohmann::json golden = read_theory(name);
    const nlohmann::json& coverage = golden.at("expected").at("coverage");
    const TabularComparison comparison = compare(theory_mdp(golden), flat(golden.at("pi1")), flat(golden.at("pi2")));
    const std::vector<Bound> bounds =
        all_bounds(comparison, {.kernel = make_action_kernel(ActionKernelKind::identity, comparison.mdp.m)});
    for (const auto& [key, value] : coverage.items()) {
      if (!ids.contains(key)) continue;
      const Bound* const bound = find_bound(bounds, ids.at(key));
      ASSERT_NE(bound, nullptr) << key;
      expect_golden(bound->value, value.at("bound"), name + ": " + key, through_Z);
      expect_golden(bound->measured.value(), value.at("actual"), name + ": " + key, through_Z);
    }
    const double printed = find_bound(bounds, "paper_coverage")->value;
    const auto n = static_cast<double>(comparison.mdp.n);
    expect_golden(printed * n * n, coverage.at("printed_A_true_norm").at("bound"), name, through_Z);
    // The norm of the change of the chain, which the printed proof passes through.
    expect_golden(comparison.delta_norms.s2 * comparison.T3_frobenius, coverage.at("ES1_le_DF_TF").at("bound"), name);
    expect_golden(comparison.delta_norms.s1 * comparison.T3_frobenius, coverage.at("ES1_le_printed").at("bound"), name);
  }
}

TEST(GoldenBounds, of_a_finite_horizon_and_of_mean_actions) {
  for (const std::string& name : golden_mdps) {
    const nlohmann::json golden = read_theory(name);
    const nlohmann::json& expected = golden.at("expected");
    const nlohmann::json& horizon = expected.at("finite_horizon_undiscounted");
    const std::vector<double> pi1 = flat(golden.at("pi1")), pi2 = flat(golden.at("pi2"));
    const std::vector<double> atoms = flat(golden.at("action_atoms"));
    const std::vector<std::vector<double>> axes{atoms};
    const TabularComparison comparison = compare(theory_mdp(golden), pi1, pi2);
    const std::vector<Bound> bounds =
        all_bounds(comparison, {.kernel = make_action_kernel(ActionKernelKind::identity, atoms.size()),
                                .atoms = axes,
                                .T = horizon.at("T").get<std::size_t>()});
    expect_golden(find_bound(bounds, "B5_T")->value, horizon.at("coupling_bound"), name);
    const double difference = std::abs(horizon.at("eta1").get<double>() - horizon.at("eta2").get<double>());
    EXPECT_NEAR(find_bound(bounds, "B5_T")->measured.value(), difference, 1e-10);
    const std::size_t m = atoms.size();
    std::vector<double> w1;
    for (std::size_t s = 0; s < comparison.mdp.n; ++s) {
      w1.push_back(wasserstein_on_atoms(std::span(pi1).subspan(s * m, m), std::span(pi2).subspan(s * m, m), atoms));
    }
    expect_golden(w1, expected.at("W1_by_state"), name);
    const Bound* const row = find_bound(bounds, "paper_w1_mean_action");
    EXPECT_NEAR(row->value, std::ranges::max(w1), 1e-13);
    EXPECT_LE(row->measured.value(), row->value * (1 + 1e-12));
  }
}

TEST(GoldenBounds, the_printed_truncation_theorem_fails_in_one_state) {
  const nlohmann::json golden = read_theory("counterexample_truncation_single_state");
  for (const nlohmann::json& one : golden.at("cases")) {
    const TabularComparison comparison = compare(theory_mdp(golden), flat(one.at("pi1")), flat(one.at("pi2")));
    expect_bounds(comparison, "identity", one.at("bounds_identity_kernel"), "counterexample: ");
    const std::vector<Bound> printed =
        paper_bounds(comparison, {.kernel = make_action_kernel(ActionKernelKind::identity, 2)});
    EXPECT_LT(find_bound(printed, "paper_trunc_inf")->value, std::abs(comparison.difference()));
  }
}

TEST(GoldenBounds, geometric_tail) {
  const nlohmann::json golden = read_theory("lemma_tail");
  int beyond = 0;
  for (const nlohmann::json& one : golden.at("cases")) {
    const auto K = one.at("K").get<std::size_t>();
    const double eps = one.at("eps").get<double>();
    if (eps >= 1) {  // where the printed form is negative
      expect_golden(geometric_bound(eps, K), one.at("bound_infinite"), "E_K");
      ++beyond;
      continue;
    }
    const std::vector<double> lambda = flat(one.at("lam")), dxi = flat(one.at("dxi"));
    const GeometricTail tail = geometric_tail(dxi, lambda, K);
    expect_golden(tail.tail, one.at("tail"), "tail");
    expect_golden(tail.eps, one.at("eps_star"), "eps*");
    expect_golden(geometric_bound(eps, K), one.at("bound_infinite"), "E_K");
    expect_golden(geometric_bound(eps, K, lambda.size()), one.at("bound_finite"), "finite E_K");
    EXPECT_LE(tail.tail, tail.bound_finite * (1 + 1e-12));
  }
  EXPECT_EQ(beyond, 1);
}

TEST(GoldenBounds, bandit) {
  const nlohmann::json golden = read_theory("bandit");
  for (const nlohmann::json& one : golden.at("cases")) {
    const std::vector<double> r = flat(one.at("r")), pi1 = flat(one.at("pi1")), pi2 = flat(one.at("pi2"));
    const ActionKernel kernel = make_action_kernel(ActionKernelKind::sobolev, r.size());
    expect_golden(kernel.lambda, one.at("lam"), "lambda");
    expect_golden(kernel.M, one.at("M"), "M");
    const BanditBounds bounds = bandit_bounds(r, pi1, pi2, kernel);
    expect_golden(bounds.difference, nlohmann::json(std::abs(one.at("eta_diff").get<double>())), "difference");
    expect_golden(bounds.tv_span, one.at("tv_span"), "TV span");
    const char* const p[3] = {"p1", "p2", "pinf"};
    for (int i = 0; i < 3; ++i) {
      expect_golden(bounds.printed[i], one.at(std::string("printed_") + p[i]), "printed");
      expect_golden(bounds.rigorous[i], one.at(std::string("rigorous_") + p[i]), "rigorous");
      EXPECT_LE(bounds.difference, bounds.rigorous[i]);
      EXPECT_LE(bounds.difference, bounds.centred[i]);
    }
    // The same as rows of a process of one state.
    const TabularMdp mdp{1, r.size(), std::vector<double>(r.size(), 1), r, {1}, 0.5, 1, {}};
    const std::vector<Bound> rows = all_bounds(compare(mdp, pi1, pi2), {.kernel = kernel});
    expect_golden(find_bound(rows, "paper_bandit_p2")->value, one.at("printed_p2"), "row");
    expect_golden(find_bound(rows, "bandit/pinf")->value, one.at("rigorous_pinf"), "row");
  }
}

TEST(GoldenBounds, discretisation_areas_and_volume) {
  const nlohmann::json golden = read_theory("discretisation");
  for (const nlohmann::json& one : golden.at("cases")) {
    const std::vector<double> samples = flat(one.at("samples"));
    const BinAreas areas = bin_areas(samples, one.at("b").get<std::size_t>());
    expect_golden(areas.edges, one.at("edges_type1"), "edges");
    expect_golden(areas.integral, one.at("integral_ecdf"), "integral");
    expect_golden(areas.ceil, one.at("ceil_error"), "ceil");
    expect_golden(areas.floor, one.at("floor_error"), "floor");
    double sum = 0;
    for (const double area : areas.ceil) sum += std::abs(area);
    expect_golden(sum, one.at("W1_to_left_ends"), "W1 to the left ends");
  }
  for (const nlohmann::json& one : golden.at("product_cases")) {
    const std::vector<double> s = flat(one.at("s")), a = flat(one.at("a"));
    const auto bS = one.at("bS").get<std::size_t>(), bA = one.at("bA").get<std::size_t>();
    const DiscretisationVolume volume =
        discretisation_volume({s.data(), 1, s.size()}, {a.data(), 1, a.size()}, std::vector{bS}, std::vector{bA});
    expect_golden(volume.fixed, one.at("delta_printed_with_ecdf_integrand"), "fixed");
    expect_golden(volume.printed, one.at("delta_literal_with_discretised_integrand"), "printed");
    expect_golden(bin_areas(s, bS).ceil, one.at("ceil_errors_S"), "states");
  }
}

TEST(GoldenBounds, pruning) {
  const nlohmann::json golden = read_theory("pruning");
  for (const nlohmann::json& one : golden.at("spibb")) {
    expect_golden(
        printed_pruning_bound(one.at("S"), one.at("A"), one.at("N"), one.at("gamma"), one.at("r_M"), one.at("delta")),
        one.at("bound"), "printed");
  }
  expect_golden(counted_policy(flat(golden.at("counts")), 3), golden.at("pi_pruned_counts"), "counts");
}

TEST(GoldenBounds, variance_lemma) {
  const nlohmann::json golden = read_theory("variance");
  for (const nlohmann::json& one : golden.at("cases")) {
    const TabularComparison comparison = compare(theory_mdp(one), flat(one.at("pi")), flat(one.at("pi_hat")));
    const VarianceCheck check = variance_check(comparison, flat(one.at("raw")));
    expect_golden(check.E_eps, one.at("E_eps"), "E_eps");
    expect_golden(check.E_eps2, one.at("E_eps2"), "E_eps2");
    expect_golden(check.V_pi, one.at("V_pi"), "V_pi");
    expect_golden(check.V_raw, one.at("V_raw"), "V_raw");
    expect_golden(check.V_eps, one.at("V_eps"), "V_eps");
    expect_golden(check.covariance, one.at("cov"), "cov");
    expect_golden(check.V_Q1, one.at("V_Q_pi"), "V_Q1");
    expect_golden(check.V_Q2, one.at("V_Q_hat"), "V_Q2");
    expect_golden(check.sd_bound1, one.at("sd_bound"), "sd bound");
    EXPECT_LE(check.sd_difference, check.sd_bound2);
    expect_golden(check.sd_difference, one.at("sd_diff"), "sd difference");
    expect_golden(comparison.policy1.eta, one.at("eta_pi"), "eta");
    expect_golden(comparison.policy2.eta, one.at("eta_hat"), "eta");
    EXPECT_EQ(check.condition2, one.at("cond2").get<bool>());
    // Rewards are positive and sigma' falls there: the larger return has the smaller slope.
    EXPECT_EQ(check.condition1, comparison.policy2.eta >= comparison.policy1.eta);
  }
}

}  // namespace
}  // namespace mercer
