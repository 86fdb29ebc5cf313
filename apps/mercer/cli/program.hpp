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
  std::uint64_t seed = 0;
  std::size_t threads = 0;
  std::optional<std::filesystem::path> config;
  std::string plugin;
  bool json = false;
  bool quiet = false;
  std::string log_level = "warn";
};

/// A verb of the command line: its settings and what it does.
struct Verb {
  std::string name;
  std::string summary;
  CLI::App* app = nullptr;
  std::unique_ptr<Settings> settings = {};
  std::function<void()> run = {};
};

/// The whole command line. Verbs add themselves to it, one source file each.
class Program {
 public:
  Program();

  /// A new verb, with the common settings if `common`.
  Verb& add_verb(std::string name, std::string summary, bool common = true);

  CLI::App& app() { return app_; }
  const std::vector<std::unique_ptr<Verb>>& verbs() const { return verbs_; }
  const CommonOptions& common() const { return common_; }

  /// Parses, fills the settings, runs the verb. Returns the exit code; every error has been told on standard error.
  int run(int argc, char** argv);

  /// Fills the settings of a verb from these alone, as if each stood on the command line; nothing is run. Throws what
  /// a wrong flag or value does.
  Verb& fill(const std::string& verb, const std::map<std::string, std::string>& settings);

 private:
  int dispatch(int argc, char** argv);
  void report_unknown(const CLI::App& app) const;

  CLI::App app_;
  CommonOptions common_;
  std::vector<std::unique_ptr<Verb>> verbs_;
};

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
void add_list(Program& program);
void add_completion(Program& program);
void add_manual(Program& program);
