#include <cmath>

#include <gtest/gtest.h>

#include "mercer/basis.hpp"
#include "mercer/random.hpp"
#include "support/errors.hpp"
#include "support/tables.hpp"

namespace mercer {
namespace {

using Indices = std::vector<std::size_t>;

// Two pairs (magnitudes 3 and 2) and three singles (2.5, 1 and 0.5): by magnitude 3 3 | 2.5 | 2 2 | 1 | 0.5.
const std::vector<Term> some_terms{{0, 0, 0.25, 1, true}, {1, 5, 18, 2}, {2, 2, 6.25, 1}, {3, 6, 8, 2}, {4, 4, 1, 1}};

TEST(Truncation, takes_by_magnitude_and_keeps_pairs_together) {
  const Truncation truncation(some_terms, false);
  EXPECT_EQ(truncation.size(), 7U);
  EXPECT_EQ(truncation.kept(0), Indices{});
  EXPECT_EQ(truncation.kept(1), (Indices{2}));  // the pair has no room: the next single takes the place
  EXPECT_EQ(truncation.kept(2), (Indices{1, 5}));
  EXPECT_EQ(truncation.kept(3), (Indices{1, 2, 5}));
  EXPECT_EQ(truncation.kept(4), (Indices{1, 2, 4, 5}));
  EXPECT_EQ(truncation.kept(5), (Indices{1, 2, 3, 5, 6}));
  EXPECT_EQ(truncation.kept(7), (Indices{0, 1, 2, 3, 4, 5, 6}));
}

TEST(Truncation, keeps_the_mean_first_when_asked) {
  const Truncation truncation(some_terms);
  EXPECT_EQ(truncation.kept(1), (Indices{0}));
  EXPECT_EQ(truncation.kept(2), (Indices{0, 2}));
  EXPECT_EQ(truncation.kept(3), (Indices{0, 1, 5}));
}

TEST(Truncation, energies_are_those_of_what_is_dropped) {
  const Truncation truncation(some_terms, false);
  const std::vector<double> expected{33.5, 27.25, 15.5, 9.25, 8.25, 1.25, 0.25, 0};
  EXPECT_EQ(truncation.energy_curve(), expected);
  EXPECT_EQ(truncation.smallest_k(33.5), 0U);
  EXPECT_EQ(truncation.smallest_k(9), 4U);
  EXPECT_EQ(truncation.smallest_k(0), 7U);
}

// Pairs, singles, many ties: for every K the same without ranking.
TEST(Truncation, the_largest_are_found_without_ranking_the_others) {
  for (std::uint64_t round = 0; round < 40; ++round) {
    Random random({round, Stage::task, 0, 0});
    std::vector<Term> terms;
    std::size_t index = 0;
    for (std::size_t i = 0; i < 1 + round; ++i) {
      const bool pair = random.uniform() < 0.6;
      const double magnitude = std::floor(5 * random.uniform());
      terms.push_back({index, pair ? index + 1 : index, (pair ? 2 : 1) * magnitude, pair ? 2U : 1U, i == round / 2});
      index += pair ? 2 : 1;
    }
    for (const bool keep_mean : {true, false}) {
      const Truncation all(terms, keep_mean);
      for (std::size_t k = 0; k <= all.size(); ++k) ASSERT_EQ(largest_kept(terms, k, keep_mean), all.kept(k)) << k;
      expect_error(ErrorCode::out_of_range, "legal: 0 to", [&] { largest_kept(terms, all.size() + 1, keep_mean); });
    }
  }
}

TEST(Truncation, ties_go_to_the_lower_index) {
  const Truncation truncation({{0, 0, 1, 1}, {1, 2, 2, 2}, {3, 3, 1, 1}}, false);
  EXPECT_EQ(truncation.kept(1), (Indices{0}));
  EXPECT_EQ(truncation.kept(3), (Indices{0, 1, 2}));
}

TEST(Truncation, only_pairs_leave_a_place_empty) {
  const Truncation truncation({{0, 1, 2, 2}, {2, 3, 1, 2}}, false);
  EXPECT_EQ(truncation.kept(1), Indices{});
  EXPECT_EQ(truncation.kept(3), (Indices{0, 1}));
  EXPECT_EQ(truncation.discarded_energy(3), 1);
}

// The twin: the best choice of at most K coefficients by trying all sets of terms.
TEST(Truncation, no_other_choice_drops_less_unless_a_single_place_is_left_over) {
  const Table table = random_table({3, 4}, 8);
  const auto basis = make_basis("fourier");
  basis->train(table);
  const std::vector<Term> terms = basis->terms(basis->apply(table.values));
  const Truncation truncation(terms, false);
  for (std::size_t k = 0; k <= truncation.size(); ++k) {
    double best = HUGE_VAL;
    for (unsigned set = 0; set < 1U << terms.size(); ++set) {
      std::size_t count = 0;
      double dropped = 0;
      for (std::size_t i = 0; i < terms.size(); ++i) {
        if ((set >> i & 1U) != 0) {
          count += terms[i].count;
        } else {
          dropped += terms[i].energy;
        }
      }
      if (count <= k) best = std::min(best, dropped);
    }
    std::size_t whole = 0;  // places that whole terms fill, in their order
    for (std::size_t i = 0; i < terms.size() && whole + truncation.ranked()[i].count <= k; ++i) {
      whole += truncation.ranked()[i].count;
    }
    EXPECT_GE(truncation.discarded_energy(k), best - 1e-12);
    if (whole == k) {
      EXPECT_NEAR(truncation.discarded_energy(k), best, 1e-12) << k;
    }
  }
}

TEST(Truncation, bad_input_is_refused) {
  const Truncation truncation(some_terms);
  expect_error(ErrorCode::out_of_range, "K is 8; legal: 0 to 7", [&] { truncation.kept(8); });
  expect_error(ErrorCode::out_of_range, "legal: 0 or more", [&] { truncation.smallest_k(-1); });
  expect_error(ErrorCode::out_of_range, "legal: 0 or more", [&] { truncation.smallest_k(NAN); });
  EXPECT_EQ(Truncation({}).size(), 0U);
}

}  // namespace
}  // namespace mercer
