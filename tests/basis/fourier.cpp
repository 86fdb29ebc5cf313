#include <complex>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mercer/basis.hpp"
#include "support/errors.hpp"
#include "support/golden.hpp"
#include "support/tables.hpp"

namespace mercer {
namespace {

using Complex = std::complex<double>;

// The twin: the sum that defines the transform, entry by entry.
std::vector<Complex> direct_fourier(const Table& table) {
  const auto index_on = [&](std::size_t flat, std::size_t axis) {
    for (std::size_t d = table.shape.size() - 1; d > axis; --d) flat /= table.shape[d];
    return flat % table.shape[axis];
  };
  std::vector<Complex> result(table.values.size());
  for (std::size_t k = 0; k < result.size(); ++k) {
    for (std::size_t x = 0; x < result.size(); ++x) {
      double turns = 0;
      for (std::size_t axis = 0; axis < table.shape.size(); ++axis) {
        const std::size_t length = table.shape[axis];
        turns += static_cast<double>(index_on(k, axis) * index_on(x, axis) % length) / static_cast<double>(length);
      }
      result[k] += table.values[x] * std::polar(1.0, -2 * std::numbers::pi * turns);
    }
  }
  return result;
}

const std::vector<std::vector<std::size_t>> shapes{
    {1}, {2}, {7}, {12}, {1, 1}, {1, 5}, {6, 1}, {4, 6}, {7, 5}, {8, 3, 4}, {3, 5, 7}, {2, 3, 2, 5}, {4, 1, 2, 6}};

TEST(Fourier, equals_the_defining_sum_in_any_number_of_dimensions) {
  for (const auto& shape : shapes) {
    const Table table = random_table(shape, 1);
    const std::vector<Complex> expected = direct_fourier(table);
    const std::vector<Complex> actual = fourier(table);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t k = 0; k < actual.size(); ++k) EXPECT_LT(std::abs(actual[k] - expected[k]), 1e-11) << k;
    EXPECT_LT(largest_difference(inverse_fourier(actual, shape).values, table.values), 1e-13);
  }
}

TEST(Fourier, equals_numpy) {
  double worst = 0;
  for (const std::string size : {"7x5", "35x15", "64x64"}) {
    const Arrays golden = golden_kernels("kern_" + size);
    const std::vector<double> real = golden.at("fft2_re").as_doubles(), imaginary = golden.at("fft2_im").as_doubles();
    const std::vector<Complex> actual = fourier(golden_table(size));
    for (std::size_t k = 0; k < actual.size(); ++k) {
      worst = std::max(worst, std::abs(actual[k] - Complex(real[k], imaginary[k])));
    }
  }
  const std::vector<double> real = golden_kernels("kern_701x15").at("fft2_half_re").as_doubles();
  const std::vector<double> imaginary = golden_kernels("kern_701x15_fftim").at("fft2_half_im").as_doubles();
  const std::vector<Complex> actual = fourier(golden_table("701x15"));
  for (std::size_t row = 0; row < 701; ++row) {
    for (std::size_t column = 0; column < 8; ++column) {
      const Complex expected(real[row * 8 + column], imaginary[row * 8 + column]);
      worst = std::max(worst, std::abs(actual[row * 15 + column] - expected));
    }
  }
  RecordProperty("worst", fmt::format("{:.1e}", worst));
  EXPECT_LT(worst, 1e-10);
}

TEST(Fourier, inverse_of_an_unsymmetric_spectrum_is_the_real_part) {
  // ifft([0, 1j, 0, 0])[x] = (1/4) i exp(2 pi i x / 4): real part 0, -1/4, 0, 1/4.
  const std::vector<Complex> spectrum{0, Complex(0, 1), 0, 0};
  const Table table = inverse_fourier(spectrum, {4});
  EXPECT_LT(largest_difference(table.values, std::vector<double>{0, -0.25, 0, 0.25}), 1e-16);
}

TEST(FourierBasis, coefficients_are_orthonormal_and_real) {
  for (const auto& shape : shapes) {
    const Table table = random_table(shape, 2);
    FourierBasis basis;
    basis.train(table);
    const std::vector<double> coefficients = basis.apply(table.values);
    EXPECT_NEAR(squares(coefficients), squares(table.values), 1e-12 * squares(table.values));
    EXPECT_LT(largest_difference(basis.reverse(coefficients), table.values), 1e-13);
    std::size_t count = 0;
    for (const Term& term : basis.terms(coefficients)) count += term.count;
    EXPECT_EQ(count, table.values.size());  // as many real parameters as entries, none counted twice
  }
}

// golden/theory/fft.json: tables truncated by an independent program, DC kept, pairs together, for several K.
TEST(FourierBasis, truncates_as_the_reference) {
  const nlohmann::json document = read_golden("theory/fft.json").at("cases");
  for (const nlohmann::json& golden : document) {
    const auto rows = golden.at("table").get<std::vector<std::vector<double>>>();
    Table table{{rows.size(), rows[0].size()}, {}};
    for (const auto& row : rows) table.values.insert(table.values.end(), row.begin(), row.end());
    FourierBasis basis;
    basis.train(table);
    const std::vector<double> coefficients = basis.apply(table.values);
    const Truncation truncation(basis.terms(coefficients));
    for (const nlohmann::json& expected : golden.at("magnitude")) {
      const auto k = expected.at("K").get<std::size_t>();
      const std::vector<std::size_t> kept = truncation.kept(k);
      EXPECT_EQ(kept.size(), expected.at("real_params_used").get<std::size_t>());
      EXPECT_NEAR(truncation.discarded_energy(k), expected.at("parseval_tail").get<double>(), 1e-12);
      const std::vector<double> raw = basis.reverse(keep_only(coefficients, kept));
      std::vector<double> expected_raw;
      for (const auto& row : expected.at("raw")) {
        for (const double value : row) expected_raw.push_back(value);
      }
      EXPECT_LT(largest_difference(raw, expected_raw), 1e-12) << "K = " << k;
    }
  }
}

// The golden K counts complex coefficients and may cut a pair in two; ours then keeps one fewer.
TEST(FourierBasis, discards_the_energy_that_numpy_counts) {
  for (const std::string size : {"7x5", "35x15", "64x64", "701x15"}) {
    const Table table = golden_table(size);
    FourierBasis basis;
    basis.train(table);
    const Truncation truncation(basis.terms(basis.apply(table.values)), false);
    const nlohmann::json document = read_golden("kernels/topk_" + size + ".json").at("topk");
    for (const auto& [k_text, expected] : document.items()) {
      if (!expected.contains("dft_discarded_energy")) continue;
      const std::size_t k = std::stoul(k_text);
      const double energy = expected.at("dft_discarded_energy").get<double>();
      const double magnitude = expected.at("dft_kth_magnitude").get<double>();
      const double share = magnitude * magnitude / static_cast<double>(table.values.size());
      std::size_t prefix = 0;
      for (const Term& term : truncation.ranked()) {
        if (prefix + term.count > k) break;
        prefix += term.count;
      }
      const double ours = prefix == k ? truncation.discarded_energy(k) : truncation.discarded_energy(prefix) - share;
      EXPECT_NEAR(ours, energy, 1e-10 * energy) << size << " K = " << k;
    }
  }
}

TEST(Fourier, bad_input_is_refused) {
  expect_error(ErrorCode::shape_mismatch, "0 axes", [] { fourier({{}, {}}); });
  expect_error(ErrorCode::shape_mismatch, "[3, 0] is empty", [] { fourier({{3, 0}, {}}); });
  expect_error(ErrorCode::shape_mismatch, "has 3 values, but its shape [2, 2] needs 4", [] {
    fourier({{2, 2}, {1, 2, 3}});
  });
  expect_error(ErrorCode::not_finite, "value 1 is nan", [] { fourier({{2}, {1, NAN}}); });
  expect_error(ErrorCode::not_finite, "value 0 is inf", [] { fourier({{2}, {HUGE_VAL, 1}}); });
  expect_error(ErrorCode::shape_mismatch, "spectrum has 1 values, needed are 2",
               [] { inverse_fourier(std::vector<Complex>{1}, {2}); });
  FourierBasis basis;
  expect_error(ErrorCode::missing_option, "not trained", [&] { basis.apply(std::vector<double>{1, 2}); });
  basis.train({{2, 2}, {1, 2, 3, 4}});
  expect_error(ErrorCode::shape_mismatch, "needed are 4", [&] { basis.apply(std::vector<double>{1, 2}); });
  expect_error(ErrorCode::out_of_range, "coefficient 4 cannot be kept",
               [&] { basis.evaluator(std::vector<double>(4), std::vector<std::size_t>{4}); });
  expect_error(ErrorCode::out_of_range, "twice", [&] {
    basis.evaluator(std::vector<double>(4), std::vector<std::size_t>{1, 1});
  });
}

}  // namespace
}  // namespace mercer
