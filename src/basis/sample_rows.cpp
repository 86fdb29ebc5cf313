#include <vector>

#include <fmt/format.h>

#include "mercer/basis/mixture.hpp"
#include "mercer/core/distribution.hpp"
#include "mercer/core/error.hpp"
#include "mercer/core/parallel.hpp"
#include "mercer/core/random.hpp"

namespace mercer {

void sample_rows(MatrixView<double> rows, std::size_t k, std::uint64_t seed) {
  require_in_range("number of sampled actions", static_cast<double>(k), 1, 1e9, "Give at least one action a row");
  constexpr std::size_t rows_per_block = 64;
  for_each_block(rows.rows(), rows_per_block, [&](Block block) {
    std::vector<double> counts(rows.cols());
    for (std::size_t index = block.begin; index < block.end; ++index) {
      const std::span<double> row = rows.row(index);
      check_distribution(row, fmt::format("row {}", index));
      counts.assign(row.size(), 0);
      Random random({seed, Stage::baseline, index, 0});
      for (std::size_t draw = 0; draw < k; ++draw) ++counts[random.categorical(row)];
      for (std::size_t column = 0; column < row.size(); ++column) row[column] = counts[column] / static_cast<double>(k);
    }
  });
}

}  // namespace mercer
