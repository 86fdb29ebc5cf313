#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/program.hpp"
#include "cli/version.hpp"
#include "mercer/error.hpp"

namespace {

// A minus sign that can be copied, and no line that starts with roff's control characters.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '-') {
      out += "\\-";
    } else if (c == '\\') {
      out += "\\e";
    } else {
      out += c;
    }
  }
  return out;
}

void print_setting(const mercer::Option* setting) {
  fmt::print(".TP\n\\fB\\-\\-{}\\fR{}\n{}.\n", roff(setting->name),
             setting->value.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(setting->value)),
             roff(setting->full_help()));
}

bool is_common(const Program& program, const std::string& name) {
  if (name == "options") return false;
  const auto& fewest = *std::ranges::find_if(program.verbs(), [](const auto& verb) { return verb->name == "list"; });
  return std::ranges::any_of(fewest->settings->all(),
                             [&](const mercer::Option* setting) { return setting->name == name; });
}

void print_manual(const Program& program) {
  fmt::print(".TH MERCER 1 \"\" \"mercer {}\" \"User Commands\"\n", version_number());
  fmt::print(".SH NAME\nmercer \\- small, certified reinforcement\\-learning policies\n");
  fmt::print(".SH SYNOPSIS\n.B mercer\n\\fIVERB\\fR [\\fIFLAGS\\fR]\n.br\n.B mercer\n\\-\\-version | \\-\\-help\n");
  fmt::print(
      ".SH DESCRIPTION\nMercer turns a trained reinforcement\\-learning policy into a short list of numbers, says how "
      "much "
      "return that can cost, and runs the result anywhere.\n");
  fmt::print(".SH VERBS\n");
  for (const auto& verb : program.verbs()) {
    fmt::print(".SS {}\n{}.\n", roff(verb->name), roff(verb->summary));
    for (const mercer::Option* setting : verb->settings->all()) {
      if (!is_common(program, setting->name)) print_setting(setting);
    }
  }
  fmt::print(".SH COMMON FLAGS\n");
  for (const auto& verb : program.verbs()) {
    if (verb->name != "list") continue;
    for (const mercer::Option* setting : verb->settings->all()) {
      if (is_common(program, setting->name)) print_setting(setting);
    }
  }
  fmt::print(
      ".SH ENVIRONMENT\nEvery flag can be set by a variable: \\fBMERCER_\\fR and the flag in capitals, dashes as "
      "underscores, such as \\fBMERCER_LOG_LEVEL\\fR. Flags take precedence over the environment, the environment over "
      "the TOML file of \\fB\\-\\-config\\fR, and that file over the defaults.\n");
  fmt::print(".SH EXIT STATUS\n");
  for (const auto& [code, meaning] : {std::pair{0, "done"},
                                      {2, "bad usage or input"},
                                      {1, "a bug in Mercer"},
                                      {3, "file trouble"},
                                      {130, "interrupted; run the same command again"}}) {
    fmt::print(".TP\n.B {}\n{}\n", code, meaning);
  }
  fmt::print(".SH ERRORS\nEvery error carries a code; docs/reference/errors.md in the sources explains them.\n");
  for (const mercer::ErrorKind& kind : mercer::error_kinds()) {
    fmt::print(".TP\n.B E{}\n{}\n", static_cast<int>(kind.code), roff(kind.title));
  }
  fmt::print(
      ".SH EXAMPLES\n.nf\nmercer rollout \\-\\-env pendulum \\-\\-policy uniform \\-\\-episodes 1000 \\-\\-seed 1 "
      "\\-\\-out r.npz\nmercer evaluate \\-\\-env cart\\-pole \\-\\-policy uniform \\-\\-json\n.fi\n");
}

}  // namespace

void add_manual(Program& program) {
  Verb& verb = program.add_verb("manual", "Print the manual page (mercer manual | man -l -)", {}, false);
  verb.run = [&program] { print_manual(program); };
}
