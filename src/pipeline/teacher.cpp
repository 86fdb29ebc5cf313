#include "pipeline/teacher.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/file.hpp"
#include "io/sha256.hpp"
#include "mercer/env.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;

// The folder where relative paths start, as seen from the file that stores them: a tree that moves as a whole still
// fits.
std::string folder_seen_from(const fs::path& out) {
  std::error_code trouble;
  const fs::path here = fs::current_path(trouble), there = fs::weakly_canonical(fs::absolute(out), trouble);
  if (trouble) return "";
  return here.lexically_relative(there.parent_path()).string();
}

// A policy's text as seen from here: its file is looked for where the embedding's folder says, then from here.
std::string located(const std::string& policy, const fs::path& embedding, const std::string& folder) {
  const std::string file = named_file(policy);
  if (file.empty() || fs::path(file).is_absolute() || folder.empty()) return policy;
  const fs::path stored = (embedding.parent_path() / folder / file).lexically_normal();
  std::error_code none;
  if (!fs::is_regular_file(stored, none)) return policy;
  std::string out = policy;
  return out.replace(out.find(file), file.size(), stored.string());
}

// Whether a policy names the file that the embedding was made from, as far as its SHA-256 can tell.
bool is_stored_file(const EmbeddingFile& file, const std::string& policy) {
  const std::string teacher = named_file(policy);
  std::error_code none;
  if (file.origin.teacher_sha256.empty() || !fs::is_regular_file(teacher, none)) return true;
  return sha256_file(teacher) == file.origin.teacher_sha256;
}

}  // namespace

std::string named_file(const std::string& spec) {
  const std::string text = spec.starts_with("tabular:") ? spec.substr(8) : spec;
  for (const char* ending : {".onnx", ".safetensors", ".mercer", ".json", ".npz", ".zip"}) {
    const std::size_t place = text.find(ending);
    if (place != std::string::npos) return text.substr(0, place + std::string(ending).size());
  }
  return {};
}

std::shared_ptr<const Env> resolve_task(const TaskRequest& request, std::uint64_t seed) {
  if (request.object) return request.object;
  if (request.env.empty()) {
    throw Error(ErrorCode::missing_option, "no task was named", "Add --env TASK; 'mercer list' shows the tasks");
  }
  return make_env(request.env, seed);
}

std::shared_ptr<const Player> resolve_player(const TaskRequest& request, std::uint64_t seed) {
  if (request.player) return request.player;
  struct Owner {
    std::shared_ptr<const Env> env;
    EnvPlayer player{*env};
  };
  const auto owner = std::make_shared<const Owner>(Owner{resolve_task(request, seed)});
  return {owner, &owner->player};
}

std::shared_ptr<const Policy> resolve_policy(const PolicyRequest& request, const Task& task, const Progress& progress,
                                             std::string* reading) {
  if (request.object) return request.object;
  if (request.policy.empty()) {
    throw Error(ErrorCode::missing_option, "no policy was named", "Add --policy POLICY; 'mercer list' shows the kinds");
  }
  std::string understood;
  auto policy = make_policy(request.policy, task, request.settings, &understood);
  if (!understood.empty() && progress.note) {
    progress.note(fmt::format("'{}' is read as a {}", policy->name(), understood));
  }
  if (reading != nullptr) *reading = understood;
  return policy;
}

Rollouts play(const Env& env, const Policy& policy, const RolloutOptions& options, const Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  Rollouts played = rollout(env, policy, options, progress);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (progress.note) {
    progress.note(fmt::format("{} steps of {} in {} took {:.3f} s: {:.3g} steps a second", played.steps(),
                              policy.name(), env.task().name, seconds, static_cast<double>(played.steps()) / seconds));
  }
  return played;
}

RolloutOptions playing_options(const TaskRequest& request, const Env& env, std::size_t episodes, std::uint64_t seed) {
  RolloutOptions options;
  options.episodes = episodes;
  options.seed = seed;
  options.batch = request.batch;
  options.act = request.act.value_or(Act::sample);
  options.gamma = request.gamma;
  options.horizon = request.horizon;
  if (request.starts.empty()) return options;
  const Rollouts from = read_rollouts(request.starts);
  const Task& task = env.task();
  std::vector<std::string> names;
  for (const Axis& axis : task.state.axes) names.push_back(axis.name);
  if (from.episodes() == 0 || from.start_states.size() != from.episodes() * task.state.dimensions() ||
      from.state_names != names) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("'{}' has {} start states of ({}) and the states of task '{}' are ({})", request.starts,
                            from.episodes(), fmt::join(from.state_names, ", "), task.name, fmt::join(names, ", ")),
                "Give rollouts of a task with the same states");
  }
  options.start_states = from.start_states;
  return options;
}

void refuse_starts(const TaskRequest& request) {
  if (request.starts.empty()) return;
  throw Error(ErrorCode::bad_value, "--starts was given, and a certificate needs start states that the task draws",
              "Leave it out; 'mercer evaluate --against' compares on given starts");
}

EmbeddingOrigin make_origin(const TaskRequest& task, const PolicyRequest& teacher, const Policy& made,
                            std::uint64_t seed, std::map<std::string, std::string> settings,
                            const std::filesystem::path& out) {
  EmbeddingOrigin origin{task.env, made.name(), seed, std::move(settings)};
  if (!teacher.policy.empty()) {  // a policy that is only an object has nothing else to store
    const std::string file = named_file(teacher.policy);
    const bool network = is_network_file(file);
    origin.teacher = network ? file : teacher.policy;  // the settings behind a network's name are stored by themselves
    if (network) {
      for (const PolicySetting& one : network_settings(teacher.policy, teacher.settings)) {
        origin.settings[one.key] = one.value;
      }
    }
    std::error_code none;
    if (fs::is_regular_file(file, none)) origin.teacher_sha256 = sha256_file(file);
  }
  if (!out.empty()) origin.folder = folder_seen_from(out);
  return origin;
}

std::string stored_task(const EmbeddingFile& file, const fs::path& path) {
  return located(file.origin.env, path, file.origin.folder);
}

PolicyRequest stored_teacher(const EmbeddingFile& file, const fs::path& path, PolicyRequest asked) {
  if (asked.object) return asked;
  if (asked.policy.empty()) asked.policy = located(file.origin.teacher, path, file.origin.folder);
  if (!is_stored_file(file, asked.policy)) return asked;
  // The same file was shaped by the same settings, unless others are asked for.
  const std::vector<PolicySetting> given = network_settings(asked.policy, asked.settings);
  for (const PolicySettingKind& kind : known_policy_settings()) {
    const auto stored = file.origin.settings.find(kind.key);
    const bool known = std::ranges::any_of(given, [&](const auto& one) { return one.key == kind.key; });
    if (stored != file.origin.settings.end() && !known) {
      asked.settings.push_back({kind.key, stored->second, path.string()});
    }
  }
  return asked;
}

bool check_teacher(const EmbeddingFile& file, const PolicyRequest& asked, bool accept_other) {
  const std::string teacher = named_file(asked.policy);
  std::string other;
  if (!is_stored_file(file, asked.policy)) {
    other = fmt::format("its SHA-256 is {}, stored is {}", sha256_file(teacher), file.origin.teacher_sha256);
  } else if (!file.origin.teacher_sha256.empty()) {
    for (const PolicySetting& one : network_settings(asked.policy, asked.settings)) {
      const auto stored = file.origin.settings.find(one.key);
      const std::string before = stored == file.origin.settings.end() ? "not set" : stored->second;
      if (before != one.value) other = fmt::format("its {} is {}, stored is {}", one.key, one.value, before);
    }
  }
  if (other.empty()) return true;
  if (accept_other) return false;
  throw Error(ErrorCode::bad_value,
              fmt::format("'{}' is not the teacher that the embedding was made from: {}", teacher, other),
              "Name the original file and settings, or accept this teacher with --accept-other-teacher");
}

void refuse_sign() {
  throw Error(ErrorCode::bad_value, "--sign was given, and no file is written that it could sign",
              "Leave it out, or name the .mercer file to write");
}

void check_embedding_path(const std::string& out) {
  if (out.empty()) {
    throw Error(ErrorCode::missing_option, "no file was named for the embedding", "Add --out FILE.mercer");
  }
  if (!out.ends_with(".mercer")) {
    throw Error(ErrorCode::bad_value, fmt::format("'{}' does not end in .mercer", out), "Give the file that ending");
  }
  check_writable(out);
}

Origin resolve_origin(const EmbeddingFile& file, const std::filesystem::path& path, const TaskRequest& task,
                      const PolicyRequest& teacher, bool accept_other, std::uint64_t seed, const Progress& progress) {
  Origin origin;
  const bool same_task = task.env.empty() && !task.object && !task.player;
  TaskRequest wanted = task;
  if (same_task) wanted.env = stored_task(file, path);
  origin.player = resolve_player(wanted, same_task ? file.origin.seed : seed);  // a drawn task is drawn as it was
  origin.env_name = same_task ? file.origin.env : task.env;
  const PolicyRequest asked = stored_teacher(file, path, teacher);
  if (!asked.object) origin.other_teacher = !check_teacher(file, asked, accept_other);
  origin.teacher = resolve_policy(asked, origin.player->task(), progress, &origin.reading);
  origin.teacher_name = asked.policy;
  return origin;
}

}  // namespace mercer
