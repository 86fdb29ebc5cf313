#include "embed/lattice/large_lattice.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include <fmt/format.h>

#include "core/phases.hpp"
#include "embed/lattice/lattice_grids.hpp"
#include "embed/lattice/truncate_table.hpp"
#include "embed/payload/lattice_code.hpp"
#include "embed/payload/payload_parts.hpp"
#include "lattice/quantile_sketch.hpp"
#include "mercer/basis.hpp"
#include "mercer/embed.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

static_assert(std::endian::native == std::endian::little, "scratch files become part of the payload as they are");

void check_svd(const BasisSpec& basis) {
  if (basis.family == BasisFamily::svd && !basis.svd.randomised && basis.svd.rank == 0) return;
  throw Error(ErrorCode::bad_value, fmt::format("basis '{}' needs its table in memory", to_text(basis)),
              "Use svd, svd:centred or svd:weighted, or leave the scratch folder out");
}

void check_edges(const EdgeRule& rule, const char* what) {
  if (rule.kind == EdgeKind::quantile || rule.kind == EdgeKind::data_quantile || rule.kind == EdgeKind::uniform) return;
  throw Error(ErrorCode::bad_value, fmt::format("{} edges by '{}' need all data in memory", what, to_text(rule)),
              "Use quantile, data-quantile or uniform, or leave the scratch folder out");
}

// Columns that there may be, before the data have collapsed any.
double most_columns(const Policy& teacher, const LatticeOptions& options) {
  const Space& space = teacher.action_space();
  if (space.is_discrete()) return static_cast<double>(space.count);
  double columns = 1;
  for (std::size_t d = 0; d < space.dimensions(); ++d) {
    columns *= static_cast<double>(bins_for(options.action_bins, d, space.dimensions(), "action"));
  }
  return columns;
}

void require_k(std::size_t k, double most, const BasisSpec& basis) {
  require_in_range(fmt::format("k for basis '{}'", to_text(basis)), static_cast<double>(k), 1, most, "0 chooses it");
}

// The leading triples: those asked for, half of them, or the fewest that hold the energy.
RowSvd leading(RowSvd factors, const TruncationOptions& options) {
  std::vector<Term> terms;
  for (std::size_t i = 0; i < factors.rank; ++i) terms.push_back({i, i, factors.s[i] * factors.s[i], 1, false});
  const std::size_t k = options.k > 0         ? options.k
                        : options.energy == 0 ? std::max<std::size_t>(1, factors.rank / 2)
                                              : k_for_energy(Truncation(std::move(terms)), options.energy);
  factors.rank = k;
  factors.s.resize(k);
  factors.vt.resize(k * factors.columns);
  return factors;
}

LatticeCode code_of(const Policy& teacher, const LargeGrids& grids, const LargeOptions& options, std::size_t k) {
  LatticeCode code;
  code.states = grids.states;
  code.discrete = teacher.action_space().is_discrete();
  code.actions = grids.actions;
  code.play = options.lattice.playing;
  code.simplex = options.truncation.simplex;
  code.basis = options.truncation.basis;
  code.k = k;
  return code;
}

}  // namespace

void run_in_team(const Team& team, const std::function<void()>& work) {
  if (team.size == 1) return work();
  std::string mine;
  try {
    work();
  } catch (const Error& error) {
    mine = fmt::format("{}\n{}\n{}", static_cast<int>(error.code()), error.problem(), error.remedy());
  } catch (const std::exception& error) {  // such as memory that is not there
    mine = fmt::format("{}\n{}\n{}", static_cast<int>(ErrorCode::too_large), error.what(), "Take more processes");
  }
  const std::vector<std::string> all = team.gather(mine);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].empty()) continue;
    const std::size_t first = all[rank].find('\n'), last = all[rank].rfind('\n');
    throw Error(static_cast<ErrorCode>(std::stoi(all[rank])),
                fmt::format("{} (process {} of {})", all[rank].substr(first + 1, last - first - 1), rank, team.size),
                all[rank].substr(last + 1));
  }
}

void check_large(const Policy& teacher, const LargeOptions& options) {
  require_in_range("episodes", static_cast<double>(options.episodes), 1, 1e9, "The lattice is made from them");
  check_svd(options.truncation.basis);
  check_edges(options.lattice.state_edges, "state");
  if (!action_grid_is_fixed(teacher, options.lattice)) check_edges(options.lattice.action_edges, "action");
  if (options.lattice.table == TableRule::counts) {
    throw Error(ErrorCode::bad_value, "a table of counts needs all rollouts in memory",
                "Make rows by centre or mass, or leave the scratch folder out");
  }
  if (options.lattice.full || options.lattice.conditional_actions) {
    throw Error(ErrorCode::bad_value,
                fmt::format("{} with a scratch folder",
                            options.lattice.full ? "rows for unvisited cells" : "action edges for each cell"),
                "Leave one of them out");
  }
  static_cast<void>(QuantileSketch(options.sketch));  // throws unless its size is legal
  const double columns = most_columns(teacher, options.lattice);
  require_in_range("the number of action cells", columns, 1, 4096, "Take fewer action bins");
  if (options.truncation.k > 0) require_k(options.truncation.k, columns, options.truncation.basis);
  check_scratch(options.scratch);
}

LargeEmbedding embed_large(const Env& env, const Policy& teacher, const LargeOptions& options,
                           const std::filesystem::path& out, const EmbeddingOrigin& origin, const Team& team,
                           const Progress& progress) {
  run_in_team(team, [&] { check_large(teacher, options); });
  const EpisodePieces pieces(options.episodes, env.task().time_limit);
  const auto episodes = static_cast<double>(options.episodes);  // what a table takes is a guess
  enum : Phases::Place { edges, visits, fills, judges };
  Phases bar(progress, {{"edges", episodes}, {"cells", episodes}, {"table", episodes}, {"loss", episodes / 2}});
  bar.begin(edges);
  const LargeGrids grids = make_large_grids(env, teacher, options, pieces, team, bar.inner());
  bar.begin(visits);
  Cells cells = count_large_cells(env, teacher, options, grids.states, pieces, team, bar.inner());
  if (cells.size() == 0) {
    throw Error(ErrorCode::out_of_range, fmt::format("a threshold of {} prunes all cells", options.lattice.prune),
                "Prune less");
  }
  const auto most = std::min(static_cast<double>(cells.size()), grids.actions.cells());
  if (options.truncation.k > 0) require_k(options.truncation.k, most, options.truncation.basis);
  bar.begin(fills);
  const LargeTable table = make_large_table(teacher, grids, std::move(cells), options, team, bar.inner());
  const RowSvd factors = leading(factor(table, team), options.truncation);
  const std::vector<float> right(factors.vt.begin(), factors.vt.end());
  MappedTable left = left_factor(table, factors, options.scratch, team);
  bar.begin(judges);
  const LargeLoss loss = measure_loss(table, left, right, options.truncation.simplex, team, bar.inner());
  left = collect_rows(std::move(left), table, options.scratch, team);

  const std::size_t rows = table.cells->size(), k = factors.rank;
  LargeEmbedding made;
  made.basis = to_text(options.truncation.basis);
  made.k = k;
  made.parameters = svd_parameters(rows, table.columns, k);
  made.cells = rows;
  made.columns = table.columns;
  made.all_cells = grids.states.cells();
  made.collapsed_bins = grids.collapsed_bins;
  made.edges = grids.accuracy;
  made.distance = loss.distance;
  made.empty_rows = loss.empty_rows;
  made.table_bytes = rows * table.columns * sizeof(float);
  const std::vector<std::uint8_t> head =
      encode_head(code_of(teacher, grids, options, k), *table.cells, k * (rows + table.columns));
  made.payload_bytes = head.size() + k * (rows + table.columns) * sizeof(float);
  run_in_team(team, [&] {
    if (team.rank != 0) return;
    const PayloadParts parts{
        {std::as_bytes(std::span(head)), std::as_bytes(left.values()), std::as_bytes(std::span(right))},
        Route::lattice,
        made.basis,
        k,
        made.parameters,
        table.whole_energy,
        lattice_contract(teacher),
        made.edges};
    write_payload(out, parts, origin, {}, options.sign);
  });
  return made;
}

}  // namespace mercer
