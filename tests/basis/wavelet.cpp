#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mercer/basis.hpp"
#include "support/errors.hpp"
#include "support/golden.hpp"
#include "support/tables.hpp"

namespace mercer {
namespace {

constexpr WaveletMode periodization = WaveletMode::periodization, symmetric = WaveletMode::symmetric;

// The twin, in one dimension and one level: the convolution that defines the transform over the extended signal.
struct Pair {
  std::vector<double> low, high;
};
Pair direct_step(const std::vector<double>& x, const WaveletFilter& filter, WaveletMode mode) {
  std::vector<double> signal = x;
  if (mode == periodization && signal.size() % 2 == 1) signal.push_back(signal.back());
  const auto n = static_cast<long>(signal.size());
  const auto taps = static_cast<long>(filter.dec_lo.size());
  const auto at = [&](long place) {
    if (mode == periodization) return signal[static_cast<std::size_t>(((place % n) + n) % n)];
    while (place < 0 || place >= n) place = place < 0 ? -1 - place : 2 * n - 1 - place;
    return signal[static_cast<std::size_t>(place)];
  };
  Pair result;
  const long count = mode == periodization ? n / 2 : (n + taps - 1) / 2;
  for (long o = 0; o < count; ++o) {
    double low = 0, high = 0;
    for (long j = 0; j < taps; ++j) {
      const double value = at(2 * o + (mode == periodization ? taps / 2 : 1) - j);
      low += filter.dec_lo[static_cast<std::size_t>(j)] * value;
      high += filter.dec_hi[static_cast<std::size_t>(j)] * value;
    }
    result.low.push_back(low);
    result.high.push_back(high);
  }
  return result;
}

// Two dimensions, one level: rows first, then columns of what came out.
Table transposed(const Table& table) {
  Table result{{table.shape[1], table.shape[0]}, {}};
  for (std::size_t column = 0; column < table.shape[1]; ++column) {
    for (std::size_t row = 0; row < table.shape[0]; ++row) {
      result.values.push_back(table.values[row * table.shape[1] + column]);
    }
  }
  return result;
}
Table direct_rows(const Table& table, const WaveletFilter& filter, WaveletMode mode, bool high) {
  Table result{{table.shape[0], 0}, {}};
  for (std::size_t row = 0; row < table.shape[0]; ++row) {
    const auto begin = table.values.begin() + static_cast<std::ptrdiff_t>(row * table.shape[1]);
    const Pair pair = direct_step({begin, begin + static_cast<std::ptrdiff_t>(table.shape[1])}, filter, mode);
    const std::vector<double>& half = high ? pair.high : pair.low;
    result.values.insert(result.values.end(), half.begin(), half.end());
    result.shape[1] = half.size();
  }
  return result;
}

TEST(Wavelet, one_level_equals_the_defining_convolution) {
  for (const WaveletMode mode : {periodization, symmetric}) {
    for (int n = 1; n <= 10; ++n) {
      const WaveletFilter filter = wavelet_filter(fmt::format("db{}", n));
      for (std::size_t length = 1; length <= 24; ++length) {
        const Table table = random_table({length}, length);
        const Pair expected = direct_step(table.values, filter, mode);
        const WaveletDecomposition actual = wavelet(table, filter, mode, 1);
        ASSERT_EQ(actual.bands.size(), 2U);
        EXPECT_EQ(actual.bands[0].key, "a");
        EXPECT_LT(largest_difference(actual.bands[0].values, expected.low), 1e-13) << filter.name << " " << length;
        EXPECT_LT(largest_difference(actual.bands[1].values, expected.high), 1e-13) << filter.name << " " << length;
      }
    }
  }
}

TEST(Wavelet, two_levels_in_two_dimensions_equal_the_convolution_along_each_axis) {
  for (const WaveletMode mode : {periodization, symmetric}) {
    const WaveletFilter filter = wavelet_filter("db3");
    Table table = random_table({11, 14}, 5);
    const WaveletDecomposition actual = wavelet(table, filter, mode, 2);
    const std::vector<std::string> keys{"aa", "da", "ad", "dd", "da", "ad", "dd"};
    ASSERT_EQ(actual.bands.size(), keys.size());
    for (std::size_t level = 1; level <= 2; ++level) {
      const auto expected = [&](bool high0, bool high1) {
        return transposed(direct_rows(transposed(direct_rows(table, filter, mode, high1)), filter, mode, high0));
      };
      for (std::size_t band = 1; band <= 3; ++band) {
        const WaveletBand& own = actual.bands[(2 - level) * 3 + band];
        EXPECT_EQ(own.key, keys[band]);
        EXPECT_EQ(own.level, level);
        const Table twin = expected(own.key[0] == 'd', own.key[1] == 'd');
        EXPECT_EQ(own.shape, twin.shape);
        EXPECT_LT(largest_difference(own.values, twin.values), 1e-13);
      }
      table = expected(false, false);
    }
    EXPECT_LT(largest_difference(actual.bands[0].values, table.values), 1e-13);
  }
}

// Keys of the golden files: L{level}_{cA, cH0, cV0, cD0, cH1, ...}, 0 the coarsest.
TEST(Wavelet, equals_pywavelets) {
  double worst = 0;
  std::size_t compared = 0;
  for (const std::string size : {"7x5", "35x15", "64x64", "701x15"}) {
    for (const std::string name : {"haar", "db2", "db4"}) {
      for (const std::string mode : {"periodization", "symmetric"}) {
        const std::string file = fmt::format("dwt_{}_{}_{}", size, name, mode);
        const std::string path = fmt::format("{}/golden/kernels/{}.npz", MERCER_TEST_DATA, file);
        if (!std::filesystem::exists(path)) continue;
        const Table table = golden_table(size);
        const WaveletFilter filter = wavelet_filter(name);
        const Arrays golden = golden_kernels(file);
        EXPECT_EQ(wavelet_default_level(table.shape, filter),
                  static_cast<std::size_t>(golden.at("max_level").as_doubles()[0]));
        for (std::size_t level = 1; golden.contains(fmt::format("L{}_cA", level)); ++level) {
          const auto decomposition = wavelet(table, filter, mode == "symmetric" ? symmetric : periodization, level);
          for (const WaveletBand& band : decomposition.bands) {
            const std::string kind = band.key == "aa" ? "cA" : band.key == "da" ? "cH" : band.key == "ad" ? "cV" : "cD";
            const Array& expected = golden.at(kind == "cA" ? fmt::format("L{}_cA", level)
                                                           : fmt::format("L{}_{}{}", level, kind, level - band.level));
            EXPECT_EQ(band.shape, expected.shape);
            worst = std::max(worst, largest_difference(band.values, expected.as_doubles()));
            ++compared;
          }
        }
      }
    }
  }
  EXPECT_EQ(compared, 96U);
  RecordProperty("worst", fmt::format("{:.1e}", worst));
  EXPECT_LT(worst, 1e-10);
}

TEST(Wavelet, reconstructs_any_length_level_mode_and_dimension) {
  for (const WaveletMode mode : {periodization, symmetric}) {
    for (const char* name : {"haar", "db2", "db4", "db7", "db10"}) {
      const WaveletFilter filter = wavelet_filter(name);
      for (const auto& shape : std::vector<std::vector<std::size_t>>{
               {1}, {2}, {3}, {17}, {64}, {1, 1}, {5, 1}, {1, 6}, {7, 5}, {13, 8}, {4, 5, 6}, {3, 2, 5, 4}}) {
        for (std::size_t level = 0; level <= 4; ++level) {
          const Table table = random_table(shape, level);
          const Table back = inverse_wavelet(wavelet(table, filter, mode, level), filter, mode);
          EXPECT_LT(largest_difference(back.values, table.values), 1e-12) << name << " level " << level;
        }
      }
    }
  }
}

// topk_*.json: one level of periodised db4, K largest of all coefficients.
TEST(WaveletBasis, discards_the_energy_that_pywavelets_counts) {
  for (const std::string size : {"7x5", "35x15", "64x64", "701x15"}) {
    const Table table = golden_table(size);
    WaveletBasis basis({"db4", periodization, 1});
    basis.train(table);
    const std::vector<double> coefficients = basis.apply(table.values);
    const Truncation truncation(basis.terms(coefficients));
    const nlohmann::json document = read_golden("kernels/topk_" + size + ".json").at("topk");
    for (const auto& [k_text, expected] : document.items()) {
      if (!expected.contains("db4_n_coeffs")) continue;
      const std::size_t k = std::stoul(k_text);
      EXPECT_EQ(basis.size(), expected.at("db4_n_coeffs").get<std::size_t>());
      const double energy = expected.at("db4_L1_per_discarded_energy").get<double>();
      EXPECT_NEAR(truncation.discarded_energy(k), energy, 1e-10 * energy);
      EXPECT_NEAR(std::sqrt(truncation.ranked()[k - 1].energy), expected.at("db4_L1_per_kth_magnitude").get<double>(),
                  1e-10);
    }
  }
}

TEST(WaveletBasis, says_whether_it_is_orthonormal) {
  const auto is_orthonormal = [](WaveletOptions options, std::vector<std::size_t> shape) {
    WaveletBasis basis(options);
    basis.train(random_table(shape, 1));
    return basis.orthonormal();
  };
  EXPECT_TRUE(is_orthonormal({"db4", periodization, 2}, {8, 12}));
  EXPECT_FALSE(is_orthonormal({"db4", periodization, 2}, {8, 6}));
  EXPECT_FALSE(is_orthonormal({"db4", symmetric, 1}, {8, 8}));
  EXPECT_TRUE(is_orthonormal({"db4", symmetric, 0}, {7, 5}));
}

// The default of PyWavelets would leave a 10-wide table as it is.
TEST(WaveletBasis, goes_at_least_one_level_deep_unless_told) {
  WaveletBasis usual, forced({"db4", periodization, 0});
  const Table table = random_table({20, 10}, 3);
  usual.train(table);
  forced.train(table);
  EXPECT_EQ(usual.level(), 1U);
  EXPECT_EQ(forced.apply(table.values), table.values);
}

TEST(Wavelet, bad_input_is_refused) {
  const WaveletFilter filter = wavelet_filter("db2");
  expect_error(ErrorCode::out_of_range, "level of a wavelet transform is 41; legal: 0 to 40", [&] {
    wavelet({{2}, {1, 2}}, filter, periodization, 41);
  });
  expect_error(ErrorCode::shape_mismatch, "is empty", [&] { wavelet({{0}, {}}, filter); });
  expect_error(ErrorCode::not_finite, "nan", [&] { wavelet({{1}, {NAN}}, filter); });
  WaveletDecomposition decomposition = wavelet({{4}, {1, 2, 3, 4}}, filter, periodization, 1);
  decomposition.bands[1].key = "x";
  expect_error(ErrorCode::shape_mismatch, "band 1 is 'x'", [&] { inverse_wavelet(decomposition, filter); });
  decomposition.bands.pop_back();
  expect_error(ErrorCode::shape_mismatch, "list of bands has 1 values, needed are 2",
               [&] { inverse_wavelet(decomposition, filter); });
}

}  // namespace
}  // namespace mercer
