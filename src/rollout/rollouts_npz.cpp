#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "mercer/core/error.hpp"
#include "mercer/io/npz.hpp"
#include "rollout/files.hpp"

namespace mercer {
namespace {

using nlohmann::json;

constexpr int format_version = 1;

[[noreturn]] void inconsistent(const std::filesystem::path& path, const std::string& what) {
  throw Error(ErrorCode::bad_format, fmt::format("'{}': {}", path.string(), what),
              "Give a file written by 'mercer rollout'");
}

std::vector<double> numbers(const Arrays& arrays, const std::string& name, std::size_t rows, std::size_t columns,
                            const std::filesystem::path& path) {
  const Array& array = require_array(arrays, name, path);
  if (array.size() != rows * columns) {
    inconsistent(path, fmt::format("array '{}' has {} numbers and needs {} x {}", name, array.size(), rows, columns));
  }
  return array.as_doubles();
}

}  // namespace

void write_rollouts_npz(const std::filesystem::path& path, const Rollouts& r) {
  const std::size_t episodes = r.episodes();
  const std::size_t steps = r.has_steps() ? r.steps() : 0;
  const json meta{{"format", "mercer-rollouts"},
                  {"version", format_version},
                  {"env", r.env},
                  {"policy", r.policy},
                  {"seed", r.seed},
                  {"gamma", r.gamma},
                  {"discrete_actions", r.discrete_actions},
                  {"state_names", r.state_names},
                  {"observation_names", r.observation_names},
                  {"action_names", r.action_names}};
  Arrays arrays;
  // Names may come from file names, which need not be UTF-8; JSON must be.
  arrays["meta"] = Array::of_text(meta.dump(-1, ' ', false, json::error_handler_t::replace));
  arrays["offsets"] = Array::of(r.offsets, {episodes + 1});
  arrays["states"] = Array::of(r.states, {steps, r.state_names.size()});
  arrays["observations"] = Array::of(r.observations, {steps, r.observation_names.size()});
  if (r.discrete_actions) {
    const std::vector<std::int64_t> indices(r.actions.begin(), r.actions.end());
    arrays["actions"] = Array::of(indices, {steps, r.action_names.size()});
  } else {
    arrays["actions"] = Array::of(r.actions, {steps, r.action_names.size()});
  }
  arrays["rewards"] = Array::of(r.rewards, {steps});
  arrays["start_states"] = Array::of(r.start_states, {episodes, r.state_names.size()});
  arrays["final_observations"] = Array::of(r.final_observations, {episodes, r.observation_names.size()});
  arrays["returns"] = Array::of(r.returns, {episodes});
  arrays["discounted_returns"] = Array::of(r.discounted_returns, {episodes});
  arrays["terminated"] = Array::of_flags(r.terminated, {episodes});
  write_npz(path, arrays);
}

Rollouts read_rollouts_npz(const std::filesystem::path& path) {
  const Arrays arrays = read_npz(path);
  Rollouts r;
  try {
    const json meta = json::parse(require_array(arrays, "meta", path).as_text());
    if (meta.at("format") != "mercer-rollouts") inconsistent(path, "it does not hold rollouts");
    if (meta.at("version") > format_version) {
      inconsistent(path, fmt::format("it has format version {} and this program reads up to {}",
                                     meta.at("version").dump(), format_version));
    }
    meta.at("env").get_to(r.env);
    meta.at("policy").get_to(r.policy);
    meta.at("seed").get_to(r.seed);
    meta.at("gamma").get_to(r.gamma);
    meta.at("discrete_actions").get_to(r.discrete_actions);
    meta.at("state_names").get_to(r.state_names);
    meta.at("observation_names").get_to(r.observation_names);
    meta.at("action_names").get_to(r.action_names);
  } catch (const json::exception& trouble) {
    inconsistent(path, fmt::format("its 'meta' cannot be read ({})", trouble.what()));
  }
  r.offsets = require_array(arrays, "offsets", path).as_integers();
  if (r.offsets.empty() || r.offsets[0] != 0) inconsistent(path, "array 'offsets' does not start with 0");
  for (std::size_t e = 0; e + 1 < r.offsets.size(); ++e) {
    if (r.offsets[e + 1] < r.offsets[e])
      inconsistent(path, fmt::format("offset {} is less than the one before", e + 1));
  }
  const std::size_t rows = require_array(arrays, "rewards", path).size();
  if (rows != 0 && rows != r.steps()) inconsistent(path, fmt::format("{} rewards for {} steps", rows, r.steps()));
  r.states = numbers(arrays, "states", rows, r.state_names.size(), path);
  r.observations = numbers(arrays, "observations", rows, r.observation_names.size(), path);
  r.actions = numbers(arrays, "actions", rows, r.action_names.size(), path);
  r.rewards = numbers(arrays, "rewards", rows, 1, path);
  r.start_states = numbers(arrays, "start_states", r.episodes(), r.state_names.size(), path);
  r.final_observations = numbers(arrays, "final_observations", r.episodes(), r.observation_names.size(), path);
  r.returns = numbers(arrays, "returns", r.episodes(), 1, path);
  r.discounted_returns = numbers(arrays, "discounted_returns", r.episodes(), 1, path);
  for (const double flag : numbers(arrays, "terminated", r.episodes(), 1, path)) r.terminated.push_back(flag != 0);
  return r;
}

}  // namespace mercer
