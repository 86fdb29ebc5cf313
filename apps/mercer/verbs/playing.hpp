#pragma once

#include <memory>
#include <string>

#include "cli/program.hpp"
#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"

/// `mercer::make_policy`, and what a network was taken for in the log.
std::unique_ptr<mercer::Policy> load_policy(const std::string& spec, const mercer::Task& task,
                                            const std::vector<mercer::PolicySetting>& settings = {});

/// The settings of a verb that plays episodes, and what they make.
struct Playing {
  std::string env;
  std::string policy;
  std::vector<mercer::PolicySetting> policy_settings;  ///< what the flags say about a network
  std::string starts;
  mercer::RolloutOptions options;
  std::string usual_act = "sample";  ///< what the help of --act says of its default
  bool act_given = false;            ///< --act was said, wherever

  void add_settings(Settings& settings);
  /// Makes the task; throws `missing_option` when none was named.
  std::unique_ptr<mercer::Env> make_env(const CommonOptions& common) const;
  std::unique_ptr<mercer::Policy> make_policy(const mercer::Env& env) const;
  /// The options with the seed and the start states of `--starts` put in.
  mercer::RolloutOptions complete(const mercer::Env& env, const CommonOptions& common) const;
  /// Throws when start states were given: a certificate needs independent ones.
  void refuse_starts() const;
  /// Plays, with a progress bar where there is a terminal and the speed in the log.
  static mercer::Rollouts play(const mercer::Env& env, const mercer::Policy& policy,
                               const mercer::RolloutOptions& options, const CommonOptions& common);
};
