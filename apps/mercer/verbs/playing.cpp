#include "verbs/playing.hpp"

#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "cli/terminal.hpp"
#include "mercer/env.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"

using mercer::Error;
using mercer::ErrorCode;

void Playing::add_settings(Settings& settings) {
  Setting& task = settings.add({"env", "Task to play, such as pendulum or chain:n=20", "TASK"}, env);
  for (const mercer::EnvEntry& entry : mercer::known_envs()) task.choices.push_back(entry.name);
  Setting& kind = settings.add(
      {"policy", "Policy: uniform, tabular:FILE, or a file .onnx, .safetensors or .mercer", "POLICY"}, policy);
  kind.choices = {"uniform", "tabular:"};
  settings.add({"episodes", fmt::format("Episodes to play, 1 to 10^9 [{}]", options.episodes), "N"}, options.episodes);
  Setting& how = settings.add_choice({"act", fmt::format("Draw actions or play the mean one [{}]", usual_act), "HOW"},
                                     options.act);
  how.assign = [this, assign = how.assign](const std::string& text, const std::string& source) {
    assign(text, source);
    act_given = true;
  };
  settings.add({"gamma", "Discount, 0 to 1 [the task's]", "G"}, options.gamma);
  settings.add({"horizon", "Steps after which an episode is cut off [the task's]", "N"}, options.horizon);
  settings.add({"starts", "Take the start states from these rollouts (.npz or .csv)", "FILE"}, starts);
  for (const mercer::PolicySettingKind& known : mercer::known_policy_settings()) {
    if (known.value == "NAME") continue;  // of an output: in FILE.toml or FILE.onnx:mean=NAME
    settings.add({known.key,
                  "Network: " + known.help,
                  known.value,
                  {},
                  false,
                  [this, key = known.key](const std::string& text, const std::string& source) {
                    policy_settings.push_back({key, text, source});
                  }});
  }
  settings.add({"batch", "Episodes in lockstep, 0 to choose [0]; changes no result", "N"}, options.batch);
}

std::unique_ptr<mercer::Policy> load_policy(const std::string& spec, const mercer::Task& task,
                                            const std::vector<mercer::PolicySetting>& settings) {
  std::string reading;
  auto policy = mercer::make_policy(spec, task, settings, &reading);
  if (!reading.empty()) spdlog::info("'{}' is read as a {}", policy->name(), reading);
  return policy;
}

std::unique_ptr<mercer::Env> Playing::make_env(const CommonOptions& common) const {
  if (env.empty()) {
    throw Error(ErrorCode::missing_option, "no task was named", "Add --env TASK; 'mercer list' shows the tasks");
  }
  return mercer::make_env(env, common.seed);
}

std::unique_ptr<mercer::Policy> Playing::make_policy(const mercer::Env& task) const {
  if (policy.empty()) {
    throw Error(ErrorCode::missing_option, "no policy was named", "Add --policy POLICY; 'mercer list' shows the kinds");
  }
  return load_policy(policy, task.task(), policy_settings);
}

mercer::RolloutOptions Playing::complete(const mercer::Env& task, const CommonOptions& common) const {
  mercer::RolloutOptions completed = options;
  completed.seed = common.seed;
  if (starts.empty()) return completed;
  const mercer::Rollouts from = mercer::read_rollouts(starts);
  const std::size_t wanted = task.task().state.dimensions();
  std::vector<std::string> names;
  for (const mercer::Axis& axis : task.task().state.axes) names.push_back(axis.name);
  if (from.episodes() == 0 || from.start_states.size() != from.episodes() * wanted || from.state_names != names) {
    throw Error(
        ErrorCode::shape_mismatch,
        fmt::format("'{}' has {} start states of ({}) and the states of task '{}' are ({})", starts, from.episodes(),
                    fmt::join(from.state_names, ", "), task.task().name, fmt::join(names, ", ")),
        "Give rollouts of a task with the same states");
  }
  completed.start_states = from.start_states;
  return completed;
}

void Playing::refuse_starts() const {
  if (starts.empty()) return;
  throw Error(ErrorCode::bad_value, "--starts was given, and a certificate needs start states that the task draws",
              "Leave it out; 'mercer evaluate --against' compares on given starts");
}

mercer::Rollouts Playing::play(const mercer::Env& task, const mercer::Policy& player,
                               const mercer::RolloutOptions& completed, const CommonOptions& common) {
  const auto start = std::chrono::steady_clock::now();
  mercer::Rollouts played = mercer::rollout(task, player, completed, terminal_progress(common.quiet));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  spdlog::info("{} steps of {} in {} took {:.3f} s: {:.3g} steps a second", played.steps(), player.name(),
               task.task().name, seconds, static_cast<double>(played.steps()) / seconds);
  return played;
}
