#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/settings.hpp"

/// What every verb takes.
struct CommonOptions {
  std::size_t threads = 0;
  std::optional<std::string> config;
  std::string plugin;
  bool json = false;
  bool quiet = false;
  std::string log_level = "warn";
  std::set<std::string> given = {};
};

/// A verb of the command line: its settings and what it does.
struct Verb {
  std::string name;
  std::string summary;
  CLI::App* app = nullptr;
  std::unique_ptr<Settings> settings = {};
  std::function<void()> run = {};
  std::set<std::string> given = {};  ///< names of its own options that were filled
};

/// The whole command line. Verbs add themselves to it, one source file each.
class Program {
 public:
  Program();

  /// A new verb that takes the options of `own` and, if `common`, those that all verbs take. Help lists them in that
  /// order.
  Verb& add_verb(std::string name, std::string summary, std::vector<mercer::OptionList> own = {}, bool common = true);

  CLI::App& app() { return app_; }
  const std::vector<std::unique_ptr<Verb>>& verbs() const { return verbs_; }
  const CommonOptions& common() const { return common_; }

  /// Parses, fills the settings, runs the verb. Returns the exit code; every error has been reported on standard error.
  int run(int argc, char** argv);

 private:
  int dispatch(int argc, char** argv);
  void report_unknown(const CLI::App& app) const;

  CLI::App app_;
  CommonOptions common_;
  std::vector<std::unique_ptr<Verb>> verbs_;
};

/// Tells the user what went wrong and returns the exit code.
int report(const std::exception& trouble);

/// A verb of the pipeline: its options fill a request, and `run` shows what comes of it.
template <class R>
Verb& add_request_verb(Program& program, std::string name, std::string summary,
                       std::function<void(const R& request, const CommonOptions& common)> run) {
  const auto request = std::make_shared<R>();
  std::vector<mercer::OptionList> own;
  own.push_back(mercer::options_of(*request));
  Verb& verb = program.add_verb(std::move(name), std::move(summary), std::move(own));
  verb.run = [request, run = std::move(run), &program] { run(*request, program.common()); };
  return verb;
}

void add_train(Program& program);
void add_rollout(Program& program);
void add_embed(Program& program);
void add_evaluate(Program& program);
void add_certify(Program& program);
void add_compress(Program& program);
void add_export(Program& program);
void add_inspect(Program& program);
void add_report(Program& program);
void add_serve(Program& program);
void add_reproduce(Program& program);
void add_sweep(Program& program);
void add_watch(Program& program);
void add_list(Program& program);
void add_doctor(Program& program);
void add_completion(Program& program);
void add_manual(Program& program);
