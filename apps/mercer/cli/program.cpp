#include "cli/program.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <sstream>
#include <system_error>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include "cli/terminal.hpp"
#include "cli/version.hpp"
#include "io/coded.hpp"
#include "mercer/error.hpp"
#include "mercer/parallel.hpp"
#include "mercer/policy.hpp"
#include "mercer/warning.hpp"

using mercer::Error;
using mercer::ErrorCode;

namespace {

// Log lines are text like any other, so that the bar makes way for them.
class ScreenSink : public spdlog::sinks::base_sink<std::mutex> {
 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    std::string text = fmt::to_string(line);
    if (screen_has_colour() && message.color_range_end > message.color_range_start) {
      text.insert(message.color_range_end, "\x1b[m");
      text.insert(message.color_range_start, message.level >= spdlog::level::err ? "\x1b[1;31m" : "\x1b[1;33m");
    }
    print_text(text);
  }
  void flush_() override {}
};

void start_log(const CommonOptions& common) {
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("mercer", std::make_shared<ScreenSink>()));
  spdlog::set_pattern("mercer: %^%l%$: %v");
  mercer::set_warning_sink([](const std::string& sentence) { spdlog::warn("{}", sentence); });
  spdlog::set_level(common.quiet ? spdlog::level::err : spdlog::level::from_str(common.log_level));
}

// Loads shared libraries (names separated by ':') whose tasks register themselves. Throws `bad_plugin`.
void load_plugins(const std::string& files) {
  std::istringstream list(files);
  for (std::string file; std::getline(list, file, ':');) {
    // A name without a slash would be looked up on the library path; the user means a file.
    const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
    if (::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) continue;
    throw Error(ErrorCode::bad_plugin, fmt::format("cannot load plug-in '{}': {}", file, ::dlerror()),
                "Build it as a shared library against this version of Mercer; docs/guide/tasks.md shows how");
  }
}

}  // namespace

int report(const std::exception& trouble) {
  if (dynamic_cast<const std::system_error*>(&trouble) != nullptr && std::ferror(stdout) != 0) {
    return report(Error(ErrorCode::cannot_write, fmt::format("cannot write to standard output: {}", trouble.what()),
                        "Check where it leads and that the disk has room"));
  }
  if (const auto error = mercer::coded_error(trouble)) {
    print_text(fmt::format("mercer: error {}\n", error->what()));
    return error->exit_code();
  }
  tell("mercer: unexpected error: {}. This is a bug; please report it with the command you ran.\n", trouble.what());
  return 1;
}

Program::Program() : app_("Mercer: small, certified policies in a reproducing kernel Hilbert space", "mercer") {
  app_.allow_extras();
  app_.require_subcommand(0, 1);
  app_.get_formatter()->label("SUBCOMMAND", "VERB");
  app_.add_flag("--version")->description("Show version, commit, compiler and flags, and exit");
  app_.footer(
      "You can also set every option in the environment (MERCER_SEED=1) or in a TOML file (--config FILE).\n"
      "'mercer VERB --help' explains a verb, 'mercer list' shows tasks and policies.");
}

Verb& Program::add_verb(std::string name, std::string summary, std::vector<mercer::OptionList> own, bool common) {
  Verb& verb = *verbs_.emplace_back(std::make_unique<Verb>(Verb{std::move(name), std::move(summary)}));
  verb.app = app_.add_subcommand(verb.name, verb.summary);
  verb.app->allow_extras();
  verb.app->group("Verbs");
  verb.settings = std::make_unique<Settings>(*verb.app);
  for (mercer::OptionList& list : own) verb.settings->add(std::move(list));
  if (!common) return verb;
  using mercer::OptionGroup;
  mercer::OptionList list(common_.given);
  list.in(OptionGroup::run);
  list.add({.name = "threads", .value = "N", .help = "Threads to use, 0 for all cores; changes no result"},
           common_.threads);
  list.add({.name = "config", .value = "FILE", .help = "TOML file with settings"}, common_.config);
  list.add({.name = "plugin", .value = "FILE", .help = "Shared library with tasks of your own"}, common_.plugin);
  list.in(OptionGroup::output);
  list.add({.name = "json", .help = "Print one JSON document on standard output"}, common_.json);
  list.add({.name = "quiet", .help = "Print no messages or progress; errors still appear"}, common_.quiet);
  list.add_choice<std::string>(
      {.name = "log-level", .value = "LEVEL", .help = "How much to log"}, common_.log_level,
      {{"trace", "trace"}, {"debug", "debug"}, {"info", "info"}, {"warn", "warn"}, {"error", "err"}, {"off", "off"}});
  verb.settings->add(std::move(list));
  return verb;
}

void Program::report_unknown(const CLI::App& app) const {
  const std::vector<std::string> extras = app.remaining();
  if (extras.empty()) return;
  const bool before_verb = &app == &app_;
  std::vector<std::string> known;
  if (before_verb && !extras[0].starts_with("-")) {
    for (const auto& verb : verbs_) known.push_back(verb->name);
    mercer::throw_unknown("verb", extras[0], known);
  }
  known = {"help", "version"};
  if (!before_verb) known.pop_back();
  for (const auto& verb : verbs_) {
    for (const mercer::Option* option : verb->settings->all()) {
      if (verb->app == &app || (before_verb && std::ranges::find(known, option->name) == known.end())) {
        known.push_back(option->name);
      }
    }
  }
  if (extras[0].starts_with("-")) {
    const std::string flag = extras[0].substr(0, extras[0].find('='));
    const std::string name = flag.substr(std::min(flag.find_first_not_of('-'), flag.size()));
    if (before_verb && flag.starts_with("--") && std::ranges::find(known, name) != known.end()) {
      throw Error(ErrorCode::bad_value, fmt::format("'{}' comes before the verb", flag),
                  fmt::format("Write it after the verb: mercer VERB {} ...", flag));
    }
    const std::string command = before_verb ? "mercer" : fmt::format("mercer {}", app.get_name());
    const auto spell = [](const std::string& option) { return "--" + option; };
    const std::string kind = before_verb ? "flag" : fmt::format("flag of '{}'", command);
    mercer::throw_unknown_option({app.get_name(), name, kind, flag, spell, fmt::format("'{} --help'", command)}, known);
  }
  const bool is_policy = mercer::is_network_file(extras[0]) && std::ranges::find(known, "policy") != known.end();
  throw Error(ErrorCode::bad_value, fmt::format("unexpected argument '{}'", extras[0]),
              is_policy ? fmt::format("Did you mean --policy {}?", extras[0])
                        : fmt::format("'mercer {} --help' shows the usage", app.get_name()));
}

int Program::dispatch(int argc, char** argv) {
  try {
    app_.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app_.get_subcommands();
    fmt::print("{}", chosen.empty() ? app_.help() : chosen[0]->help("mercer"));
    return 0;
  } catch (const CLI::ParseError& trouble) {
    throw Error(ErrorCode::bad_value, trouble.what(), "'mercer --help' and 'mercer VERB --help' show the usage");
  }
  if (app_.count("--version") > 0) {
    fmt::print("{}", version_text());
    return 0;
  }
  if (const auto extras = app_.remaining(); !extras.empty() && extras[0] == "help") {
    fmt::print("{}", app_.help());
    return 0;
  }
  report_unknown(app_);
  SettingNames known;
  for (const auto& verb : verbs_) {
    check_values(*verb->settings);
    report_unknown(*verb->app);
    for (const mercer::Option* option : verb->settings->all()) known[verb->name].push_back(option->name);
  }
  const auto chosen = app_.get_subcommands();
  if (chosen.empty()) {
    print_text(app_.help());
    return 2;
  }
  for (const auto& verb : verbs_) {
    if (verb->app != chosen[0]) continue;
    // The path of the TOML file comes from a flag or the environment, never from a TOML file.
    fill_settings(*verb->settings, verb->name, known, std::nullopt);
    if (common_.config) fill_settings(*verb->settings, verb->name, known, common_.config);
    start_log(common_);
    load_plugins(common_.plugin);
    const mercer::ThreadLimit limit(common_.threads);
    verb->run();
  }
  return 0;
}

int Program::run(int argc, char** argv) {
  try {
    const int code = dispatch(argc, argv);
    if (std::fflush(stdout) != 0) {
      throw Error(ErrorCode::cannot_write, fmt::format("cannot write to standard output: {}", std::strerror(errno)),
                  "Check where it leads and that the disk has room");
    }
    return code;
  } catch (const std::exception& trouble) {
    return report(trouble);
  }
}
