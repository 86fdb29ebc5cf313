#include "verbs/list_tasks.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "env/spec.hpp"
#include "mercer/error.hpp"

namespace {

using json = nlohmann::ordered_json;

std::string text(const json& object, const char* key) { return object.at(key).get<std::string>(); }

std::string number(const json& value, const char* otherwise) {
  return value.is_null() ? otherwise : fmt::to_string(value.get<double>());
}

// Infinite bounds are null, as in every document.
json bound(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json space_document(const mercer::Space& space) {
  json axes = json::array();
  for (const mercer::Axis& axis : space.axes) {
    axes.push_back({{"name", axis.name},
                    {"low", bound(axis.range.low)},
                    {"high", bound(axis.range.high)},
                    {"unit", axis.unit},
                    {"periodic", axis.periodic}});
  }
  return {{"count", space.count}, {"axes", axes}};
}

void print_space(std::string_view title, const json& space) {
  if (space.at("count") > 0) {
    fmt::print("{}: discrete, 0 to {}\n", title, space["count"].get<std::size_t>() - 1);
    return;
  }
  fmt::print("{}: {}\n", title, space.at("axes").size());
  for (const json& axis : space["axes"]) {
    const std::string unit = text(axis, "unit");
    fmt::print("    {:<26} {} to {}{}{}\n", text(axis, "name"), number(axis["low"], "-inf"),
               number(axis["high"], "inf"), unit.empty() ? "" : " ", unit);
  }
}

json head(const mercer::EnvEntry& entry) {
  return {{"name", entry.name}, {"group", entry.group}, {"summary", entry.summary}, {"settings", entry.settings}};
}

}  // namespace

json parameter_rows(const std::vector<mercer::Parameter>& all) {
  json out = json::array();
  for (const mercer::Parameter& one : all) {
    out.push_back({{"name", one.name},
                   {"summary", one.help},
                   {"nominal", one.nominal},
                   {"low", one.legal.low},
                   {"high", one.legal.high},
                   {"integer", one.integer}});
  }
  return out;
}

void print_parameters(const json& rows) {
  for (const json& one : rows) {
    fmt::print("    {:<22} {} [{}; {} to {}]\n", text(one, "name"), text(one, "summary"),
               one.at("nominal").get<double>(), one.at("low").get<double>(), one.at("high").get<double>());
  }
}

json task_rows() {
  json rows = json::array();
  for (const mercer::EnvEntry& entry : mercer::known_envs()) {
    json row = head(entry);
    row["observations"] = row["actions"] = row["discrete"] = nullptr;
    try {
      const auto env = mercer::make_env(entry.name);
      const mercer::Task& task = env->task();
      row["observations"] = task.observation.dimensions();
      row["actions"] = task.action.is_discrete() ? task.action.count : task.action.dimensions();
      row["discrete"] = task.action.is_discrete();
    } catch (const mercer::Error&) {  // it needs a file, or a library that is not there: 'mercer list TASK' says which
    }
    row["parameters"] = parameter_rows(entry.parameters);
    rows.push_back(std::move(row));
  }
  return rows;
}

void print_tasks(const json& rows) {
  fmt::print(
      "Tasks (--env NAME or NAME:key=value,...; 'mercer list NAME' shows one with its parameters)\n"
      "    {:<26} {:>12}  {}\n",
      "", "observations", "actions");
  std::vector<std::string> groups;
  for (const json& row : rows) {
    if (std::ranges::find(groups, text(row, "group")) == groups.end()) groups.push_back(text(row, "group"));
  }
  for (const std::string& group : groups) {
    fmt::print("  {}\n", group);
    for (const json& row : rows) {
      if (row.at("group") != group) continue;
      const std::string actions = row["actions"].is_null() ? ""
                                                           : fmt::format("{}{}", row["actions"].get<std::size_t>(),
                                                                         row["discrete"] == true ? " choices" : "");
      const std::string settings = text(row, "settings");
      fmt::print("    {:<26} {:>12}  {:<10} {}{}\n", text(row, "name"), number(row["observations"], ""), actions,
                 text(row, "summary"), settings.empty() ? "" : fmt::format(" [{}]", settings));
    }
  }
}

json task_document(const std::string& spec) {
  const auto [name, settings] = mercer::split_spec(spec);
  const mercer::EnvEntry& entry = mercer::find_env(name);
  json out = head(entry);
  try {
    const auto env = mercer::make_env(spec);
    const mercer::Task& task = env->task();
    out["state"] = space_document(task.state);
    out["observation"] = space_document(task.observation);
    out["action"] = space_document(task.action);
    out["reward"] = {bound(task.reward.low), bound(task.reward.high)};
    out["time_limit"] = task.time_limit;
    out["dt"] = task.dt;
    out["ending"] = mercer::name(task.ending);
  } catch (const mercer::Error& error) {
    if (!settings.empty()) throw;
    out["missing"] = error.problem();
  }
  out["parameters"] = parameter_rows(entry.parameters);
  out["parts"] = out.contains("missing") || !entry.parts ? json::array() : parameter_rows(entry.parts(settings));
  return out;
}

void print_task(const json& task) {
  fmt::print("{} ({}): {}\n", text(task, "name"), text(task, "group"), text(task, "summary"));
  if (!text(task, "settings").empty()) fmt::print("Settings: {}\n", text(task, "settings"));
  if (task.contains("missing")) {
    fmt::print("Its spaces are not known: {}\n", text(task, "missing"));
  } else {
    print_space("State", task["state"]);
    print_space("Observation", task["observation"]);
    print_space("Action", task["action"]);
    fmt::print("Reward of a step: {} to {}\n", number(task["reward"][0], "-inf"), number(task["reward"][1], "inf"));
    fmt::print("Steps of an episode: {}{}\n", task["time_limit"].get<std::size_t>(),
               task["dt"] == 0 ? "" : fmt::format(", of {} s", task["dt"].get<double>()));
  }
  if (task["parameters"].empty() && task["parts"].empty()) return;
  fmt::print("Parameters (key=A fixes one, key=A..B draws it for each episode)\n");
  print_parameters(task["parameters"]);
  print_parameters(task["parts"]);
}
