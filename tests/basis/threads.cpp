#include <thread>

#include <gtest/gtest.h>

#include "mercer/basis.hpp"
#include "mercer/parallel.hpp"
#include "support/tables.hpp"

namespace mercer {
namespace {

// Large enough that every loop over blocks has several.
TEST(Threads, any_number_of_them_gives_the_same_bytes) {
  const Table table = random_table({700, 120}, 1);
  for (const char* spec :
       {"fourier", "dct", "haar", "db4:level=3", "db4:mode=symmetric", "db2:tensor", "svd:randomised,rank=4"}) {
    const auto coefficients_and_table = [&] {
      const auto basis = make_basis(spec);
      basis->train(table);
      const std::vector<double> coefficients = basis->apply(table.values);
      return std::pair(coefficients, basis->reverse(coefficients));
    };
    const auto all = coefficients_and_table();
    const ThreadLimit limit(1);
    EXPECT_EQ(coefficients_and_table(), all) << spec;
  }
}

// FFTW's planner is not thread-safe; transforms from several threads must be.
TEST(Threads, transforms_run_side_by_side) {
  const auto work = [](std::size_t which) {
    for (std::size_t length = 3 + which; length < 60; ++length) {
      const Table table = random_table({length, 7}, which);
      EXPECT_LT(largest_difference(inverse_fourier(fourier(table), table.shape).values, table.values), 1e-12);
      const auto basis = make_basis("dct");
      basis->train(table);
      EXPECT_LT(largest_difference(basis->reverse(basis->apply(table.values)), table.values), 1e-12);
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t which = 0; which < 4; ++which) threads.emplace_back(work, which);
}

// One evaluator serves all threads, its scratch is the thread's own.
TEST(Threads, share_an_evaluator) {
  const Table table = random_table({64, 8}, 2);
  for (const char* spec : {"fourier", "dct", "db4:level=2", "db2:tensor", "svd"}) {
    const auto basis = make_basis(spec);
    basis->train(table);
    const std::vector<double> coefficients = basis->apply(table.values);
    std::vector<std::size_t> kept(coefficients.size());
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = i;
    const auto evaluator = basis->evaluator(coefficients, kept);
    std::vector<double> rows(table.values.size());
    for_each_block(64, 1,
                   [&](Block block) { evaluator->row(block.begin, std::span(rows).subspan(block.begin * 8, 8)); });
    EXPECT_LT(largest_difference(rows, table.values), 1e-12) << spec;
  }
}

}  // namespace
}  // namespace mercer
