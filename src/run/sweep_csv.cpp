#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "mercer/io/file.hpp"
#include "mercer/run/sweep_results.hpp"
#include "run/sweep_numbers.hpp"

namespace mercer {
namespace {

using json = nlohmann::ordered_json;

void flatten(const json& value, const std::string& name, std::vector<SweepNumber>& all) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) flatten(inner, name.empty() ? key : name + "." + key, all);
  } else if (value.is_array()) {
    const bool plain =
        value.size() <= 4 && std::ranges::none_of(value, [](const json& v) { return v.is_structured(); });
    for (std::size_t i = 0; plain && i < value.size(); ++i) flatten(value[i], fmt::format("{}.{}", name, i), all);
  } else if (value.is_string()) {
    all.push_back({name, value.get<std::string>(), false});
  } else if (value.is_boolean()) {
    all.push_back({name, value.get<bool>() ? "1" : "0"});
  } else if (value.is_number()) {
    all.push_back({name, value.dump()});
  }
}

std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// The state of a cell is that of its stages: the first that is not done.
const SweepOutcome* trouble_of(const SweepCell& cell, const std::vector<SweepOutcome>& outcomes) {
  for (const std::size_t job : cell.jobs) {
    if (outcomes[job].state != SweepOutcome::State::done) return &outcomes[job];
  }
  return nullptr;
}

}  // namespace

std::vector<SweepNumber> sweep_numbers(const std::string& document) {
  std::vector<SweepNumber> all;
  flatten(json::parse(document), "", all);
  return all;
}

void write_sweep_csv(const std::filesystem::path& file, const SweepPlan& plan,
                     const std::vector<SweepOutcome>& outcomes) {
  std::vector<std::map<std::string, std::string>> of_job(plan.jobs.size());
  std::vector<std::string> columns;
  for (const std::string& stage : plan.stages) {
    std::map<std::string, bool> seen;
    for (std::size_t j = 0; j < plan.jobs.size(); ++j) {
      if (plan.jobs[j].stage != stage || outcomes[j].state != SweepOutcome::State::done) continue;
      for (SweepNumber& one : sweep_numbers(outcomes[j].text)) {
        const std::string column = stage + "." + one.name;
        if (std::ranges::find(plan.varied, column) != plan.varied.end()) continue;  // a column already
        of_job[j][column] = std::move(one.text);
        if (!std::exchange(seen[column], true)) columns.push_back(column);
      }
    }
  }
  write_atomically(file, [&](std::ostream& out) {
    out << "cell";
    for (const std::string& key : plan.varied) out << ',' << field(key);
    out << ",state,error";
    for (const std::string& column : columns) out << ',' << field(column);
    out << '\n';
    for (std::size_t c = 0; c < plan.cells.size(); ++c) {
      const SweepCell& cell = plan.cells[c];
      const SweepOutcome* trouble = trouble_of(cell, outcomes);
      out << c;
      for (const std::string& value : cell.values) out << ',' << field(value);
      out << ',' << (trouble ? to_string(trouble->state) : "done") << ',' << (trouble ? field(trouble->text) : "");
      for (const std::string& column : columns) {
        out << ',';
        for (const std::size_t job : cell.jobs) {
          const auto found = of_job[job].find(column);
          if (found != of_job[job].end()) out << field(found->second);
        }
      }
      out << '\n';
    }
  });
}

}  // namespace mercer
