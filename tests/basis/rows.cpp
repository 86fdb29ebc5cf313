// Every basis: rows and entries from kept coefficients against the table rebuilt from them.
#include <gtest/gtest.h>

#include "mercer/basis.hpp"
#include "support/allocation_count.hpp"
#include "support/tables.hpp"

namespace mercer {
namespace {

const std::vector<std::string> specs{"fourier",
                                     "dct",
                                     "haar",
                                     "db2:level=3",
                                     "db4",
                                     "db4:level=0",
                                     "db10:level=2",
                                     "db4:tensor",
                                     "haar:tensor",
                                     "db4:mode=symmetric,level=2",
                                     "haar:mode=symmetric,level=4",
                                     "svd",
                                     "svd:centred"};

class Rows : public ::testing::TestWithParam<std::string> {};

TEST_P(Rows, equal_those_of_the_rebuilt_table) {
  for (const auto& shape : std::vector<std::vector<std::size_t>>{
           {1}, {9}, {1, 1}, {7, 5}, {16, 8}, {35, 15}, {6, 5, 4}, {3, 4, 2, 6}, {1, 3, 1}}) {
    const Table table = random_table(shape, 1);
    const auto basis = make_basis(GetParam());
    basis->train(table);
    const std::vector<double> coefficients = basis->apply(table.values);
    EXPECT_LT(largest_difference(basis->reverse(coefficients), table.values), 1e-12);
    const Truncation truncation(basis->terms(coefficients));
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}, truncation.size() / 3, truncation.size()}) {
      const std::vector<std::size_t> kept = truncation.kept(k);
      const std::vector<double> rebuilt = basis->reverse(keep_only(coefficients, kept));
      const auto evaluator = basis->evaluator(coefficients, kept);
      std::vector<double> row(table.columns());
      for (std::size_t index = 0; index < table.rows(); ++index) {
        evaluator->row(index, row);
        const auto expected = std::span(rebuilt).subspan(index * row.size(), row.size());
        ASSERT_LT(largest_difference(row, expected), 1e-12) << "row " << index << ", K = " << k;
        for (std::size_t column = 0; column < row.size(); ++column) {
          ASSERT_NEAR(evaluator->entry(index, column), expected[column], 1e-12);
        }
      }
    }
  }
}

// Half of a conjugate pair is not what Truncation gives, but a caller may.
TEST_P(Rows, any_set_of_coefficients_will_do) {
  const Table table = random_table({12, 7}, 2);
  const auto basis = make_basis(GetParam());
  basis->train(table);
  const std::vector<double> coefficients = basis->apply(table.values);
  std::vector<std::size_t> kept;
  for (std::size_t i = coefficients.size(); i-- > 0;) {
    if (i % 3 != 1) kept.push_back(i);  // falling, and pairs cut in two
  }
  const std::vector<double> rebuilt = basis->reverse(keep_only(coefficients, kept));
  const auto evaluator = basis->evaluator(coefficients, kept);
  std::vector<double> row(7);
  for (std::size_t index = 0; index < 12; ++index) {
    evaluator->row(index, row);
    EXPECT_LT(largest_difference(row, std::span(rebuilt).subspan(index * 7, 7)), 1e-12);
  }
}

TEST_P(Rows, allocate_nothing_after_the_first) {
  const Table table = random_table({30, 11}, 3);
  const auto basis = make_basis(GetParam());
  basis->train(table);
  const std::vector<double> coefficients = basis->apply(table.values);
  const Truncation truncation(basis->terms(coefficients));
  const auto evaluator = basis->evaluator(coefficients, truncation.kept(truncation.size() / 2));
  std::vector<double> row(11);
  const auto play = [&] {
    for (std::size_t index = 0; index < 30; ++index) {
      evaluator->row(index, row);
      row[0] += evaluator->entry(index, 5);
    }
  };
  play();
  const std::size_t before = allocation_count;
  play();
  EXPECT_EQ(allocation_count, before);
}

TEST_P(Rows, a_basis_is_made_again_from_its_name) {
  const auto basis = make_basis(GetParam());
  EXPECT_EQ(basis->name(), GetParam());
  EXPECT_EQ(make_basis(basis->name())->name(), basis->name());
}

INSTANTIATE_TEST_SUITE_P(Basis, Rows, ::testing::ValuesIn(specs), [](const auto& spec) {
  std::string name = spec.param;
  for (char& letter : name) letter = std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  return name;
});

}  // namespace
}  // namespace mercer
