#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/output.hpp"
#include "cli/program.hpp"
#include "mercer/embed.hpp"
#include "mercer/embedding.hpp"
#include "mercer/perturb.hpp"
#include "mercer/policy.hpp"
#include "verbs/list_tasks.hpp"

namespace {

using json = nlohmann::ordered_json;

void print_table(std::string_view title, const json& rows) {
  fmt::print("{}\n", title);
  if (rows.empty()) fmt::print("  none in this version\n");
  for (const json& row : rows) {
    fmt::print("  {:<24} {}\n", row.at("name").get<std::string>(), row.at("summary").get<std::string>());
  }
}

void list(const Program& program) {
  json document{{"tasks", task_rows()},
                {"policies", json::array()},
                {"bases", json::array()},
                {"continuous_bases", json::array()},
                {"verbs", json::array()}};
  document["disturbances"] = parameter_rows(mercer::disturbances());
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
  print_tasks(document["tasks"]);
  fmt::print("Disturbances of every task (key=A fixes one, key=A..B draws it for each episode)\n");
  print_parameters(document["disturbances"]);
  print_table("Policies (--policy)", document["policies"]);
  print_table("Bases of lattices (--basis of embed)", document["bases"]);
  print_table("Bases of the continuous route", document["continuous_bases"]);
  print_table("Verbs", document["verbs"]);
  fmt::print("Operators of .onnx files\n  {}\n", fmt::join(mercer::known_onnx_operators(), " "));
}

void list_task(const Program& program, const std::string& spec) {
  json task = task_document(spec);
  task["disturbances"] = parameter_rows(mercer::disturbances());
  if (program.common().json) return print_json(task);
  print_task(task);
  fmt::print("Disturbances of every task\n");
  print_parameters(task["disturbances"]);
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
      "`max_loss`. Flags take precedence over the\nenvironment, the environment over the TOML file, and the TOML file "
      "over the default.\n");
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
    std::string task;
    std::set<std::string> given;
  };
  const auto state = std::make_shared<State>();
  std::vector<mercer::OptionList> own;
  own.emplace_back(state->given)
      .in(mercer::OptionGroup::output)
      .add({.name = "options", .help = "Show every option of every verb, with default and legal range"},
           state->options);
  Verb& verb = program.add_verb("list", "Show tasks, policies, bases and verbs", std::move(own));
  verb.app->add_option("TASK", state->task, "Show this task with its spaces and parameters")->type_name("");
  verb.run = [state, &program] {
    if (state->options) return list_options(program);
    state->task.empty() ? list(program) : list_task(program, state->task);
  };
}
