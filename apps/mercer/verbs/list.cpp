#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/output.hpp"
#include "cli/program.hpp"
#include "mercer/embed.hpp"
#include "mercer/embedding.hpp"
#include "mercer/env.hpp"
#include "mercer/policy.hpp"

namespace {

using json = nlohmann::ordered_json;

void print_table(std::string_view title, const json& rows) {
  fmt::print("{}\n", title);
  if (rows.empty()) fmt::print("  none in this version\n");
  for (const json& row : rows) {
    const std::string settings = row.value("settings", "");
    fmt::print("  {:<24} {}{}\n", row.at("name").get<std::string>(), row.at("summary").get<std::string>(),
               settings.empty() ? "" : fmt::format(" [{}]", settings));
  }
}

void list(const Program& program) {
  json document{{"tasks", json::array()},
                {"policies", json::array()},
                {"bases", json::array()},
                {"continuous_bases", json::array()},
                {"verbs", json::array()}};
  for (const mercer::EnvEntry& env : mercer::known_envs()) {
    document["tasks"].push_back({{"name", env.name}, {"summary", env.summary}, {"settings", env.settings}});
  }
  for (const mercer::PolicyKind& policy : mercer::known_policies()) {
    document["policies"].push_back({{"name", policy.name}, {"summary", policy.summary}});
  }
  for (const std::string& basis : mercer::known_lattice_bases()) {
    document["bases"].push_back({{"name", basis}, {"summary", "of the table of a lattice; docs/bases.md"}});
  }
  for (const std::string& basis : mercer::known_continuous_bases()) {
    document["continuous_bases"].push_back(
        {{"name", basis}, {"summary", "of functions of states, --route continuous; docs/continuous.md"}});
  }
  for (const auto& verb : program.verbs()) {
    document["verbs"].push_back({{"name", verb->name}, {"summary", verb->summary}});
  }
  document["onnx_operators"] = mercer::known_onnx_operators();
  if (program.common().json) {
    print_json(document);
    return;
  }
  print_table("Tasks (--env NAME or NAME:key=value,...)", document["tasks"]);
  print_table("Policies (--policy)", document["policies"]);
  print_table("Bases of lattices (--basis of embed)", document["bases"]);
  print_table("Bases of the continuous route", document["continuous_bases"]);
  print_table("Verbs", document["verbs"]);
  fmt::print("Operators of .onnx files\n  {}\n", fmt::join(mercer::known_onnx_operators(), " "));
}

}  // namespace

void add_list(Program& program) {
  Verb& verb = program.add_verb("list", "Show tasks, policies, bases and verbs");
  verb.run = [&program] { list(program); };
}
