#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "mercer/core/error.hpp"
#include "mercer/io/csv.hpp"
#include "rollout/files.hpp"

namespace mercer {
namespace {

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

}  // namespace

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
    if (closed) bad_csv(path, fmt::format("line {} goes on with episode {} after its closing line", row + 2, number));
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

}  // namespace mercer
