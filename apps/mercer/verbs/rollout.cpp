#include "cli/output.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "mercer/error.hpp"
#include "pipeline/documents.hpp"
#include "pipeline/missing.hpp"

namespace {

void run(const mercer::RolloutRequest& request, const CommonOptions& common) {
  mercer::require_named(request);
  if (request.out.empty()) {
    throw mercer::Error(mercer::ErrorCode::missing_option, "no file was named for the rollouts",
                        "Add --out FILE.npz or FILE.csv, or use 'mercer evaluate' if only the returns matter");
  }
  const mercer::RolloutResult result = mercer::rollout(request, terminal_progress(common.quiet));
  if (mercer::team().rank > 0) return;  // process 0 has them all
  const mercer::Rollouts& rollouts = result.rollouts;
  if (!common.quiet) {
    tell("{} in {}, {} episodes, {} steps, seed {}\n", result.policy, result.env, rollouts.episodes(), rollouts.steps(),
         rollouts.seed);
    tell("return: {}\n", to_text(mercer::summarise(rollouts.returns)));
    print_text(histogram(rollouts.returns, terminal_width(), terminal_is_unicode()));
    tell("wrote {}\n", result.out);
  }
  if (common.json) print_json(mercer::document(result));
}

}  // namespace

void add_rollout(Program& program) {
  add_request_verb<mercer::RolloutRequest>(program, "rollout", "Play a policy in a task and keep every step", run);
}
