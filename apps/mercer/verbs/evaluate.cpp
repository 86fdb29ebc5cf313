#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "cli/histogram.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "explorer/report.hpp"
#include "io/file.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"
#include "mercer/statistics.hpp"
#include "verbs/playing.hpp"

namespace {

using json = nlohmann::ordered_json;

struct EvaluateVerb {
  Playing playing;
  std::string against;
  std::string rollouts;
  std::string out;

  void run(const CommonOptions& common, const Settings& settings) const {
    if (!out.empty()) check_out();
    const json document = rollouts.empty() ? play(common) : read(common, settings);
    if (!out.empty()) {
      mercer::write_atomically(out, [&](std::ostream& stream) { stream << document.dump(2) << '\n'; });
    }
    if (common.json) print_json(document);
  }

  // A file that must not be lost, such as rollouts, does not end in .json.
  void check_out() const {
    if (!out.ends_with(".json")) {
      throw mercer::Error(mercer::ErrorCode::bad_value, fmt::format("'{}' does not end in .json", out),
                          "Give the file for the JSON document that ending");
    }
    mercer::check_writable(out);
  }

  json play(const CommonOptions& common) const {
    const auto env = playing.make_env(common);
    const auto policy = playing.make_policy(*env);
    const auto other = against.empty() ? nullptr : load_policy(against, env->task());
    mercer::RolloutOptions options = playing.complete(*env, common);
    options.keep_steps = false;
    const mercer::Rollouts played = playing.play(*env, *policy, options, common);
    json document{{"env", playing.env}, {"policy", policy->name()}, {"seed", common.seed}};
    describe(played, fmt::format("{} in {}, seed {}, ", policy->name(), playing.env, common.seed), common, document);
    if (!other) return document;

    // The same seed gives both the same start states and the same noise.
    const mercer::Rollouts rival = playing.play(*env, *other, options, common);
    const mercer::ReturnSummary rivals = mercer::summarise(rival.returns);
    const mercer::PairedLoss loss = mercer::paired_loss(rival.returns, played.returns);
    document["against"] = {{"policy", other->name()}, {"return", to_json(rivals)}};
    document["paired"] = to_json(loss);
    if (!common.quiet) {
      tell("against {}: {}\n", other->name(), to_text(rivals));
      tell("{} on the same starts: {:.6g}, {:.4g}% of |{:.6g}|, 95% interval [{:.4g}%, {:.4g}%]\n",
           loss.loss_mean < 0 ? "loss (negative: a gain)" : "loss", loss.loss_mean, loss.loss_percent, rivals.mean,
           loss.ci95_percent.low, loss.ci95_percent.high);
    }
    return document;
  }

  json read(const CommonOptions& common, const Settings& settings) const {
    std::set<std::string> playing_only{"env", "policy", "against", "episodes", "act", "horizon", "starts", "batch"};
    for (const mercer::PolicySettingKind& kind : mercer::known_policy_settings()) playing_only.insert(kind.key);
    for (const Setting& setting : settings.all()) {
      if (setting.option->count() == 0 || !playing_only.contains(setting.name)) continue;
      throw mercer::Error(mercer::ErrorCode::bad_value,
                          fmt::format("--{} was given together with --rollouts, which plays nothing", setting.name),
                          "Leave one of them out");
    }
    const mercer::Rollouts played = mercer::read_rollouts(rollouts, playing.options.gamma);
    json document{{"env", played.env}, {"policy", played.policy}, {"file", rollouts}};
    describe(played, rollouts + ": ", common, document);
    return document;
  }

  // By bootstrap, with fewer samples of many episodes: each takes as long as there are episodes.
  static json spread_interval(const std::vector<double>& returns) {
    if (returns.size() < 3) return nullptr;
    mercer::BootstrapOptions options;
    options.resamples = std::clamp<std::size_t>(400'000'000 / returns.size(), 200, 2000);
    const mercer::Range range =
        mercer::bootstrap_interval(returns, mercer::Statistic::std, 0.05, mercer::Sides::two, options);
    return {range.low, range.high};
  }

  static void describe(const mercer::Rollouts& played, const std::string& title, const CommonOptions& common,
                       json& document) {
    const mercer::ReturnSummary summary = mercer::summarise(played.returns);
    if (!common.quiet) {
      tell("{}{} episodes, {} steps\n", title, played.episodes(), played.steps());
      tell("return: {}\n{}", to_text(summary), histogram(played.returns, terminal_width(), terminal_is_unicode()));
    }
    document["episodes"] = played.episodes();
    document["steps"] = played.steps();
    document["return"] = to_json(summary);
    document["std_ci95"] = spread_interval(played.returns);
    document["discounted_return"] = to_json(mercer::summarise(played.discounted_returns));
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
  verb.settings->add({"out", "Write the JSON document to this .json file", "FILE"}, state->out);
  verb.run = [state, &program, &verb] { state->run(program.common(), *verb.settings); };
}
