#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/csv.hpp"
#include "io/documents.hpp"
#include "io/npz.hpp"
#include "mercer/error.hpp"
#include "mercer/rollout.hpp"

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
    const json meta = parse_strict_json<json>(require_array(arrays, "meta", path).as_text(), path.string());
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

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

[[noreturn]] void bad_csv(const std::filesystem::path& path, const std::string& what) {
  throw Error(ErrorCode::bad_format, fmt::format("'{}': {}", path.string(), what),
              "Give columns episode, obs.NAME, action.NAME and reward, episodes one after the other");
}

// The columns called "prefix.NAME", and their names.
struct Group {
  Group(const CsvTable& table, const std::string& prefix) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (!table.columns[c].starts_with(prefix)) continue;
      columns.push_back(c);
      names.push_back(table.columns[c].substr(prefix.size()));
    }
  }
  void append_row(const CsvTable& table, std::size_t row, std::vector<double>& out) const {
    for (const std::size_t column : columns) out.push_back(table.at(row, column));
  }
  std::vector<std::size_t> columns;
  std::vector<std::string> names;
};

// Every number of a step must be one: an empty field would otherwise pass as NaN.
void check_finite(const CsvTable& table, std::size_t row, std::span<const std::size_t> columns,
                  const std::filesystem::path& path) {
  for (const std::size_t column : columns) {
    if (std::isfinite(table.at(row, column))) continue;
    bad_csv(path, fmt::format("line {}: '{}' is {}", row + 2, table.columns[column], table.at(row, column)));
  }
}

std::size_t find_column(const CsvTable& table, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(table.columns, name) - table.columns.begin());
}

void write_rollouts_csv(const std::filesystem::path& path, const Rollouts& r) {
  if (!r.has_steps()) {
    throw Error(ErrorCode::missing_option,
                fmt::format("'{}' would hold steps, and there are returns only", path.string()),
                "Keep the steps, or write an .npz file");
  }
  CsvTable table{{"episode", "step"}, {}};
  for (const std::string& name : r.state_names) table.columns.push_back("state." + name);
  for (const std::string& name : r.observation_names) table.columns.push_back("obs." + name);
  for (const std::string& name : r.action_names) table.columns.push_back("action." + name);
  table.columns.insert(table.columns.end(), {"reward", "terminated"});
  const auto put_row = [&](const std::vector<double>& rows, std::size_t row, std::size_t width) {
    for (std::size_t d = 0; d < width; ++d) table.values.push_back(rows[row * width + d]);
  };
  const auto put_nothing = [&](std::size_t count) { table.values.insert(table.values.end(), count, nothing); };
  const std::size_t states = r.state_names.size();
  const std::size_t observations = r.observation_names.size();
  const std::size_t actions = r.action_names.size();
  for (std::size_t e = 0; e < r.episodes(); ++e) {
    const auto begin = static_cast<std::size_t>(r.offsets[e]);
    const auto end = static_cast<std::size_t>(r.offsets[e + 1]);
    for (std::size_t t = begin; t < end; ++t) {
      table.values.insert(table.values.end(), {static_cast<double>(e), static_cast<double>(t - begin)});
      put_row(r.states, t, states);
      put_row(r.observations, t, observations);
      put_row(r.actions, t, actions);
      table.values.insert(table.values.end(), {r.rewards[t], t + 1 == end && r.terminated[e] ? 1.0 : 0.0});
    }
    // The closing line: where the last action led.
    table.values.insert(table.values.end(), {static_cast<double>(e), static_cast<double>(end - begin)});
    put_nothing(states);
    put_row(r.final_observations, e, observations);
    put_nothing(actions + 2);
  }
  write_csv(path, table);
}

Rollouts read_rollouts_csv(const std::filesystem::path& path, double gamma) {
  const CsvTable table = read_csv(path);
  const std::size_t episode = find_column(table, "episode");
  const std::size_t reward = find_column(table, "reward");
  const std::size_t terminated = find_column(table, "terminated");
  const Group state(table, "state."), observation(table, "obs."), action(table, "action.");
  if (episode == table.columns.size()) bad_csv(path, "there is no column 'episode'");
  if (reward == table.columns.size()) bad_csv(path, "there is no column 'reward'");
  if (observation.columns.empty()) bad_csv(path, "there is no column 'obs.NAME'");
  if (action.columns.empty()) bad_csv(path, "there is no column 'action.NAME'");

  Rollouts r;
  r.gamma = gamma;
  r.state_names = state.names;
  r.observation_names = observation.names;
  r.action_names = action.names;
  std::set<double> seen;
  bool closed = false;
  double discount = 1;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    check_finite(table, row, std::span(&episode, 1), path);
    const double number = table.at(row, episode);
    if (row == 0 || number != table.at(row - 1, episode)) {
      if (!seen.insert(number).second) bad_csv(path, fmt::format("line {} comes back to episode {}", row + 2, number));
      if (std::isnan(table.at(row, reward)))
        bad_csv(path, fmt::format("line {} opens an episode without a reward", row + 2));
      closed = false;
      r.offsets.push_back(r.offsets.back());
      r.returns.push_back(0);
      r.discounted_returns.push_back(0);
      r.terminated.push_back(0);
      state.append_row(table, row, r.start_states);
      // Until a closing line says better: no observation is known after the last action.
      r.final_observations.insert(r.final_observations.end(), observation.columns.size(), nothing);
      discount = 1;
    }
    if (closed) bad_csv(path, fmt::format("line {} continues episode {} after its closing line", row + 2, number));
    if (std::isnan(table.at(row, reward))) {
      closed = true;
      r.final_observations.resize(r.final_observations.size() - observation.columns.size());
      observation.append_row(table, row, r.final_observations);
      continue;
    }
    check_finite(table, row, std::span(&reward, 1), path);
    for (const Group* group : {&state, &observation, &action}) check_finite(table, row, group->columns, path);
    ++r.offsets.back();
    state.append_row(table, row, r.states);
    observation.append_row(table, row, r.observations);
    action.append_row(table, row, r.actions);
    r.rewards.push_back(table.at(row, reward));
    r.returns.back() += r.rewards.back();
    r.discounted_returns.back() += discount * r.rewards.back();
    discount *= gamma;
    if (terminated < table.columns.size() && table.at(row, terminated) == 1) r.terminated.back() = 1;
  }
  return r;
}

}  // namespace

void append(Rollouts& all, const Rollouts& part) {
  const auto extend = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  const std::int64_t before = all.offsets.back();
  for (std::size_t e = 1; e < part.offsets.size(); ++e) all.offsets.push_back(before + part.offsets[e]);
  extend(all.states, part.states);
  extend(all.observations, part.observations);
  extend(all.actions, part.actions);
  extend(all.rewards, part.rewards);
  extend(all.start_states, part.start_states);
  extend(all.final_observations, part.final_observations);
  extend(all.returns, part.returns);
  extend(all.discounted_returns, part.discounted_returns);
  extend(all.terminated, part.terminated);
  extend(all.motions, part.motions);
  extend(all.distances, part.distances);
}

void check_rollouts_path(const std::filesystem::path& path) {
  if (path.extension() == ".npz" || path.extension() == ".csv") return;
  throw Error(ErrorCode::bad_value, fmt::format("'{}' ends neither in .npz nor in .csv", path.string()),
              "Give the file one of these endings: it says how rollouts are stored");
}

void write_rollouts(const std::filesystem::path& path, const Rollouts& rollouts) {
  check_rollouts_path(path);
  path.extension() == ".npz" ? write_rollouts_npz(path, rollouts) : write_rollouts_csv(path, rollouts);
}

Rollouts read_rollouts(const std::filesystem::path& path, std::optional<double> gamma) {
  check_rollouts_path(path);
  if (gamma) require_in_range("gamma", *gamma, 0, 1, "Give a discount from 0 to 1");
  if (path.extension() == ".csv") return read_rollouts_csv(path, gamma.value_or(0.99));
  Rollouts read = read_rollouts_npz(path);
  if (!gamma || !read.has_steps()) return read;
  read.gamma = *gamma;
  for (std::size_t e = 0; e < read.episodes(); ++e) {
    double discount = 1;
    read.discounted_returns[e] = 0;
    for (auto t = static_cast<std::size_t>(read.offsets[e]); t < static_cast<std::size_t>(read.offsets[e + 1]); ++t) {
      read.discounted_returns[e] += discount * read.rewards[t];
      discount *= *gamma;
    }
  }
  return read;
}

}  // namespace mercer
