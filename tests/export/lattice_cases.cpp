#include "export/lattice_cases.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/policy.hpp"
#include "mercer/random.hpp"

namespace mercer::test {
namespace {

Edges edges(double low, double high, std::size_t bins, bool even) {
  Edges made;
  for (std::size_t i = 0; i <= bins; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(bins);
    made.values.push_back(static_cast<float>(low + (high - low) * (even ? part : part * (0.4 + 0.6 * part))));
  }
  return made;
}

Contract contract_for(const LatticeKind& kind) {
  Contract contract;
  contract.task = "made";
  contract.observation = Space::box({{"position", {-1.2, 0.6}, "m", false}, {"speed", {-8, 8}, "rad/s", false}});
  if (kind.actions == 0) {
    contract.action = Space::discrete("push", 5);
    return contract;
  }
  std::vector<Axis> axes{{"torque", {-2, 2}, "N m", false}, {"force", {0, 10}, "N", false}};
  axes.resize(kind.actions);
  contract.action = Space::box(axes);
  for (const Axis& axis : axes) {
    contract.centre.push_back(0);
    contract.scale.push_back(1);
    contract.clip.push_back(axis.range);
  }
  return contract;
}

// Rows with one hump that moves with the state, and a little noise.
PolicyTable table_for(const Cells& cells, const Grid& actions, Random& random) {
  PolicyTable table{cells.size(), static_cast<std::size_t>(actions.cells()), {}};
  for (std::size_t r = 0; r < table.rows; ++r) {
    double total = 0;
    for (std::size_t c = 0; c < table.cols; ++c) {
      const double top = (0.5 + 0.5 * std::sin(static_cast<double>(cells.bin(r, 0)) * 0.7 +
                                               static_cast<double>(cells.bin(r, 1)) * 0.4)) *
                         static_cast<double>(table.cols);
      const double away = (static_cast<double>(c) - top) / (0.2 * static_cast<double>(table.cols) + 0.5);
      table.pi.push_back(std::exp(-away * away) + 0.05 * random.uniform());
      total += table.pi.back();
    }
    for (double& number : table.row(r)) number /= total;
  }
  return table;
}

}  // namespace

std::vector<LatticeKind> lattice_kinds() {
  using enum RowOrder;
  return {
      {.name = "fourier_list", .basis = "fourier", .order = mean_action},
      {.name = "fourier_axes", .basis = "fourier", .order = axes, .even = true},
      {.name = "dct_discrete",
       .basis = "dct",
       .order = tour,
       .even = true,
       .unvisited = Unvisited::uniform,
       .actions = 0},
      {.name = "dct_axes_two", .basis = "dct", .order = axes, .visited = 1, .actions = 2, .noise = false},
      {.name = "db4_snake", .basis = "db4", .order = snake},
      {.name = "db2_symmetric", .basis = "db2:mode=symmetric", .even = true, .unvisited = Unvisited::uniform},
      {.name = "db4_tensor", .basis = "db4:tensor", .order = axes, .even = true},
      {.name = "db10_wraps", .basis = "db10", .order = axes, .even = true, .visited = 1},
      {.name = "haar_axes_two", .basis = "haar", .order = axes, .actions = 2},
      {.name = "svd_centred", .basis = "svd:centred"},
      {.name = "svd_discrete", .basis = "svd", .even = true, .actions = 0},
      {.name = "svd_all_tied", .basis = "svd", .even = true, .actions = 0, .tied = 1},
      {.name = "svd_half_tied", .basis = "svd", .even = true, .actions = 0, .tied = 0.5},
      {.name = "dct_all_tied", .basis = "dct", .order = tour, .even = true, .actions = 0, .tied = 1},
      {.name = "dct_euclidean", .basis = "dct", .simplex = SimplexRule::euclidean},
      {.name = "dct_softmax", .basis = "dct", .even = true, .simplex = SimplexRule::softmax},
      {.name = "gmm", .basis = "gmm", .coefficients = false},
      {.name = "own_edges", .basis = "dct", .own_edges = true, .coefficients = false},
  };
}

EmbeddingFile lattice_case(const LatticeKind& kind) {
  const Contract contract = contract_for(kind);
  Random random({21, Stage::feature, kind.name.size(), 0});
  Lattice lattice;
  const Grid states{{edges(-1.2, 0.6, 11, kind.even), edges(-8, 8, 9, kind.even)}};
  std::vector<std::uint32_t> bins;
  for (std::uint32_t i = 0; i < 11; ++i) {
    for (std::uint32_t j = 0; j < 9; ++j) {
      if (random.uniform() < kind.visited) bins.insert(bins.end(), {i, j});
    }
  }
  lattice.cells = std::make_shared<Cells>(states, bins, std::vector<std::uint64_t>(bins.size() / 2, 1));
  lattice.actions =
      kind.actions == 0 ? discrete_action_grid(5) : Grid{{edges(-2, 2, kind.actions == 2 ? 5 : 12, true)}};
  if (kind.actions == 2) lattice.actions.axes.push_back(edges(0, 10, 4, false));
  lattice.table = table_for(*lattice.cells, lattice.actions, random);
  if (kind.own_edges) {
    for (std::size_t row = 0; row < lattice.cells->size(); ++row) {
      lattice.own.places.push_back(row % 3 == 0 ? lattice.own.grids.size() : OwnEdges::none);
      if (row % 3 == 0) lattice.own.grids.push_back({{edges(-1, 1.5, 12, false)}});
    }
  }
  for (std::size_t row = 0; row < lattice.table.rows; ++row) {
    constexpr double tied[] = {0.1, 0.35, 0.1, 0.1, 0.35};
    if (random.uniform() < kind.tied) std::ranges::copy(tied, lattice.table.row(row).begin());
  }
  const DeterministicPolicy teacher("nobody", contract, [](MatrixView<const double>, MatrixView<double>) {});
  TruncationOptions options{.basis = kind.basis, .k = 30, .order = kind.order, .simplex = kind.simplex};
  if (kind.basis.starts_with("svd")) options.k = 3;
  if (kind.basis == "gmm") options.k = 2;
  return {LatticeEmbedding::make(teacher, lattice, {kind.unvisited, kind.noise}, options, 1), {}, 0, {}};
}

}  // namespace mercer::test
