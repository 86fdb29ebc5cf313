#include <algorithm>

#include <fmt/format.h>

#include "cli/output.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "embed/formula/axes.hpp"
#include "mercer/error.hpp"
#include "pipeline/documents.hpp"
#include "pipeline/missing.hpp"

namespace {

// Terms whose coefficients are 0 in every output: no formula shows them.
std::size_t terms_rounded_to_zero(const mercer::ContinuousEmbedding& embedding) {
  const std::vector<double>& all = embedding.code().coefficients;
  const std::size_t k = embedding.k();
  std::size_t count = 0;
  for (std::size_t term = 0; term < k; ++term) {
    bool zero = true;
    for (std::size_t i = term; i < all.size(); i += k) zero = zero && all[i] == 0;
    count += zero ? 1 : 0;
  }
  return count;
}

void show_continuous(const mercer::EmbedResult& result) {
  const mercer::Embedding& embedding = result.file->embedding;
  tell("basis {}, k {}: {} bytes of payload, file of {}\n", embedding.basis(), embedding.k(),
       embedding.payload().size(), result.file->bytes);
  if (embedding.k() <= mercer::most_shown_terms) {
    for (const std::string& line : mercer::formulas(embedding.continuous())) tell("  {}\n", line);
  } else {
    tell("  a formula of {} terms, which 'mercer inspect' shows\n", embedding.k());
  }
  if (const std::size_t zero = terms_rounded_to_zero(embedding.continuous()); zero > 0) {
    tell("{} of {} terms rounded to 0\n", zero, embedding.k());
  }
  tell("teacher:   {}\nembedding: {}\n", to_text(result.teacher), to_text(result.embedding));
  tell("loss {:.3g}% [{:.3g}%, {:.3g}%]\n", result.loss->loss_percent, result.loss->ci95_percent.low,
       result.loss->ci95_percent.high);
}

void show_sketches(const mercer::EmbedResult& result) {
  const mercer::EdgeAccuracy& edges = *result.file->edges;
  if (edges.certain_error == 0) {
    tell("edges of {} steps, exact\n", edges.steps);
  } else {
    tell("edges from sketches of {} steps: ranks within {:.3g}% with confidence 99%, {:.3g}% for certain\n",
         edges.steps, 100 * edges.rank_error, 100 * edges.certain_error);
  }
  std::size_t most = 0;
  for (const mercer::Edges& axis : result.file->embedding.lattice().policy().cells().grid().axes) {
    most = std::max(most, axis.bins());
  }
  const double bins_off = edges.rank_error * static_cast<double>(most);
  if (bins_off > 0.5) tell("an edge may be off by {:.1f} bins: use a larger --sketch\n", bins_off);
  tell("table of {} x {} in scratch files: {:.3g} MiB\n", result.cells,
       result.file->embedding.lattice().policy().columns(), static_cast<double>(*result.table_bytes) / 0x1p20);
}

void show_lattice(const mercer::EmbedRequest& request, const mercer::EmbedResult& result) {
  const mercer::LatticeEmbedding& embedding = result.file->embedding.lattice();
  const bool whole = request.lattice.unvisited == mercer::LatticeRequest::Unvisited::teacher;
  tell("{} {} of {:.0f}, {:.2f}% pruned; basis {}, k {}\n", result.cells, whole ? "cells" : "visited cells",
       result.all_cells, result.pruned_percent(), embedding.basis(), embedding.k());
  if (result.file->edges) show_sketches(result);
  if (request.lattice.conditional_actions.value_or(false)) {
    tell("{} cells have their own action edges; in {} too few different actions were played\n", result.own_action_edges,
         result.cells - result.own_action_edges);
  }
  if (result.collapsed_bins > 0) tell("{} bins collapsed: the data has ties\n", result.collapsed_bins);
  if (result.empty_rows > 0) {
    tell("{} of {} rows had nothing left to keep and are uniform: use a larger --k or another --basis\n",
         result.empty_rows, result.cells);
  }
  if (result.out.empty()) {
    tell("{} bytes of payload; nothing was written\n", embedding.payload().size());
  } else {
    tell("{}: {} bytes, {} of them payload\n", result.out, result.file->bytes, embedding.payload().size());
  }
  tell("teacher:   {}\n", to_text(result.teacher));
  if (result.lattice) tell("lattice:   {}\n", to_text(*result.lattice));
  tell("embedding: {}\n", to_text(result.embedding));
  if (!result.choice) return;
  for (const mercer::KPoint& point : result.choice->curve) {
    const char* const verdict = point.within_budget ? "" : ", too much";
    if (point.bound.empty()) {
      tell("k {:>8}: measured loss {:.3f}%, promised {:.6g} in return{}\n", point.k, point.loss_percent,
           point.upper_return, verdict);
    } else {
      tell("k {:>8}: solved loss {:.3f}%, {} bounds it by {:.6g} in return{}\n", point.k, point.loss_percent,
           point.bound, point.upper_return, verdict);
    }
  }
  if (result.choice->rule == mercer::KRule::bound) {
    tell("k was chosen by theorems in a finite process; what is promised is measured on other episodes:\n");
  }
  print_text(mercer::certificate_page(result.choice->certificate));
}

void run(const mercer::EmbedRequest& request, const CommonOptions& common) {
  mercer::require_named(request);
  if (request.out.empty()) {
    throw mercer::Error(mercer::ErrorCode::missing_option, "no file was named for the embedding",
                        "Add --out FILE.mercer");
  }
  const mercer::EmbedResult result = mercer::embed(request, terminal_progress(common.quiet));
  if (!result.file) return;  // process 0 has it
  if (!common.quiet) {
    if (result.file->embedding.is_lattice()) {
      show_lattice(request, result);
    } else {
      show_continuous(result);
    }
  }
  if (common.json) print_json(mercer::document(result));
  mercer::require_budget(result);
}

}  // namespace

void add_embed(Program& program) {
  add_request_verb<mercer::EmbedRequest>(program, "embed",
                                         "Turn a policy into few numbers, and measure what that costs", run);
}
