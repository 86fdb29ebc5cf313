#include <spdlog/spdlog.h>

#include "cli/output.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "pipeline/documents.hpp"
#include "pipeline/missing.hpp"
#include "pipeline/run_status.hpp"

namespace {

void announce(const mercer::TrainPlan& plan, const CommonOptions& common) {
  if (!common.quiet) {
    tell("{} in {}, seed {}, {} steps, recipe {}{}\n", name(mercer::algorithm_of(plan.recipe.options)),
         plan.options.env, plan.options.seed, plan.options.steps, plan.recipe.name,
         plan.recipe.why.empty() ? "" : ": " + plan.recipe.why);
  }
  const mercer::LearnOptions* const learn = mercer::learn_options(plan.options.algorithm);
  if (learn != nullptr && plan.options.steps < learn->warmup) {
    spdlog::warn("nothing is learned: the first update comes after {} steps (--warmup), and --steps is {}",
                 learn->warmup, plan.options.steps);
  }
}

void run(const mercer::TrainRequest& request, const CommonOptions& common) {
  mercer::require_named(request);
  const mercer::TrainPlan plan = mercer::plan_training(request);
  announce(plan, common);
  mercer::RunStatus status(request.out, "train",
                           {{"env", request.env}, {"seed", request.seed}, {"steps", plan.options.steps}},
                           interrupt_token());
  const mercer::TrainOutcome outcome = mercer::train(request, status.recording(terminal_progress(common.quiet)));
  const mercer::TrainResult& result = outcome.result;
  const nlohmann::ordered_json made = mercer::document(outcome);
  status.finish({{"steps", made["steps"]}, {"snapshots", made["snapshots"]}});
  if (!common.quiet) {
    if (result.resumed_from > 0) tell("continued after step {}\n", result.resumed_from);
    tell("{} steps in {:.1f} s; {:.1f} CPU minutes in all\n", result.steps - result.resumed_from, result.seconds,
         result.cpu_seconds / 60);
    for (std::size_t i = 0; i < outcome.returns.size(); ++i) {
      tell("{}: {}\n", result.snapshots[i].file.string(), to_text(outcome.returns[i]));
    }
  }
  if (common.json) print_json(made);
}

}  // namespace

void add_train(Program& program) {
  add_request_verb<mercer::TrainRequest>(program, "train", "Train a policy by reinforcement learning", run);
}
