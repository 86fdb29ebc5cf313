#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/output.hpp"
#include "cli/program.hpp"
#include "mercer/embed.hpp"
#include "mercer/embedding.hpp"
#include "mercer/env.hpp"
#include "mercer/perturb.hpp"
#include "mercer/policy.hpp"

namespace {

using json = nlohmann::ordered_json;

json parameters(const std::vector<mercer::Parameter>& all) {
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

void print_parameters(const json& all) {
  for (const json& one : all) {
    fmt::print("    {:<22} {} [{}; {} to {}]\n", one.at("name").get<std::string>(),
               one.at("summary").get<std::string>(), one.at("nominal").get<double>(), one.at("low").get<double>(),
               one.at("high").get<double>());
  }
}

void print_table(std::string_view title, const json& rows) {
  fmt::print("{}\n", title);
  if (rows.empty()) fmt::print("  none in this version\n");
  for (const json& row : rows) {
    const std::string settings = row.value("settings", "");
    fmt::print("  {:<24} {}{}\n", row.at("name").get<std::string>(), row.at("summary").get<std::string>(),
               settings.empty() ? "" : fmt::format(" [{}]", settings));
    if (row.contains("parameters")) print_parameters(row["parameters"]);
  }
}

void list(const Program& program) {
  json document{{"tasks", json::array()},
                {"policies", json::array()},
                {"bases", json::array()},
                {"continuous_bases", json::array()},
                {"verbs", json::array()}};
  document["disturbances"] = parameters(mercer::disturbances());
  for (const mercer::EnvEntry& env : mercer::known_envs()) {
    document["tasks"].push_back({{"name", env.name},
                                 {"summary", env.summary},
                                 {"settings", env.settings},
                                 {"parameters", parameters(env.parameters)}});
  }
  for (const mercer::PolicyKind& policy : mercer::known_policies()) {
    document["policies"].push_back({{"name", policy.name}, {"summary", policy.summary}});
  }
  for (const std::string& basis : mercer::known_lattice_bases()) {
    document["bases"].push_back({{"name", basis}, {"summary", "of the table of a lattice; docs/reference/bases.md"}});
  }
  for (const std::string& basis : mercer::known_continuous_bases()) {
    document["continuous_bases"].push_back(
        {{"name", basis}, {"summary", "of functions of states, --route continuous; docs/guide/continuous.md"}});
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
  fmt::print("Disturbances of every task (key=A fixes one, key=A..B draws it for each episode)\n");
  print_parameters(document["disturbances"]);
  print_table("Policies (--policy)", document["policies"]);
  print_table("Bases of lattices (--basis of embed)", document["bases"]);
  print_table("Bases of the continuous route", document["continuous_bases"]);
  print_table("Verbs", document["verbs"]);
  fmt::print("Operators of .onnx files\n  {}\n", fmt::join(mercer::known_onnx_operators(), " "));
}

std::string python_name(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

json option_document(const mercer::Option& option) {
  return {{"name", option.name},
          {"flag", "--" + option.name},
          {"variable", variable_of(option.name)},
          {"python", python_name(option.name)},
          {"takes", option.value},
          {"group", mercer::name(option.group)},
          {"default", option.default_text()},
          {"legal", option.legal_text()},
          {"help", option.help},
          {"used_first", option.used_first}};
}

// The reference in docs/reference/options.md, which a test compares with what this prints.
void print_options(const Program& program) {
  fmt::print(
      "# Options\n\nEvery option is declared once in the sources; `mercer list --options` prints this page. An option "
      "`--max-loss` is also the\nenvironment variable `MERCER_MAX_LOSS`, the TOML key `max-loss` (at the top of a file "
      "or "
      "in the table of a verb), the setting\n`max-loss` of a sweep and, where Python has the verb, the keyword "
      "argument "
      "`max_loss`. Flags win over the environment, that over\nthe TOML file, that over the default.\n");
  for (const auto& verb : program.verbs()) {
    if (verb->settings->all().empty()) continue;
    fmt::print("\n## mercer {}\n\n{}.\n\n| option | group | default | legal | |\n| --- | --- | --- | --- | --- |\n",
               verb->name, verb->summary);
    for (const mercer::Option* option : verb->settings->all()) {
      const json row = option_document(*option);
      fmt::print("| `--{}{}` | {} | {} | {} | {} |\n", option->name, option->value.empty() ? "" : " " + option->value,
                 row["group"].get<std::string>(), option->default_text(), row["legal"].get<std::string>(),
                 option->help);
    }
  }
}

void list_options(const Program& program) {
  if (!program.common().json) return print_options(program);
  json document = json::object();
  for (const auto& verb : program.verbs()) {
    json options = json::array();
    for (const mercer::Option* option : verb->settings->all()) options.push_back(option_document(*option));
    document[verb->name] = std::move(options);
  }
  print_json(document);
}

}  // namespace

void add_list(Program& program) {
  struct State {
    bool options = false;
    std::set<std::string> given;
  };
  const auto state = std::make_shared<State>();
  std::vector<mercer::OptionList> own;
  own.emplace_back(state->given)
      .in(mercer::OptionGroup::output)
      .add({.name = "options", .help = "Show every option of every verb, with default and legal range"},
           state->options);
  Verb& verb = program.add_verb("list", "Show tasks, policies, bases and verbs", std::move(own));
  verb.run = [state, &program] { state->options ? list_options(program) : list(program); };
}
