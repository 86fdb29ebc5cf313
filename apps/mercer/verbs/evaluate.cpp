#include <cmath>

#include <fmt/format.h>

#include "cli/output.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "io/file.hpp"
#include "measure/behaviour_words.hpp"
#include "mercer/error.hpp"
#include "pipeline/documents.hpp"
#include "pipeline/missing.hpp"

using mercer::Error;
using mercer::ErrorCode;

namespace {

mercer::PolicyOutcomes outcomes(const mercer::ReturnSummary& returns, const std::optional<mercer::Behaviour>& measured,
                                bool compared) {
  mercer::PolicyOutcomes out{.mean_return = returns.mean};
  if (!measured) return out;
  out.motion = measured->motion;
  if (!std::isnan(measured->failures)) out.failures = measured->failures;
  if (compared) out.distance = measured->distance;
  return out;
}

void show_behaviour(const mercer::EvaluateResult& result) {
  if (!result.behaviour) return;
  mercer::OutcomePair pair{{}, outcomes(result.returns, result.behaviour, result.against.has_value())};
  if (result.against) pair.teacher = outcomes(result.against->returns, result.against->behaviour, true);
  print_text(
      mercer::outcome_table(mercer::outcome_lines(pair), "on average", result.against ? "against" : "", "policy"));
}

void show(const mercer::EvaluateResult& result, mercer::Act act) {
  const std::string title = result.file.empty()
                                ? fmt::format("{} in {}, seed {}, {}, ", result.policy, result.env, result.seed,
                                              result.deterministic       ? "deterministic"
                                              : act == mercer::Act::mean ? "mean actions (--act mean)"
                                                                         : "drawn actions (--act sample)")
                                : result.file + ": ";
  tell("{}{} episodes, {} steps\n", title, result.played.episodes(), result.played.steps());
  tell("return: {}\n", to_text(result.returns));
  print_text(histogram(result.played.returns, terminal_width(), terminal_is_unicode()));
  show_behaviour(result);
  if (!result.against) return;
  const auto& [name, returns, loss, behaviour] = *result.against;
  tell("against {}: {}\n", name, to_text(returns));
  tell("{} on the same starts: {:.6g}, {:.4g}% of |{:.6g}|, 95% interval [{:.4g}%, {:.4g}%]\n",
       loss.loss_mean < 0 ? "loss (negative: a gain)" : "loss", loss.loss_mean, loss.loss_percent, returns.mean,
       loss.ci95_percent.low, loss.ci95_percent.high);
}

void check_out(const std::string& out) {
  if (out.empty()) return;
  if (!out.ends_with(".json")) {
    throw Error(ErrorCode::bad_value, fmt::format("'{}' does not end in .json", out),
                "Give the file for the JSON document that ending");
  }
  mercer::check_writable(out);
}

}  // namespace

void add_evaluate(Program& program) {
  const auto out = std::make_shared<std::string>();
  Verb& verb = add_request_verb<mercer::EvaluateRequest>(
      program, "evaluate", "Play a policy and measure its return, or compare two on the same starts",
      [out](const mercer::EvaluateRequest& request, const CommonOptions& common) {
        mercer::require_named(request);
        check_out(*out);
        const mercer::EvaluateResult result = mercer::evaluate(request, terminal_progress(common.quiet));
        if (!common.quiet) show(result, request.task.act.value_or(mercer::RolloutOptions{}.act));
        const auto document = mercer::document(result);
        if (!out->empty()) {
          mercer::write_atomically(*out, [&](std::ostream& stream) { stream << document.dump(2) << '\n'; });
        }
        if (common.json) print_json(document);
      });
  mercer::OptionList own(verb.given);
  own.in(mercer::OptionGroup::output)
      .add({.name = "out", .value = "FILE", .help = "Write the JSON document to this .json file"}, *out);
  verb.settings->add(std::move(own));
}
