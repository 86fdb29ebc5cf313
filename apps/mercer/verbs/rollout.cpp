#include <fmt/format.h>

#include "cli/histogram.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "explorer/report.hpp"
#include "io/file.hpp"
#include "mercer/error.hpp"
#include "mercer/parallel.hpp"
#include "verbs/playing.hpp"

namespace {

struct RolloutVerb {
  Playing playing;
  std::string out;

  void run(const CommonOptions& common) const {
    const auto env = playing.make_env(common);
    const auto policy = playing.make_policy(*env);
    if (out.empty()) {
      throw mercer::Error(mercer::ErrorCode::missing_option, "no file was named for the rollouts",
                          "Add --out FILE.npz or FILE.csv, or use 'mercer evaluate' if only the returns matter");
    }
    mercer::check_rollouts_path(out);
    mercer::check_writable(out);
    const mercer::Rollouts rollouts = playing.play(*env, *policy, playing.complete(*env, common), common);
    if (mercer::team().rank > 0) return;  // rank 0 has them all, and writes them
    mercer::write_rollouts(out, rollouts);

    const mercer::ReturnSummary summary = mercer::summarise(rollouts.returns);
    if (!common.quiet) {
      tell("{} in {}, {} episodes, {} steps, seed {}\n", policy->name(), playing.env, rollouts.episodes(),
           rollouts.steps(), rollouts.seed);
      tell("return: {}\n{}", to_text(summary), histogram(rollouts.returns, terminal_width(), terminal_is_unicode()));
      tell("wrote {}\n", out);
    }
    if (common.json) {
      print_json({{"env", playing.env},
                  {"policy", policy->name()},
                  {"seed", common.seed},
                  {"episodes", rollouts.episodes()},
                  {"steps", rollouts.steps()},
                  {"return", to_json(summary)},
                  {"discounted_return", to_json(mercer::summarise(rollouts.discounted_returns))},
                  {"file", out}});
    }
  }
};

}  // namespace

void add_rollout(Program& program) {
  Verb& verb = program.add_verb("rollout", "Play a policy in a task and keep every step");
  const auto state = std::make_shared<RolloutVerb>();
  state->playing.add_settings(*verb.settings);
  verb.settings->add({"out", "File to write: .npz or .csv", "FILE"}, state->out);
  verb.run = [state, &program] { state->run(program.common()); };
}
