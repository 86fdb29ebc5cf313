#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/env/env.hpp"
#include "mercer/env/params.hpp"

namespace mercer {

using EnvFactory = std::function<std::unique_ptr<Env>(Params&)>;

/// A task that can be made by name.
struct EnvEntry {
  std::string name;
  std::string summary;   ///< one line
  std::string settings;  ///< such as "n=10,alpha=1"; empty where there are none
  EnvFactory make;
};

/// Makes a task from "name" or "name:key=value,..." ("x.json" is short for "tabular:x.json",
/// and Gymnasium's names, such as "Pendulum-v1", are known). `seed` serves tasks that
/// are drawn at random. Throws `unknown_name` with the nearest known one.
std::unique_ptr<Env> make_env(std::string_view spec, std::uint64_t seed = 0);

/// All tasks, built-in ones first.
std::vector<EnvEntry> known_envs();

/// Adds a task; a second one of the same name replaces the first. Not to be called while another thread makes tasks.
void register_env(EnvEntry entry);

/// Registers a task from a source file of its own, before main or when its plug-in is loaded:
///
///   const mercer::RegisterEnv once{{"my-task", "what it is", "", [](mercer::Params&) { return
///   std::make_unique<MyTask>(); }}};
struct RegisterEnv {
  explicit RegisterEnv(EnvEntry entry) { register_env(std::move(entry)); }
};

}  // namespace mercer
