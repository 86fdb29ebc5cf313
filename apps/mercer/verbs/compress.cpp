#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/output.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "core/printable.hpp"
#include "measure/certificate_words.hpp"
#include "mercer/error.hpp"
#include "pipeline/documents.hpp"
#include "pipeline/missing.hpp"
#include "pipeline/run_status.hpp"
#include "pipeline/summary.hpp"

namespace {

// On logged states nothing is played, so that nothing is known of how actions move.
std::string line(const mercer::Candidate& one, bool played) {
  const std::string rough = fmt::format("{:.2f}%{}", 100 * one.behaviour.motion.roughness, one.admissible ? " " : "!");
  return fmt::format("{:>7} {:>8.2f}%{}  {} {}, {} term{}, {}", one.payload_bytes(), one.loss_percent,
                     played ? fmt::format(" {:>9}", rough) : "", name(one.embedding.route()), one.embedding.basis(),
                     one.embedding.k(), one.embedding.k() == 1 ? "" : "s", name(one.format));
}

std::string heading(bool played) {
  return fmt::format("{:>7} {:>9}{}  {}\n", "bytes", played ? "loss" : "error",
                     played ? fmt::format(" {:>8} ", "rough") : "", "candidate");
}

// "their roughness is expected to exceed 1.44% or their failure rate is expected to exceed 1%"
std::string exceeded(const mercer::Certificate& certificate) {
  std::vector<std::string> parts;
  for (const mercer::Promise& promise : certificate.promises) {
    if (!promise.budget || !mercer::is_share(promise.about)) continue;
    const double teacher = promise.factor == 0 ? 0 : promise.factor * promise.teacher;
    mercer::Promise of_embedding = promise;
    of_embedding.factor = 0;
    const std::string what =
        promise.about == mercer::Quantity::failures ? "failure rate" : mercer::promise_words(of_embedding);
    parts.push_back(fmt::format("their {} is expected to exceed {:.3g}%", what, 100 * (teacher + *promise.budget)));
  }
  return fmt::format("{}", fmt::join(parts, " or "));
}

void show_left_out(const mercer::Compressed& found) {
  const auto left_out = found.tried.size() - std::ranges::count_if(found.tried, &mercer::Candidate::admissible);
  if (left_out == 0 || !found.certificate) return;
  if (left_out < found.tried.size()) {
    tell("{} (marked !) left out: {}.\n", mercer::counted(left_out, "candidate"), exceeded(*found.certificate));
  } else {
    tell("None of the {} candidates (marked !) is admissible: {}.\n", left_out, exceeded(*found.certificate));
  }
}

void show(const mercer::CompressResult& result, bool played) {
  const mercer::Compressed& found = result.found;
  tell("\n{} of {} candidates are on the Pareto front of bytes against loss:\n", found.front.size(),
       found.tried.size());
  print_text(heading(played));
  for (const std::size_t i : found.front) tell("{}\n", line(found.tried[i], played));
  if (played) show_left_out(found);
  tell("\nchosen:\n{}\n", line(found.winner(), played));
  if (!found.winner().embedding.is_lattice()) {
    for (const std::string& formula : mercer::formulas(found.winner().embedding.continuous())) tell("  {}\n", formula);
  }
  if (found.certificate) print_text("\n" + mercer::certificate_page(*found.certificate));
  tell("\n");
  for (const mercer::Fact& fact : mercer::summary_of(result)) tell("{:<10} {}\n", fact.about, fact.text);
  if (result.out.empty() || !found.certificate || !found.certificate->within_budget) return;
  tell("next: mercer export c {} --out firmware\n", result.out);
}

void run(const mercer::CompressRequest& request, const CommonOptions& common) {
  mercer::require_named(request);
  if (request.out.empty()) {
    throw mercer::Error(mercer::ErrorCode::missing_option, "no file was named for the embedding",
                        "Add --out FILE.mercer");
  }
  const bool played = request.states.empty();
  bool headed = false;
  mercer::RunStatus status(request.results, "compress",
                           {{"env", request.task.env}, {"policy", request.teacher.policy}, {"seed", request.seed}},
                           interrupt_token());
  const auto sink = [&](const mercer::Candidate& one, bool on_front) {
    status.add(one, played);
    if (common.quiet || !on_front) return;
    if (!headed) print_text(heading(played));
    headed = true;
    tell("{}\n", line(one, played));
  };
  const mercer::CompressResult result =
      mercer::compress(request, sink, status.recording(terminal_progress(common.quiet, Notes::shown)));
  const nlohmann::ordered_json made = mercer::document(result);
  status.finish({{"payload_bytes", made["payload_bytes"]},
                 {"loss_percent", made["loss_percent"]},
                 {"upper_percent", made["upper_percent"]},
                 {"met", made["met"]}});
  if (!common.quiet) show(result, played);
  if (common.json) print_json(made);
  mercer::require_budget(result);
}

}  // namespace

void add_compress(Program& program) {
  add_request_verb<mercer::CompressRequest>(
      program, "compress", "Search for the smallest embedding that keeps a promise about its loss", run);
}
