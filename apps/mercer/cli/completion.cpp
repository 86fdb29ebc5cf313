#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/program.hpp"
#include "mercer/env.hpp"
#include "mercer/error.hpp"

namespace {

const std::vector<std::string> shells{"bash", "fish", "zsh"};

std::vector<std::string> flags_of(const Verb& verb) {
  std::vector<std::string> flags{"--help"};
  for (const mercer::Option* setting : verb.settings->all()) flags.push_back("--" + setting->name);
  return flags;
}

// Whether the value of a setting is the name of a file or a folder, or may be one: where any text is taken, known
// values are only proposals.
bool takes_file(const mercer::Option& setting) {
  constexpr std::array<std::string_view, 4> names{"FILE", "KEY.", "DIR", "FOLDER"};
  return (!setting.choices.empty() && !setting.only_choices) || setting.value == "POLICY" ||
         std::ranges::any_of(names, [&](std::string_view name) { return setting.value.starts_with(name); });
}

// What a verb takes by place: one of some words, or files.
struct Place {
  std::string label;
  std::vector<std::string> words;  // empty: files
};

std::vector<Place> places_of(const Verb& verb) {
  std::vector<Place> places;
  for (const CLI::Option* option : verb.app->get_options()) {
    const std::string label = option->get_positional() ? option->get_name(true) : "";
    if (label == "FILE" || label == "FOLDER") places.push_back({label, {}});
    if (label == "SHELL") places.push_back({label, shells});
    if (label == "TASK") {
      Place& tasks = places.emplace_back(Place{label, {}});
      for (const mercer::EnvEntry& entry : mercer::known_envs()) tasks.words.push_back(entry.name);
    }
    for (const mercer::Option* setting : verb.settings->all()) {
      if (label == "FORMAT" && setting->name == "format") places.push_back({label, setting->choices});
    }
  }
  return places;
}

std::vector<std::string> verb_names(const Program& program) {
  std::vector<std::string> names;
  for (const auto& verb : program.verbs()) names.push_back(verb->name);
  return names;
}

// What a verb takes by place, where the word at the cursor is no flag. Words are offered until one of them is there.
void print_bash_places(const Verb& verb) {
  const std::vector<Place> places = places_of(verb);
  if (places.empty()) return;
  fmt::print("      if [[ $current != -* ]]; then\n");
  for (const Place& place : places) {
    if (place.words.empty()) {
      fmt::print("        COMPREPLY=($(compgen -f -- \"$current\")); return\n");
      break;
    }
    fmt::print(
        "        if [[ ! \" ${{COMP_WORDS[*]:2:COMP_CWORD-2}} \" =~ \\ ({})\\  ]]; then\n"
        "          COMPREPLY=($(compgen -W \"{}\" -- \"$current\")); return\n        fi\n",
        fmt::join(place.words, "|"), fmt::join(place.words, " "));
  }
  fmt::print("      fi\n");
}

// The word before the cursor decides: a flag with known values offers them, a flag that takes a file offers files, and
// after anything else comes what the verb takes by place, or its flags.
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
        fmt::print("    \"{} --{}\") COMPREPLY=($(compgen {}-W \"{}\" -- \"$current\")); return ;;\n", verb->name,
                   setting->name, takes_file(*setting) ? "-f " : "", fmt::join(setting->choices, " "));
      } else if (takes_file(*setting)) {
        fmt::print("    \"{} --{}\") COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n", verb->name,
                   setting->name);
      } else if (!setting->value.empty()) {
        fmt::print("    \"{} --{}\") return ;;\n", verb->name, setting->name);
      }
    }
  }
  fmt::print("  esac\n  case \"$verb\" in\n");
  for (const auto& verb : program.verbs()) {
    fmt::print("    {})\n", verb->name);
    print_bash_places(*verb);
    fmt::print("      COMPREPLY=($(compgen -W \"{}\" -- \"$current\")) ;;\n", fmt::join(flags_of(*verb), " "));
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
        const std::string words = zsh_text(fmt::format("{}", fmt::join(setting->choices, " ")));
        const std::string value = zsh_text(setting->value);
        action = takes_file(*setting)
                     ? fmt::format(R"x(:{0}: _alternative "words\:{0}\:({1})" "files\:file\:_files")x", value, words)
                     : fmt::format(":{}:({})", value, words);
      } else if (!setting->value.empty()) {
        action = fmt::format(":{}:{}", zsh_text(setting->value), takes_file(*setting) ? "_files" : "");
      }
      fmt::print(" \\\n        '--{}[{}]{}'", setting->name, zsh_text(setting->full_help()), action);
    }
    std::size_t number = 0;
    for (const Place& place : places_of(*verb)) {
      const std::string where = place.words.empty() ? "*" : fmt::format("{}", ++number);
      fmt::print(" \\\n        '{}:{}:{}'", where, place.label,
                 place.words.empty() ? "_files" : fmt::format("({})", fmt::join(place.words, " ")));
    }
    fmt::print("\n      ;;\n");
  }
  fmt::print("  esac\n}}\n\ncompdef _mercer mercer\n[ \"$funcstack[1]\" = _mercer ] && _mercer \"$@\"\n");
}

std::string fish_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

void print_fish(const Program& program) {
  fmt::print("complete -c mercer -f\n");
  const std::string first = "complete -c mercer -n __fish_use_subcommand";
  fmt::print("{0} -l help -d 'Show the verbs'\n{0} -l version -d 'Show version, commit, compiler and flags'\n", first);
  for (const auto& verb : program.verbs()) {
    fmt::print("{} -a {} -d {}\n", first, verb->name, fish_text(verb->summary));
    const std::string seen = fmt::format("__fish_seen_subcommand_from {}", verb->name);
    const std::string within = fmt::format("complete -c mercer -n {}", fish_text(seen));
    fmt::print("{} -l help -d 'Explain the verb'\n", within);
    for (const mercer::Option* setting : verb->settings->all()) {
      fmt::print("{} -l {}{}", within, setting->name,
                 setting->value.empty() ? ""
                 : takes_file(*setting) ? " -r -F"
                                        : " -x");
      if (!setting->choices.empty())
        fmt::print(" -a {}", fish_text(fmt::format("{}", fmt::join(setting->choices, " "))));
      fmt::print(" -d {}\n", fish_text(setting->full_help()));
    }
    std::string before;
    for (const Place& place : places_of(*verb)) {
      if (place.words.empty()) {
        fmt::print("complete -c mercer -n {} -F\n", fish_text(seen + before));
        continue;
      }
      const std::string words = fmt::format("{}", fmt::join(place.words, " "));
      fmt::print("complete -c mercer -n {} -a {}\n",
                 fish_text(fmt::format("{}; and not __fish_seen_subcommand_from {}", seen, words)), fish_text(words));
      before = fmt::format("; and __fish_seen_subcommand_from {}", words);
    }
  }
}

}  // namespace

void add_completion(Program& program) {
  Verb& verb = program.add_verb("completion", "Print the completion script of a shell: bash, fish or zsh", {}, false);
  const auto shell = std::make_shared<std::string>();
  verb.app->add_option("SHELL", *shell, "bash, fish or zsh");
  verb.run = [shell, &program] {
    if (*shell == "bash") return print_bash(program);
    if (*shell == "fish") return print_fish(program);
    if (*shell == "zsh") return print_zsh(program);
    if (shell->empty()) {
      throw mercer::Error(mercer::ErrorCode::missing_option, "no shell was named",
                          "Write 'mercer completion bash', 'mercer completion fish' or 'mercer completion zsh'");
    }
    mercer::throw_unknown("shell", *shell, shells, false);
  };
}
