#include "mercer/certify.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "certify/coupling.hpp"
#include "mercer/env.hpp"
#include "mercer/file.hpp"
#include "mercer/policy.hpp"
#include "support/errors.hpp"
#include "support/random_mdp.hpp"
#include "support/stranger.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

std::vector<double> mixed(const std::vector<double>& a, const std::vector<double>& b, double share) {
  std::vector<double> out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = (1 - share) * a[i] + share * b[i];
  return out;
}

// Every row of every certificate is above the truth, which is solved.
TEST(Certify, no_row_is_below_the_true_difference) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    TabularMdp mdp = random_mdp(6, 3, seed);
    mdp.horizon = 15;
    const auto pi1 = random_rows(6, 3, seed, 1), pi2 = mixed(pi1, random_rows(6, 3, seed, 2), 0.2);
    const TabularEnv env("t", mdp);
    const double loss = finite_return(mdp, pi1, 1) - finite_return(mdp, pi2, 1);
    CertifyOptions options;
    options.episodes = 2000;
    options.seed = seed;
    const Certificate made =
        certify(EnvPlayer(env), TabularPolicy("1", 6, 3, pi1), TabularPolicy("2", 6, 3, pi2), options);
    std::vector<std::string> terms;
    for (const CertificateRow& row : made.rows) {
      if (row.about != Quantity::episode_return) continue;
      terms.push_back(row.term);
      EXPECT_GE(row.value * (1 + 1e-12), row.term == "paired" ? loss : std::abs(loss)) << row.term;
      EXPECT_NEAR(row.slack, row.value - row.measured, 1e-12);
      EXPECT_FALSE(row.assumptions.empty());
    }
    EXPECT_EQ(terms, (std::vector<std::string>{"paired", "coupling", "modelfree_d1", "trivial", "coupling_geom",
                                               "exact", "B0_T", "B2_T", "B2'_T", "B4_T", "B5_T"}));
    EXPECT_TRUE(made.within_budget);
    EXPECT_GE(made.upper_return, loss);
  }
}

// A player that is nothing but a player: the paired row alone, about the return itself where its range is known.
TEST(Certify, a_player_without_a_task_has_the_paired_row) {
  TabularMdp mdp = random_mdp(6, 3, 3);
  mdp.horizon = 15;
  const TabularEnv env("t", mdp);
  const auto pi1 = random_rows(6, 3, 3, 1), pi2 = random_rows(6, 3, 3, 2);
  const TabularPolicy teacher("1", 6, 3, pi1), student("2", 6, 3, pi2);
  CertifyOptions options;
  options.episodes = 500;
  const Certificate whole = certify(EnvPlayer(env), teacher, student, options);
  const Certificate known = certify(Stranger(env, env.return_range(15), false), teacher, student, options);
  EXPECT_GT(whole.rows.size(), 1u);
  ASSERT_EQ(known.rows.size(), 1u);
  EXPECT_EQ(known.level, Level::statistical);
  EXPECT_LT(known.rows[0].value, whole.rows[0].value);  // fewer bounds share the confidence
  EXPECT_EQ(known.rows[0].assumptions, whole.rows[0].assumptions);
  CertifyOptions alone = options;
  alone.levels = {};
  EXPECT_EQ(certify(EnvPlayer(env), teacher, student, alone).upper_percent, known.upper_percent);

  const Stranger unknown(env, std::nullopt, false);
  const Certificate cut = certify(unknown, teacher, student, options);
  EXPECT_EQ(cut.level, Level::statistical);
  ASSERT_TRUE(cut.cut);
  ASSERT_EQ(cut.promises.size(), 6u);  // the loss twice, outside, roughness and two distances
  EXPECT_EQ(cut.promises[2].about, Quantity::outside);
  EXPECT_GT(cut.promises[2].upper, cut.promises[2].measured);
  EXPECT_GE(cut.upper_return, finite_return(mdp, pi1, 1) - finite_return(mdp, pi2, 1));

  options.method = LossMethod::student_t;
  const Certificate estimate = certify(unknown, teacher, student, options);
  EXPECT_EQ(estimate.level, Level::estimate);
  EXPECT_EQ(estimate.method, LossMethod::student_t);
  EXPECT_EQ(estimate.loss_return, whole.loss_return);
  EXPECT_FALSE(estimate.rows[0].vacuous);
  const auto says = [&](const std::string& text) { return text.find("return_range") != std::string::npos; };
  EXPECT_TRUE(std::ranges::any_of(cut.not_covered, says));
  EXPECT_FALSE(std::ranges::any_of(known.not_covered, says));
  EXPECT_EQ(certify(unknown, teacher, teacher, options).level, Level::estimate);  // equal returns prove nothing
}

TEST(Certify, budgets_are_kept_or_not) {
  TabularMdp mdp = random_mdp(6, 3, 3);
  mdp.horizon = 15;
  const auto pi = random_rows(6, 3, 3, 1);
  const TabularEnv env("t", mdp);
  const TabularPolicy teacher("1", 6, 3, pi);
  CertifyOptions options;
  options.episodes = 500;
  options.levels = {Level::statistical};
  options.max_loss_return = 10;
  EXPECT_TRUE(certify(EnvPlayer(env), teacher, teacher, options).within_budget);
  options.max_loss_return = 1e-6;
  const Certificate refused = certify(EnvPlayer(env), teacher, teacher, options);
  EXPECT_FALSE(refused.within_budget);
  EXPECT_EQ(refused.loss_return, 0);  // the same policy with the same random numbers
  for (const CertificateRow& row : refused.rows) EXPECT_EQ(row.level, Level::statistical);
}

// The same ladder over discounted returns, whose truth is solved too.
TEST(Certify, discounted_returns_have_a_ladder_of_their_own) {
  TabularMdp mdp = random_mdp(6, 3, 4);
  mdp.horizon = 40;
  const auto pi1 = random_rows(6, 3, 4, 1), pi2 = mixed(pi1, random_rows(6, 3, 4, 2), 0.3);
  const TabularEnv env("t", mdp);
  const double loss = finite_return(mdp, pi1, 0.9) - finite_return(mdp, pi2, 0.9);
  CertifyOptions options;
  options.episodes = 2000;
  options.gamma = 0.9;
  const Certificate made =
      certify(EnvPlayer(env), TabularPolicy("1", 6, 3, pi1), TabularPolicy("2", 6, 3, pi2), options);
  EXPECT_NEAR(made.loss_return, loss, 0.1);
  for (const CertificateRow& row : made.rows) {
    if (row.about != Quantity::episode_return) continue;
    EXPECT_GE(row.value * (1 + 1e-12), row.term == "paired" ? loss : std::abs(loss)) << row.term;
    EXPECT_TRUE(row.term != "trivial" || row.value <= 2 * (1 - std::pow(0.9, 40)) / 0.1 + 1e-9);
  }
}

// A later attempt has less to spend: it promises less.
TEST(Certify, attempts_cost) {
  const TabularEnv env("chain", make_chain(4, 0.8, 30));
  const TabularPolicy teacher("1", 4, 2, std::vector<double>(8, 0.5));
  CertifyOptions options;
  options.episodes = 300;
  const double once = certify(EnvPlayer(env), teacher, teacher, options).upper_return;
  options.attempt = 3;
  EXPECT_GT(certify(EnvPlayer(env), teacher, teacher, options).upper_return, once);
}

struct CarLattice {
  std::unique_ptr<Env> env = make_env("continuous-mountain-car", 0);
  std::unique_ptr<Policy> teacher =
      make_policy(std::string(MERCER_TEST_DATA) + "/policies/cmc_sde_10000_actor.onnx", env->task());
  LatticeOptions options = best_lattice();
  Lattice lattice;

  CarLattice() {
    options.state_bins = {20};
    options.action_bins = {15};
    lattice = make_lattice(*teacher, rollout(*env, *teacher, {.episodes = 40}), options);
  }
  LatticeEmbedding embedding(std::size_t k) const {
    return LatticeEmbedding::make(*teacher, lattice, options.playing, {.basis = "dct", .k = k});
  }
};

TEST(Certify, an_embedding_gets_coupling_and_pruning_rows_and_keeps_its_certificate) {
  const CarLattice car;
  const LatticeEmbedding embedding = car.embedding(600);
  CertifyOptions options;
  options.episodes = 300;
  options.coupled = 100;
  options.seed = 77;
  const Certificate made = certify(EnvPlayer(*car.env), *car.teacher, embedding.policy(), options);
  const auto row = [&](const std::string& term) {
    return std::ranges::find(made.rows, term, &CertificateRow::term) != made.rows.end();
  };
  EXPECT_TRUE(row("paired") && row("coupling") && row("pruning") && row("trivial"));
  for (const CertificateRow& one : made.rows) {
    EXPECT_FALSE(one.level != Level::paper && one.value * (1 + 1e-9) < one.measured) << one.term;
  }

  const TemporaryFolder folder;
  const auto path = folder / "p.mercer";
  write_embedding(path, embedding, {"continuous-mountain-car", "actor", 0, {}});
  EXPECT_FALSE(read_embedding(path).certificate);
  add_certificate(path, made);
  add_certificate(path, made);  // takes the place of the first
  const EmbeddingFile file = read_embedding(path);
  ASSERT_TRUE(file.certificate);
  EXPECT_EQ(certificate_json(*file.certificate), certificate_json(made));
  EXPECT_EQ(file.embedding.payload(), embedding.payload());
}

TEST(Certify, says_why_atoms_have_no_coupling_bound) {
  CarLattice car;
  car.options.playing.noise = false;
  const LatticeEmbedding embedding = car.embedding(600);
  CertifyOptions options;
  options.episodes = 50;
  options.levels = {Level::statistical};
  const Certificate made = certify(EnvPlayer(*car.env), *car.teacher, embedding.policy(), options);
  EXPECT_EQ(std::ranges::find(made.rows, "coupling", &CertificateRow::term), made.rows.end());
  EXPECT_TRUE(std::ranges::any_of(made.not_covered, [](const std::string& sentence) {
    return sentence.find("embedding plays single values") != std::string::npos;
  }));
}

// Students of a known loss that falls with K: the smallest K within the budget is found, and certified elsewhere.
TEST(ChooseK, finds_the_smallest_that_keeps_the_budget) {
  const TabularEnv env("chain", make_chain(5, 0.9, 20));
  std::vector<double> right, left;
  for (int s = 0; s < 5; ++s) {
    right.insert(right.end(), {0, 1});
    left.insert(left.end(), {1, 0});
  }
  const TabularPolicy teacher("right", 5, 2, right);
  const StudentOfK student = [&](std::size_t k) {
    return std::make_shared<TabularPolicy>("k", 5, 2, mixed(right, left, 0.3 / static_cast<double>(k)));
  };
  CertifyOptions options;
  options.episodes = 4000;
  options.max_loss = 0.05;
  options.levels = {Level::statistical};
  const KChoice choice = choose_k(EnvPlayer(env), teacher, student, 1, 64, options);
  ASSERT_TRUE(choice.within_budget);
  const auto percent = std::ranges::find(choice.certificate.promises, Quantity::return_percent, &Promise::about);
  ASSERT_NE(percent, choice.certificate.promises.end());
  EXPECT_LE(percent->alone, 5);  // a budget that was fixed beforehand needs no share for the other promises
  EXPECT_EQ(choice.certificate.seed, options.seed + 1);
  EXPECT_GT(choice.k, 1u);
  EXPECT_LT(choice.k, 64u);
  const auto smallest = std::ranges::find(choice.curve, true, &KPoint::within_budget);
  ASSERT_NE(smallest, choice.curve.end());
  EXPECT_GE(choice.k, smallest->k);
  EXPECT_LE(choice.k, smallest->k * 8 / 7 * 8 / 7 + 2);  // larger only for what failed on split 2
  EXPECT_FALSE((smallest - 1)->within_budget);
  EXPECT_LE(smallest->k - (smallest - 1)->k, 1u);
  EXPECT_TRUE(std::ranges::is_sorted(choice.curve, {}, &KPoint::k));
  for (std::size_t i = 1; i < choice.curve.size(); ++i) {
    EXPECT_LE(choice.curve[i].loss_percent, choice.curve[i - 1].loss_percent + 0.5);
  }

  options.max_loss = 1e-5;
  const KChoice none = choose_k(EnvPlayer(env), teacher, student, 1, 64, options);
  EXPECT_FALSE(none.within_budget);
  EXPECT_EQ(none.k, 64u);
  expect_error(ErrorCode::out_of_range, "rising", [&] { choose_k(EnvPlayer(env), teacher, student, 5, 4, options); });
  options.max_loss.reset();
  expect_error(ErrorCode::missing_option, "limit", [&] { choose_k(EnvPlayer(env), teacher, student, 1, 4, options); });
}

// The twin bounds every K. Only the teacher is played to choose, and the theorem is never below the solved loss.
TEST(ChooseK, by_bound_is_the_smallest_whose_theorem_keeps_the_budget) {
  const TabularEnv env("chain", make_chain(5, 0.9, 20));
  std::vector<double> right, left;
  for (int s = 0; s < 5; ++s) {
    right.insert(right.end(), {0, 1});
    left.insert(left.end(), {1, 0});
  }
  const TabularPolicy teacher("right", 5, 2, right);
  const auto share = [](std::size_t k) { return 0.3 / static_cast<double>(k); };
  std::size_t played = 0;
  const StudentOfK student = [&](std::size_t k) {
    ++played;
    return std::make_shared<TabularPolicy>("k", 5, 2, mixed(right, left, share(k)));
  };
  CertifyOptions options;
  options.episodes = 2000;
  options.coupled = 500;
  options.max_loss_return = 0.4;
  options.levels = {Level::statistical};
  const KChoice choice = choose_k(EnvPlayer(env), teacher, student, 1, 64, options, 3, {}, KRule::bound);
  EXPECT_EQ(choice.rule, KRule::bound);
  EXPECT_EQ(choice.episodes, 500U);
  const auto bound_of = [&](std::size_t k) {
    SparseMdp mdp = sparse_mdp(env.mdp());
    const std::vector<Bound> rows = horizon_bounds(mdp, right, mixed(right, left, share(k)), 20);
    return best_bound(rows, Quantity::episode_return)->value;
  };
  std::size_t smallest = 1;
  while (bound_of(smallest) > 0.4) ++smallest;
  EXPECT_GT(smallest, 1U);
  EXPECT_EQ(std::ranges::find(choice.curve, true, &KPoint::within_budget)->k, smallest);
  EXPECT_GE(choice.k, smallest);
  for (const KPoint& point : choice.curve) {
    EXPECT_NEAR(point.upper_return, bound_of(point.k), 1e-9);
    EXPECT_FALSE(point.bound.empty());
    EXPECT_LE(point.loss_percent, point.upper_percent.value() * (1 + 1e-9)) << "a theorem";
  }
  EXPECT_EQ(choice.certificate.seed, options.seed + 1);

  const KChoice energy = choose_k(EnvPlayer(env), teacher, student, 1, 7, options, 3, {}, KRule::energy);
  EXPECT_EQ(energy.k, 7U);
  EXPECT_TRUE(energy.curve.empty());
  EXPECT_EQ(energy.episodes, 0U);
}

}  // namespace
}  // namespace mercer
