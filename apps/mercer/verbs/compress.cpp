#include <fmt/format.h>

#include "cli/output.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "mercer/error.hpp"
#include "pipeline/documents.hpp"

namespace {

std::string line(const mercer::Candidate& one) {
  return fmt::format("{:>7} {:>8.2f}%  {} {}, {} terms, {}", one.payload_bytes(), one.loss_percent,
                     name(one.embedding.route()), one.embedding.basis(), one.embedding.k(), name(one.format));
}

void show(const mercer::CompressResult& result, bool on_states) {
  const mercer::Compressed& found = result.found;
  tell("\n{} of {} candidates are on the Pareto front of bytes against loss:\n", found.front.size(),
       found.tried.size());
  for (const std::size_t i : found.front) tell("{}\n", line(found.tried[i]));
  tell("\nchosen:\n{}\n", line(found.winner()));
  if (!found.winner().embedding.is_lattice()) {
    for (const std::string& formula : mercer::formulas(found.winner().embedding.continuous())) tell("  {}\n", formula);
  }
  if (!on_states) {
    tell("Its actions are {:.3g} from the teacher's where the teacher goes (root mean square).\n",
         found.winner().action_distance);
  }
  if (found.certificate) tell("\n{}", mercer::certificate_page(*found.certificate));
  tell("\n{}: {} bytes, {} of them payload; {:.1f} s\n", result.out, result.bytes, found.winner().payload_bytes(),
       found.seconds);
}

void run(const mercer::CompressRequest& request, const CommonOptions& common) {
  if (request.out.empty()) {
    throw mercer::Error(mercer::ErrorCode::missing_option, "no file was named for the embedding",
                        "Add --out FILE.mercer");
  }
  const bool on_states = !request.states.empty();
  bool headed = false;
  const auto sink = [&](const mercer::Candidate& one, bool on_front) {
    if (common.quiet || !on_front) return;
    if (!headed) tell("{:>7} {:>9}  {}\n", "bytes", on_states ? "error" : "loss", "candidate");
    headed = true;
    tell("{}\n", line(one));
  };
  const mercer::CompressResult result = mercer::compress(request, sink, terminal_progress(common.quiet));
  if (!common.quiet) show(result, on_states);
  if (common.json) print_json(mercer::document(result));
  mercer::require_budget(result);
}

}  // namespace

void add_compress(Program& program) {
  add_request_verb<mercer::CompressRequest>(
      program, "compress", "Search for the smallest embedding that keeps a promise about its loss", run);
}
