#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>

#include "mercer/basis.hpp"
#include "mercer/embed.hpp"
#include "mercer/env.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"

namespace mercer {
namespace {

struct Made {
  std::unique_ptr<Env> env = make_env("pendulum");
  std::unique_ptr<Policy> teacher = make_policy(MERCER_TEST_DATA "/policies/pendulum_5000_actor.onnx", env->task());
  Rollouts played;
  Lattice lattice;

  Made() {
    RolloutOptions options;
    options.episodes = 10;
    played = rollout(*env, *teacher, options);
    LatticeOptions bins = best_lattice();
    bins.state_bins = {9};
    bins.action_bins = {12};
    lattice = make_lattice(*teacher, played, bins);
  }
  Embedding continuous(const std::string& basis, NumberFormat format) const {
    ContinuousOptions options;
    options.dictionary.basis = basis;
    options.k = 9;
    options.format = format;
    options.rounds = 1;
    options.episodes = 10;
    return make_continuous(*env, *teacher, options).front().embedding;
  }
  Embedding table(const std::string& basis, std::size_t k, RowOrder order) const {
    TruncationOptions options;
    options.basis = basis;
    options.k = k;
    options.order = order;
    return LatticeEmbedding::make(*teacher, lattice, {}, options);
  }
  std::vector<double> actions(const Policy& policy) const {
    const StateMatrix states = pick_states(played, 200);
    std::vector<double> out(states.view().cols());
    policy.mean_action(states.view(), {out.data(), 1, out.size()});
    return out;
  }
};

const Made& made() {
  static const Made once;
  return once;
}

ErrorCode code_of(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::interrupted;
}

TEST(TermChoice, keeps_coefficients_of_a_continuous_embedding_to_the_bit) {
  for (const char* basis : {"chebyshev", "mixed", "ridge", "kernel:gaussian", "rff"}) {
    for (const NumberFormat format : {NumberFormat::int6, NumberFormat::float32}) {
      const Embedding whole = made().continuous(basis, format);
      const TermChoice choice(whole);
      ASSERT_EQ(choice.k(), whole.k());
      const std::vector<std::size_t> off{1};
      const Embedding less = choice.keep(5, off);
      ASSERT_EQ(less.k(), 4u) << basis;
      EXPECT_LT(less.payload().size(), whole.payload().size()) << basis;
      // The same function as the whole one with those coefficients at zero.
      const ContinuousCode& code = whole.continuous().code();
      std::vector<std::size_t> order(code.coefficients.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t t) { return std::abs(code.coefficients[t]); });
      std::vector<double> coefficients(code.coefficients.size());
      for (const std::size_t rank : {0, 2, 3, 4}) coefficients[order[rank]] = code.coefficients[order[rank]];
      const auto brute = continuous_policy("brute", whole.policy().contract(), code.head, code.squash,
                                           whole.continuous().function().with(coefficients));
      const std::vector<double> ours = made().actions(less.policy()), wanted = made().actions(*brute);
      for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_NEAR(ours[i], wanted[i], 1e-12) << basis;
    }
  }
}

TEST(TermChoice, ranks_by_what_moves_the_action_where_states_are_given) {
  const Embedding whole = made().continuous("chebyshev", NumberFormat::int8);
  const StateMatrix states = pick_states(made().played, 500);
  const TermChoice by_states(whole, states.view()), by_size(whole);
  for (const TermChoice* choice : {&by_states, &by_size}) {
    for (std::size_t i = 0; i + 1 < choice->terms().size(); ++i)
      EXPECT_GE(choice->terms()[i].energy, choice->terms()[i + 1].energy);
  }
  EXPECT_DOUBLE_EQ(by_size.terms()[0].energy, std::pow(by_size.terms()[0].coefficient, 2));
  // Energies of brute force: the mean square of one term alone, before squashing.
  std::vector<std::size_t> others;
  for (std::size_t i = 1; i < 9; ++i) others.push_back(i);
  const Embedding first = by_states.keep(9, others);
  std::vector<double> values(states.view().cols());
  first.continuous().function()(states.view(), {values.data(), 1, values.size()});
  double square = 0;
  for (const double value : values) square += value * value / static_cast<double>(values.size());
  EXPECT_NEAR(by_states.terms()[0].energy, square, 1e-9 * square);
}

TEST(TermChoice, truncates_a_table_as_making_it_with_fewer_would) {
  for (const char* basis : {"fourier", "dct", "db4", "haar"}) {
    for (const RowOrder order : {RowOrder::lexicographic, RowOrder::mean_action}) {
      const Embedding whole = made().table(basis, 60, order);
      const TermChoice choice(whole);
      EXPECT_EQ(choice.k(), whole.lattice().numbers().size());
      for (const std::size_t k : {7u, 20u, 41u}) {
        const std::size_t exact = [&] {
          std::size_t used = 0;
          for (std::size_t i = 0; i < choice.terms_within(k); ++i) used += choice.terms()[i].count;
          return used;
        }();
        const Embedding cut = choice.keep(k), fresh = made().table(basis, exact, order);
        EXPECT_EQ(cut.payload(), fresh.payload()) << basis << " " << k;
        EXPECT_EQ(cut.parameters(), fresh.parameters());
      }
    }
  }
}

TEST(TermChoice, truncates_ranks_as_making_it_with_fewer_would) {
  const Embedding whole = made().table("svd", 8, RowOrder::lexicographic);
  const TermChoice choice(whole);
  EXPECT_EQ(choice.k(), 8u);
  const Embedding cut = choice.keep(3), fresh = made().table("svd", 3, RowOrder::lexicographic);
  EXPECT_EQ(cut.payload(), fresh.payload());
  EXPECT_EQ(cut.parameters(), fresh.parameters());
  EXPECT_EQ(choice.terms()[1].name, "rank 2");
}

TEST(TermChoice, the_whole_is_the_embedding_itself) {
  for (const Embedding& whole :
       {made().continuous("chebyshev", NumberFormat::int8), made().table("dct", 30, RowOrder::axes),
        made().table("gmm", 3, RowOrder::lexicographic)}) {
    const TermChoice choice(whole);
    EXPECT_EQ(choice.keep(choice.k()).payload(), whole.payload());
    EXPECT_EQ(choice.sizes(5).back(), choice.k());
  }
}

TEST(TermChoice, sizes_rise_are_legal_and_few) {
  const TermChoice choice(made().table("fourier", 60, RowOrder::mean_action));
  for (const std::size_t most : {1u, 2u, 7u, 30u, 1000u}) {
    const std::vector<std::size_t> sizes = choice.sizes(most);
    EXPECT_LE(sizes.size(), most);
    EXPECT_EQ(sizes.back(), choice.k());
    EXPECT_TRUE(std::ranges::is_sorted(sizes));
    for (const std::size_t k : sizes) EXPECT_EQ(choice.keep(k).k(), k);
  }
}

TEST(TermChoice, refuses_what_is_not_there) {
  const TermChoice choice(made().continuous("chebyshev", NumberFormat::int8));
  const TermChoice mixture(made().table("gmm", 3, RowOrder::lexicographic));
  EXPECT_EQ(code_of([&] { choice.keep(0); }), ErrorCode::out_of_range);
  EXPECT_EQ(code_of([&] { choice.keep(10); }), ErrorCode::out_of_range);
  EXPECT_EQ(code_of([&] { mixture.keep(2); }), ErrorCode::out_of_range);
  const std::vector<std::size_t> none{9}, all{0, 1};
  EXPECT_EQ(code_of([&] { choice.keep(5, none); }), ErrorCode::out_of_range);
  EXPECT_EQ(code_of([&] { choice.keep(2, all); }), ErrorCode::bad_value);
}

}  // namespace
}  // namespace mercer
