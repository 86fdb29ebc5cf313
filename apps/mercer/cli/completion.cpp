#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/program.hpp"
#include "mercer/error.hpp"

namespace {

std::vector<std::string> flags_of(const Verb& verb) {
  std::vector<std::string> flags{"--help"};
  for (const mercer::Option* setting : verb.settings->all()) flags.push_back("--" + setting->name);
  return flags;
}

std::vector<std::string> verb_names(const Program& program) {
  std::vector<std::string> names;
  for (const auto& verb : program.verbs()) names.push_back(verb->name);
  return names;
}

// The word before the cursor decides: a flag with known values offers them, a flag that takes a file offers files, and
// after anything else come the verb's flags.
void print_bash(const Program& program) {
  fmt::print(
      "_mercer() {{\n  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} "
      "verb=${{COMP_WORDS[1]}}\n  COMPREPLY=()\n");
  fmt::print(
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$current\"))\n"
      "    return\n  fi\n  case \"$verb $before\" in\n",
      fmt::join(verb_names(program), " "));
  for (const auto& verb : program.verbs()) {
    for (const mercer::Option* setting : verb->settings->all()) {
      if (!setting->choices.empty()) {
        // Where any text is taken, such as a policy, it may be the name of a file.
        fmt::print("    \"{} --{}\") COMPREPLY=($(compgen {}-W \"{}\" -- \"$current\")); return ;;\n", verb->name,
                   setting->name, setting->only_choices ? "" : "-f ", fmt::join(setting->choices, " "));
      } else if (setting->value == "FILE") {
        fmt::print("    \"{} --{}\") COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n", verb->name,
                   setting->name);
      } else if (!setting->value.empty()) {
        fmt::print("    \"{} --{}\") return ;;\n", verb->name, setting->name);
      }
    }
  }
  fmt::print(
      "    \"completion completion\") COMPREPLY=($(compgen -W \"bash zsh\" -- \"$current\")); return ;;\n"
      "  esac\n  case \"$verb\" in\n");
  for (const auto& verb : program.verbs()) {
    fmt::print("    {}) COMPREPLY=($(compgen -W \"{}\" -- \"$current\")) ;;\n", verb->name,
               fmt::join(flags_of(*verb), " "));
  }
  fmt::print("  esac\n}}\ncomplete -o filenames -F _mercer mercer\n");
}

// zsh's _arguments wants brackets and colons escaped in what it shows.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':') out += '\\';
    out += c;
  }
  return out;
}

void print_zsh(const Program& program) {
  fmt::print("#compdef mercer\n\n_mercer() {{\n  local -a verbs\n  verbs=(\n");
  for (const auto& verb : program.verbs()) fmt::print("    '{}:{}'\n", verb->name, zsh_text(verb->summary));
  fmt::print("  )\n  if (( CURRENT == 2 )); then\n    _describe verb verbs\n    return\n  fi\n");
  // From here on the verb is the command whose arguments are completed.
  fmt::print("  shift words\n  (( CURRENT-- ))\n  case $words[1] in\n");
  for (const auto& verb : program.verbs()) {
    fmt::print("    {})\n      _arguments '*--help[Explain the verb]'", verb->name);
    for (const mercer::Option* setting : verb->settings->all()) {
      std::string action;
      if (!setting->choices.empty()) {
        std::string words = fmt::format("{}", fmt::join(setting->choices, " "));
        action = fmt::format(":{}:({})", zsh_text(setting->value), zsh_text(words));
      } else if (!setting->value.empty()) {
        action = fmt::format(":{}:{}", zsh_text(setting->value), setting->value == "FILE" ? "_files" : "");
      }
      fmt::print(" \\\n        '--{}[{}]{}'", setting->name, zsh_text(setting->full_help()), action);
    }
    if (verb->name == "completion") fmt::print(" \\\n        '1:shell:(bash zsh)'");
    fmt::print("\n      ;;\n");
  }
  fmt::print("  esac\n}}\n\ncompdef _mercer mercer\n[ \"$funcstack[1]\" = _mercer ] && _mercer \"$@\"\n");
}

}  // namespace

void add_completion(Program& program) {
  Verb& verb = program.add_verb("completion", "Print the completion script of a shell: bash or zsh", {}, false);
  const auto shell = std::make_shared<std::string>();
  verb.app->add_option("SHELL", *shell, "bash or zsh");
  verb.run = [shell, &program] {
    if (*shell == "bash") return print_bash(program);
    if (*shell == "zsh") return print_zsh(program);
    if (shell->empty()) {
      throw mercer::Error(mercer::ErrorCode::missing_option, "no shell was named",
                          "Write 'mercer completion bash' or 'mercer completion zsh'");
    }
    const std::vector<std::string> shells{"bash", "zsh"};
    mercer::throw_unknown("shell", *shell, shells);
  };
}
