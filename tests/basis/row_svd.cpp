#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "mercer/basis.hpp"
#include "mercer/error.hpp"
#include "mercer/parallel.hpp"
#include "mercer/random.hpp"
#include "support/thread_team.hpp"

namespace mercer {
namespace {

// Rows with singular values that fall by ten, but for rounding.
std::vector<double> falling(std::size_t rows, std::size_t columns) {
  std::vector<double> table(rows * columns);
  Random random({4, Stage::simulate, 2, 0});
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c)
      table[r * columns + c] = random.normal() * std::pow(10.0, -static_cast<double>(c) / 2);
  }
  return table;
}

RowReader reader(const std::vector<double>& table, std::size_t columns) {
  return [&table, columns](std::size_t begin, std::size_t end, std::span<double> values) {
    std::copy(table.begin() + static_cast<std::ptrdiff_t>(begin * columns),
              table.begin() + static_cast<std::ptrdiff_t>(end * columns), values.begin());
  };
}

TEST(RowSvd, IsTheDecompositionOfTheWholeTable) {
  const RowBlocks cut{64, 3};
  for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{1000, 12}, {191, 7}, {40, 30}, {5, 9}}) {
    const std::vector<double> table = falling(rows, columns);
    const std::size_t rank = std::min(rows, columns);
    const Svd whole = svd(MatrixView<const double>(table.data(), rows, columns));
    const RowSvd made = row_svd(rows, columns, rank, reader(table, columns), Team{}, cut);
    for (std::size_t k = 0; k < rank; ++k) EXPECT_NEAR(made.s[k], whole.s[k], 1e-14 * whole.s[0]);
    std::vector<double> u(rows * rank);
    row_factors(
        made, reader(table, columns),
        [&](std::size_t begin, std::size_t end, std::span<const double> values) {
          ASSERT_EQ(values.size(), (end - begin) * rank);
          std::copy(values.begin(), values.end(), u.begin() + static_cast<std::ptrdiff_t>(begin * rank));
        },
        Team{}, cut);
    double residual = 0, crossed = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        double back = 0;
        for (std::size_t k = 0; k < rank; ++k) back += u[r * rank + k] * made.s[k] * made.vt[k * columns + c];
        residual = std::max(residual, std::abs(back - table[r * columns + c]));
      }
    }
    for (std::size_t k = 1; k < rank; ++k) {
      double product = 0;
      for (std::size_t r = 0; r < rows; ++r) product += u[r * rank] * u[r * rank + k];
      crossed = std::max(crossed, std::abs(product) * made.s[k] / made.s[0]);
    }
    EXPECT_LE(residual, 1e-13 * whole.s[0]);
    EXPECT_LE(crossed, 1e-14);
  }
}

TEST(RowSvd, AnyNumberOfProcessesAndThreadsMakesTheSameBytes) {
  const std::size_t rows = 2000, columns = 9;
  const std::vector<double> table = falling(rows, columns);
  const RowBlocks cut{50, 4};
  const RowSvd alone = row_svd(rows, columns, 5, reader(table, columns), Team{}, cut);
  {
    const ThreadLimit one(1);
    const RowSvd again = row_svd(rows, columns, 5, reader(table, columns), Team{}, cut);
    EXPECT_EQ(again.s, alone.s);
    EXPECT_EQ(again.vt, alone.vt);
  }
  for (const std::size_t size : {2, 3, 12}) {
    std::vector<RowSvd> made(size);
    std::vector<std::size_t> most(size);  // rows that each process read
    run_team(size, [&](const Team& team) {
      const ThreadLimit one(1);
      std::vector<bool> seen(rows);
      made[team.rank] = row_svd(
          rows, columns, 5,
          [&](std::size_t begin, std::size_t end, std::span<double> values) {
            std::fill(seen.begin() + static_cast<std::ptrdiff_t>(begin),
                      seen.begin() + static_cast<std::ptrdiff_t>(end), true);
            reader(table, columns)(begin, end, values);
          },
          team, cut);
      most[team.rank] = static_cast<std::size_t>(std::ranges::count(seen, true));
    });
    std::size_t read = 0;
    for (std::size_t r = 0; r < size; ++r) {
      EXPECT_EQ(made[r].s, alone.s);
      EXPECT_EQ(made[r].vt, alone.vt);
      EXPECT_LE(most[r], (rows + size - 1) / size + 200);
      read += most[r];
    }
    EXPECT_EQ(read, rows);
  }
}

TEST(RowSvd, BadInputIsRefused) {
  const std::vector<double> table = falling(10, 3);
  EXPECT_THROW(row_svd(10, 3, 4, reader(table, 3), Team{}), Error);
  EXPECT_THROW(row_svd(10, 3, 0, reader(table, 3), Team{}), Error);
  EXPECT_THROW(row_svd(10, 5000, 1, reader(table, 3), Team{}), Error);
  EXPECT_THROW(row_svd(10, 3, 1, reader(table, 3), Team{}, {0, 1}), Error);
  std::vector<double> bad = table;
  bad[7] = NAN;
  EXPECT_THROW(row_svd(10, 3, 1, reader(bad, 3), Team{}), Error);
}

}  // namespace
}  // namespace mercer
