#include "verbs/embed_large.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/terminal.hpp"
#include "explorer/report.hpp"
#include "mercer/error.hpp"
#include "mercer/parallel.hpp"
#include "mercer/statistics.hpp"

using mercer::Error;
using mercer::ErrorCode;

namespace {

using json = nlohmann::ordered_json;

mercer::LargeOptions complete(const LargeSettings& large, const LatticeSettings& lattice, const std::string& basis,
                              std::uint64_t episodes, const CommonOptions& common) {
  if (lattice.order && *lattice.order != mercer::RowOrder::lexicographic) {
    throw Error(ErrorCode::bad_value,
                fmt::format("--order {} with --scratch, where rows stand by cell number", name(*lattice.order)),
                "Leave it out: svd keeps as much in any order");
  }
  mercer::LargeOptions options;
  options.lattice = lattice.lattice();
  options.truncation = lattice.truncation();
  options.truncation.basis = basis;
  options.episodes = episodes;
  options.seed = common.seed;
  if (large.sketch) options.sketch = *large.sketch;
  options.scratch = *large.scratch;
  return options;
}

std::string edges_text(const mercer::EdgeAccuracy& edges) {
  if (edges.certain_error == 0) return fmt::format("edges of {} steps, exact", edges.steps);
  return fmt::format("edges from sketches of {} steps: ranks within {:.3g}% with confidence 99%, {:.3g}% for certain",
                     edges.steps, 100 * edges.rank_error, 100 * edges.certain_error);
}

double most_bins(const mercer::Grid& grid) {
  std::size_t most = 0;
  for (const mercer::Edges& axis : grid.axes) most = std::max(most, axis.bins());
  return static_cast<double>(most);
}

// By process 0, the one that has the file.
void report(const Playing& playing, const mercer::Env& env, const mercer::Policy& teacher,
            const mercer::LargeEmbedding& made, const std::string& out, const CommonOptions& common) {
  mercer::Acting acting;
  acting.from = mercer::RowsFrom::coefficients;
  const mercer::EmbeddingFile file = mercer::read_embedding(out, acting);  // what is judged is what was written
  mercer::RolloutOptions judging = playing.complete(env, common);
  judging.seed = common.seed + 1;  // other starts than those that made the lattice
  judging.keep_steps = false;
  const auto earned = [&](const mercer::Policy& policy) {
    return mercer::summarise(Playing::play(env, policy, judging, common).returns);
  };
  const mercer::ReturnSummary of_teacher = earned(teacher), of_embedding = earned(file.embedding.policy());
  const double pruned = 100 * (1 - static_cast<double>(made.cells) / made.all_cells);
  if (!common.quiet) {
    tell("{} visited cells of {:.0f}, {:.2f}% pruned; basis {}, k {}\n", made.cells, made.all_cells, pruned, made.basis,
         made.k);
    tell("{}\n", edges_text(made.edges));
    const double bins_off = made.edges.rank_error * most_bins(file.embedding.lattice().policy().cells().grid());
    if (bins_off > 0.5) tell("an edge may be off by {:.1f} bins: take a larger --sketch\n", bins_off);
    tell("table of {} x {} in scratch files: {:.3g} MiB\n", made.cells, made.columns,
         static_cast<double>(made.table_bytes) / 0x1p20);
    if (made.collapsed_bins > 0) tell("{} bins collapsed: the data has ties\n", made.collapsed_bins);
    if (made.empty_rows > 0) {
      tell("{} of {} rows had nothing left to keep and are uniform: take a larger --k\n", made.empty_rows, made.cells);
    }
    tell("{}: {} bytes, {} of them payload\n", out, file.bytes, made.payload_bytes);
    tell("teacher:   {}\nembedding: {}\n", to_text(of_teacher), to_text(of_embedding));
  }
  if (!common.json) return;
  print_json(
      {{"route", "lattice"},
       {"basis", made.basis},
       {"k", made.k},
       {"parameters", made.parameters.published},
       {"parameters_stored", made.parameters.stored},
       {"bytes", file.bytes},
       {"payload_bytes", made.payload_bytes},
       {"visited_cells", made.cells},
       {"pruned_percent", pruned},
       {"collapsed_bins", made.collapsed_bins},
       {"steps", made.edges.steps},
       {"edge_rank_error", made.edges.rank_error},
       {"edge_rank_error_certain", made.edges.certain_error},
       {"table_bytes", made.table_bytes},
       {"w1", made.distance.w1},
       {"w1_kind", name(made.distance.w1_kind)},
       {"tv", made.distance.tv},
       {"returns", {{"teacher", to_json(of_teacher)}, {"lattice", nullptr}, {"embedding", to_json(of_embedding)}}},
       {"file", out}});
}

}  // namespace

void LargeSettings::add_settings(Settings& settings) {
  settings.add({"scratch", "Keep the table in files of this folder, not in memory; basis svd", "DIR"}, scratch);
  settings.add(
      {"sketch", "With --scratch: size of the sketches that edges come from, exact up to as many steps [4096]", "N"},
      sketch);
}

void LargeSettings::refuse_without() const {
  if (asked() && scratch->empty()) {
    throw Error(ErrorCode::bad_value, "--scratch is empty", "Name a folder for the table, or leave it out");
  }
  if (asked()) return;
  if (sketch) {
    throw Error(ErrorCode::bad_value, "--sketch without --scratch: edges come from all data then",
                "Leave it out, or add --scratch DIR");
  }
  if (mercer::team().size > 1) {
    throw Error(ErrorCode::bad_value,
                fmt::format("'mercer embed' without --scratch does not spread over {} processes", mercer::team().size),
                "Add --scratch DIR and a basis svd, or start it without mpirun");
  }
}

void LargeSettings::run(const Playing& playing, const LatticeSettings& lattice, const std::string& basis,
                        std::uint64_t episodes, const std::string& out, const CommonOptions& common,
                        const Settings& settings) const {
  const mercer::LargeOptions options = complete(*this, lattice, basis, episodes, common);
  const auto env = playing.make_env(common);
  const auto teacher = playing.make_policy(*env);
  const mercer::EmbeddingOrigin origin{playing.env, teacher->name(), common.seed, lasting(settings)};
  const mercer::LargeEmbedding made =
      mercer::embed_large(*env, *teacher, options, out, origin, mercer::team(), terminal_progress(common.quiet));
  if (mercer::team().rank > 0) return;
  mercer::join_team({});  // the others are done
  report(playing, *env, *teacher, made, out, common);
}
