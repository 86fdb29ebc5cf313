#include <fmt/format.h>

#include "histogram.hpp"
#include "mercer/core/error.hpp"
#include "mercer/io/file.hpp"
#include "mercer/policy/registry.hpp"
#include "playing.hpp"
#include "program.hpp"
#include "report.hpp"
#include "terminal.hpp"

namespace {

using json = nlohmann::ordered_json;

struct EvaluateVerb {
  Playing playing;
  std::string against;
  std::string rollouts;
  std::string out;

  void run(const CommonOptions& common) const {
    const json document = rollouts.empty() ? play(common) : read(common);
    if (!out.empty()) {
      mercer::write_atomically(out, [&](std::ostream& stream) { stream << document.dump(2) << '\n'; });
    }
    if (common.json) print_json(document);
  }

  json play(const CommonOptions& common) const {
    const auto env = playing.make_env(common);
    const auto policy = playing.make_policy(*env);
    const auto other = against.empty() ? nullptr : mercer::make_policy(against, env->task());
    mercer::RolloutOptions options = playing.complete(*env, common);
    options.keep_steps = false;
    const mercer::Rollouts played = playing.play(*env, *policy, options, common);
    json document = describe(played, common);
    document["env"] = playing.env;
    document["seed"] = common.seed;
    if (!other) return document;

    // The same seed gives both the same start states and the same noise.
    const mercer::Rollouts rival = playing.play(*env, *other, options, common);
    const mercer::PairedLoss loss = mercer::paired_loss(rival.returns, played.returns);
    document["against"] = {{"policy", other->name()}, {"return", to_json(mercer::summarise(rival.returns))}};
    document["paired"] = to_json(loss);
    if (!common.quiet) {
      fmt::print(stderr, "against {}: {}\n", other->name(), to_text(mercer::summarise(rival.returns)));
      fmt::print(stderr, "loss on the same starts: {:.6g}, {:.4g}% of |{:.6g}|, 95% interval [{:.4g}%, {:.4g}%]\n",
                 loss.loss_mean, loss.loss_percent, mercer::summarise(rival.returns).mean, loss.ci95_percent.low,
                 loss.ci95_percent.high);
    }
    return document;
  }

  json read(const CommonOptions& common) const {
    if (!playing.env.empty() || !playing.policy.empty() || !against.empty()) {
      throw mercer::Error(mercer::ErrorCode::bad_value, "--rollouts was given together with a task or a policy",
                          "Give --rollouts FILE alone, or --env and --policy");
    }
    json document = describe(mercer::read_rollouts(rollouts, playing.options.gamma.value_or(0.99)), common);
    document["file"] = rollouts;
    return document;
  }

  json describe(const mercer::Rollouts& played, const CommonOptions& common) const {
    const mercer::ReturnSummary summary = mercer::summarise(played.returns);
    if (!common.quiet) {
      fmt::print(stderr, "{}{} episodes, {} steps\n",
                 played.policy.empty() ? "" : fmt::format("{} in {}, ", played.policy, played.env), played.episodes(),
                 played.steps());
      fmt::print(stderr, "return: {}\n{}", to_text(summary),
                 histogram(played.returns, terminal_width(), terminal_is_unicode()));
    }
    return {{"policy", played.policy},
            {"episodes", played.episodes()},
            {"steps", played.steps()},
            {"return", to_json(summary)},
            {"discounted_return", to_json(mercer::summarise(played.discounted_returns))}};
  }
};

}  // namespace

void add_evaluate(Program& program) {
  Verb& verb = program.add_verb("evaluate", "Play a policy and tell its return, or compare two on the same starts");
  const auto state = std::make_shared<EvaluateVerb>();
  state->playing.add_settings(*verb.settings);
  Setting& rival =
      verb.settings->add({"against", "Second policy: tell what --policy loses against it", "POLICY"}, state->against);
  rival.choices = {"uniform", "tabular:"};
  verb.settings->add({"rollouts", "Tell the return of rollouts in a file instead of playing", "FILE"}, state->rollouts);
  verb.settings->add({"out", "Write the JSON document to this file", "FILE"}, state->out);
  verb.run = [state, &program] { state->run(program.common()); };
}
