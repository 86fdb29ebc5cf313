#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "embed/lattice/large_lattice.hpp"
#include "embed/lattice/row_distance.hpp"
#include "embed/lattice/truncate_table.hpp"
#include "mercer/error.hpp"
#include "mercer/parallel.hpp"

namespace mercer {
namespace {

// Blocks long enough that a triangle on top costs little; chains few enough that all triangles can be held, and yet
// enough of them for many processes.
RowBlocks cut_rows(std::size_t rows, std::size_t columns) {
  constexpr std::size_t most_numbers = std::size_t{1} << 23;
  const std::size_t chains = std::clamp<std::size_t>(most_numbers / (columns * columns), 2, 64);
  RowBlocks cut{std::max<std::size_t>(512, columns), 1};
  cut.blocks = std::max<std::size_t>(1, (rows + cut.rows * chains - 1) / (cut.rows * chains));
  return cut;
}

double centre_of(const LargeTable& table) { return svd_centre(table.svd, table.columns); }

// Rows of the file as the SVD is to see them.
RowReader reader(const LargeTable& table, bool weighted) {
  const double centre = centre_of(table);
  const auto rows = static_cast<double>(table.cells->size()), visits = static_cast<double>(table.cells->visits());
  return [=, &table](std::size_t begin, std::size_t end, std::span<double> values) {
    const std::span<const float> kept = table.values.block(begin - table.own.begin, end - table.own.begin);
    for (std::size_t r = 0; r < end - begin; ++r) {
      // As `SvdBasis` weighs rows, with its floor.
      const double share = static_cast<double>(table.cells->counts()[begin + r]) / visits;
      const double scale = weighted ? std::sqrt(share * rows + 1e-3) : 1;
      for (std::size_t i = r * table.columns; i < (r + 1) * table.columns; ++i) values[i] = (kept[i] - centre) * scale;
    }
  };
}

double sum(const std::vector<double>& values, std::size_t first, std::size_t step) {
  double total = 0;
  for (std::size_t i = first; i < values.size(); i += step) total += values[i];
  return total;
}

}  // namespace

LargeTable make_large_table(const Policy& teacher, const LargeGrids& grids, Cells cells, const LargeOptions& options,
                            const Team& team, const Progress& progress) {
  LargeTable table;
  table.cells = std::make_shared<const Cells>(std::move(cells));
  table.actions = grids.actions;
  table.columns = static_cast<std::size_t>(grids.actions.cells());
  table.cut = cut_rows(table.cells->size(), table.columns);
  table.own = share_of(team.rank, team.size, table.cells->size(), table.cut.rows * table.cut.blocks);
  table.svd = options.truncation.basis.svd;
  const std::size_t rows = table.own.end - table.own.begin;
  std::vector<double> energies((rows + table.cut.rows - 1) / table.cut.rows);
  run_in_team(team, [&] {
    table.values = MappedTable(options.scratch, rows, table.columns);
    ProgressCounter counter(progress, "table", rows);
    for_each_block(rows, table.cut.rows, [&](Block block) {
      std::vector<double> values((block.end - block.begin) * table.columns);
      tabulate_rows(teacher, *table.cells, table.actions, options.lattice.table, table.own.begin + block.begin,
                    table.own.begin + block.end, values);
      if (options.truncation.simplex == SimplexRule::softmax) {
        logits_of_rows({values.data(), block.end - block.begin, table.columns});
      }
      const std::span<float> kept = table.values.block(block.begin, block.end);
      for (std::size_t i = 0; i < values.size(); ++i) {
        kept[i] = static_cast<float>(values[i]);
        energies[block.index] += std::pow(kept[i] - centre_of(table), 2);
      }
      counter.add(block.end - block.begin);
    });
  });
  table.whole_energy = sum(gather_numbers(team, energies), 0, 1);
  return table;
}

RowSvd factor(const LargeTable& table, const Team& team) {
  return row_svd(table.cells->size(), table.columns, std::min(table.cells->size(), table.columns),
                 reader(table, table.svd.weighted), team, table.cut);
}

MappedTable left_factor(const LargeTable& table, const RowSvd& factors, const std::filesystem::path& scratch,
                        const Team& team) {
  MappedTable left;
  run_in_team(team, [&] {
    left = MappedTable(scratch, table.own.end - table.own.begin, factors.rank);
    row_factors(
        factors, reader(table, false),
        [&](std::size_t begin, std::size_t end, std::span<const double> values) {
          const std::span<float> out = left.block(begin - table.own.begin, end - table.own.begin);
          for (std::size_t i = 0; i < values.size(); ++i) {
            out[i] = static_cast<float>(values[i] * factors.s[i % factors.rank]);
          }
        },
        team, table.cut);
  });
  return left;
}

LargeLoss measure_loss(const LargeTable& table, const MappedTable& left, std::span<const float> right,
                       SimplexRule simplex, const Team& team, const Progress& progress) {
  const std::size_t rows = table.own.end - table.own.begin, columns = table.columns, k = left.columns();
  const double centre = centre_of(table);
  std::vector<double> sums((rows + table.cut.rows - 1) / table.cut.rows * 3);  // W1, TV, empty rows of each block
  ProgressCounter counter(progress, "loss", rows);
  for_each_block(rows, table.cut.rows, [&](Block block) {
    std::vector<double> own(columns), made(columns);
    double* const total = sums.data() + 3 * block.index;
    for (std::size_t r = block.begin; r < block.end; ++r) {
      std::ranges::copy(table.values.block(r, r + 1), own.begin());
      if (simplex == SimplexRule::softmax) project_row(own, simplex);
      std::ranges::fill(made, centre);
      for (std::size_t i = 0; i < k; ++i) {
        const double weight = left.block(r, r + 1)[i];
        for (std::size_t c = 0; c < columns; ++c) made[c] += weight * right[i * columns + c];
      }
      total[2] += project_row(made, simplex) ? 1 : 0;
      const RowDistance distance = row_distance(own, made, table.actions);
      const auto visits = static_cast<double>(table.cells->counts()[table.own.begin + r]);
      total[0] += visits * distance.w1;
      total[1] += visits * distance.tv;
    }
    counter.add(block.end - block.begin);
  });
  const std::vector<double> all = gather_numbers(team, sums);
  const auto visits = static_cast<double>(table.cells->visits());
  return {{sum(all, 0, 3) / visits, sum(all, 1, 3) / visits, w1_kind(table.actions)},
          static_cast<std::size_t>(sum(all, 2, 3))};
}

MappedTable collect_rows(MappedTable own, const LargeTable& table, const std::filesystem::path& scratch,
                         const Team& team) {
  if (team.size == 1) return own;
  const std::size_t rows = table.cells->size(), chain = table.cut.rows * table.cut.blocks, columns = own.columns();
  const std::size_t together = std::max<std::size_t>(1, (std::size_t{1} << 20) / columns);
  MappedTable all;
  run_in_team(team, [&] {
    if (team.rank == 0) all = MappedTable(scratch, rows, columns);
  });
  std::size_t most = 0;
  for (std::size_t r = 0; r < team.size; ++r) {
    const Share theirs = share_of(r, team.size, rows, chain);
    most = std::max(most, theirs.end - theirs.begin);
  }
  for (std::size_t first = 0; first < most; first += together) {
    const std::span<const float> mine =
        std::as_const(own).block(std::min(first, own.rows()), std::min(first + together, own.rows()));
    const char* const bytes = reinterpret_cast<const char*>(mine.data());
    const std::vector<std::string> parts =
        team.gather(mine.empty() ? std::string() : std::string(bytes, bytes + mine.size_bytes()));
    for (std::size_t r = 0; r < team.size && team.rank == 0; ++r) {
      if (parts[r].empty()) continue;
      const std::size_t begin = share_of(r, team.size, rows, chain).begin + first;
      const std::span<float> out = all.block(begin, begin + parts[r].size() / sizeof(float) / columns);
      std::memcpy(out.data(), parts[r].data(), parts[r].size());
    }
  }
  return all;
}

}  // namespace mercer
