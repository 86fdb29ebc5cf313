#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "mercer/basis.hpp"
#include "support/errors.hpp"
#include "support/tables.hpp"

namespace mercer {
namespace {

TEST(MakeBasis, knows_every_name_it_lists) {
  for (const std::string& name : known_bases()) EXPECT_EQ(make_basis(name)->name(), name);
}

TEST(MakeBasis, reads_settings) {
  EXPECT_EQ(make_basis("db4:level=2,mode=symmetric")->name(), "db4:mode=symmetric,level=2");
  EXPECT_EQ(make_basis("svd:weighted,centred,rank=3")->name(), "svd:centred,weighted,rank=3");
  const auto basis = make_basis("svd:rank=3");
  const Table table = random_table({8, 6}, 1);
  basis->train(table);
  EXPECT_EQ(basis->size(), 3U);
}

TEST(MakeBasis, the_seed_is_that_of_the_sketch) {
  const Table table = random_table({40, 20}, 1);
  const auto first_value = [&](std::uint64_t seed) {
    const auto basis = make_basis("svd:randomised,rank=2", seed);
    basis->train(table);
    return basis->apply(table.values)[1];
  };
  EXPECT_EQ(first_value(1), first_value(1));
  EXPECT_NE(first_value(1), first_value(2));
}

TEST(MakeBasis, names_the_nearest) {
  expect_error(ErrorCode::unknown_name, "no basis is called 'furier'. Did you mean 'fourier'?",
               [] { make_basis("furier"); });
  expect_error(ErrorCode::unknown_name, "Did you mean 'db1", [] { make_basis("db11"); });
  expect_error(ErrorCode::unknown_name, "Did you mean 'centred'?", [] { make_basis("svd:centered"); });
  expect_error(ErrorCode::unknown_name, "Did you mean 'symmetric'?", [] { make_basis("db4:mode=symetric"); });
  expect_error(ErrorCode::unknown_name, "has no settings", [] { make_basis("dct:level=2"); });
  expect_error(ErrorCode::out_of_range, "level is 41; legal: 0 to 40", [] { make_basis("db4:level=41"); });
  expect_error(ErrorCode::bad_value, "not an integer", [] { make_basis("db4:level=-1"); });
  expect_error(ErrorCode::bad_value, "not an integer", [] { make_basis("db4:level"); });
  expect_error(ErrorCode::bad_value, "given twice", [] { make_basis("svd:centred,centred"); });
  expect_error(ErrorCode::bad_value, "takes no value", [] { make_basis("svd:centred=no"); });
}

TEST(MakeBasis, parses_a_text_into_a_family_and_its_settings) {
  for (const char* text : {"fourier", "fourier:printed", "dct", "haar", "db4:mode=symmetric,level=2", "db2:tensor",
                           "svd:centred,rank=3", "gmm:iterations=7", "fixed-gmm", "mle"}) {
    EXPECT_EQ(to_text(BasisSpec(text)), text);
  }
  EXPECT_EQ(BasisSpec("haar").family, BasisFamily::wavelet);
  EXPECT_EQ(BasisSpec("db2:tensor").family, BasisFamily::tensor_wavelet);
  EXPECT_TRUE(BasisSpec("svd:weighted").svd.weighted);
  EXPECT_EQ(BasisSpec("db4:level=2").wavelet.level, 2U);
  expect_error(ErrorCode::bad_value, "'gmm' writes every row by itself", [] { make_basis("gmm"); });
}

// Of n m coefficients of rows that sum to one, those that only vary with the row are zero but for the mean.
TEST(MakeBasis, says_which_coefficients_are_zero_where_rows_sum_to_one) {
  Table table = random_table({8, 4}, 3);
  for (double& value : table.values) value = std::abs(value) + 0.1;
  project_rows(table.matrix());
  for (const char* text : {"fourier", "dct", "haar:tensor", "haar", "svd"}) {
    const auto basis = make_basis(text);
    basis->train(table);
    const std::vector<double> coefficients = basis->apply(table.values);
    const auto zeros = std::ranges::count_if(coefficients, [](double one) { return std::abs(one) < 1e-14; });
    EXPECT_EQ(zeros >= 7, basis->splits_row_sums()) << text;
  }
}

}  // namespace
}  // namespace mercer
