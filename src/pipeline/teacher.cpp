#include "pipeline/teacher.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "env/spec.hpp"
#include "io/file.hpp"
#include "io/ordinary.hpp"
#include "io/sha256.hpp"
#include "mercer/env.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"
#include "pipeline/options.hpp"
#include "pipeline/playing.hpp"
#include "pipeline/suggest.hpp"
#include "policy/agents/agent.hpp"
#include "policy/agents/normaliser.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;

// A file as seen from here: it is looked for where the embedding's folder says, then from here.
std::string located_file(const std::string& file, const fs::path& embedding, const std::string& folder) {
  if (file.empty() || fs::path(file).is_absolute() || folder.empty()) return file;
  const fs::path stored = (embedding.parent_path() / folder / file).lexically_normal();
  return is_ordinary_file(stored) ? stored.string() : file;
}

// The same for a policy's text.
std::string located(const std::string& policy, const fs::path& embedding, const std::string& folder) {
  const std::string file = named_file(policy);
  std::string out = policy;
  return file.empty() ? out : out.replace(out.find(file), file.size(), located_file(file, embedding, folder));
}

// What a file stores beside the settings of a teacher that is played with a normaliser: that file's SHA-256.
constexpr const char* normaliser_digest = "normaliser_sha256";

// The SHA-256 of the normaliser that a network is played with; empty where it has none.
std::string digest_of_normaliser(const std::string& file, const std::vector<PolicySetting>& settings) {
  AgentOptions options;
  for (const PolicySetting& one : settings) {
    set_agent_option(options, one);
    if (one.key == "obs-mean") options.normaliser = "none";  // its numbers are given one by one
  }
  if (!is_ordinary_file(file)) return {};
  const fs::path normaliser = normaliser_of(file, options);
  return is_ordinary_file(normaliser) ? sha256_file(normaliser) : "";
}

// Whether a policy names the file that the embedding was made from, as far as its SHA-256 can tell.
bool is_stored_file(const EmbeddingFile& file, const std::string& policy) {
  const std::string teacher = named_file(policy);
  if (file.origin.teacher_sha256.empty() || !is_ordinary_file(teacher)) return true;
  return sha256_file(teacher) == file.origin.teacher_sha256;
}

}  // namespace

std::string folder_seen_from(const fs::path& out) {
  std::error_code trouble;
  const fs::path here = fs::current_path(trouble), there = fs::weakly_canonical(fs::absolute(out), trouble);
  if (trouble) return "";
  return here.lexically_relative(there.parent_path()).string();
}

std::string named_file(const std::string& spec) {
  std::string text = spec;
  for (const std::string start : {"tabular:", "mujoco:", "file="}) {
    if (text.starts_with(start)) text.erase(0, start.size());
  }
  for (const std::string ending : {".onnx", ".safetensors", ".mercer", ".json", ".npz", ".zip", ".pth", ".pt",
                                   ".cleanrl_model", ".msgpack", ".toml"}) {
    for (std::size_t place = text.find(ending); place != std::string::npos; place = text.find(ending, place + 1)) {
      const std::size_t end = place + ending.size();
      const char next = end < text.size() ? text[end] : ':';  // a folder may be called "runs.pt2"
      if (std::isalnum(static_cast<unsigned char>(next)) == 0 && next != '/' && next != '_') return text.substr(0, end);
    }
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

std::shared_ptr<const Policy> resolve_policy(const PolicyRequest& request, const Task& task, const Progress& progress,
                                             std::string* reading) {
  if (request.object) {
    check_fits(*request.object, task);
    return request.object;
  }
  if (request.policy.empty()) {
    throw Error(ErrorCode::missing_option, "no policy was named", "Add --policy POLICY; 'mercer list' shows the kinds");
  }
  std::string understood;
  std::shared_ptr<const Policy> policy;
  try {
    policy = make_policy(request.policy, task, request.settings, &understood);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::shape_mismatch || named_file(request.policy).empty()) throw;
    throw with_fitting_tasks(error, request);
  }
  if (!understood.empty() && progress.note) {
    progress.note(fmt::format("'{}' is read as a {}", policy->name(), understood));
  }
  if (reading != nullptr) *reading = understood;
  return policy;
}

std::vector<double> spread_of(const std::string& spec, const Space& observation, std::uint64_t seed,
                              const Policy& policy, const Progress& progress) {
  constexpr std::uint32_t purpose = 0xFFFFFFFE;
  RolloutOptions playing;
  playing.episodes = 100;
  playing.seed = Random({0, Stage::perturb, 0, purpose}).bits();
  playing.act = Act::mean;
  const Rollouts seen = rollout(*make_env(nominal_spec(spec), seed), policy, playing, progress);
  const auto steps = static_cast<double>(seen.steps());
  const std::size_t dimensions = observation.dimensions();
  std::vector<double> spread(dimensions);
  for (std::size_t d = 0; d < dimensions; ++d) {
    const Axis& axis = observation.axes[d];
    if (std::isfinite(axis.range.low) && std::isfinite(axis.range.high)) continue;
    double mean = 0, squares = 0;
    for (std::size_t i = d; i < seen.observations.size(); i += dimensions) mean += seen.observations[i] / steps;
    for (std::size_t i = d; i < seen.observations.size(); i += dimensions) {
      squares += (seen.observations[i] - mean) * (seen.observations[i] - mean) / steps;
    }
    // What never moves gets no noise, and is known all the same.
    spread[d] = std::max(std::sqrt(squares), std::numeric_limits<double>::min());
    if (progress.note) progress.note(fmt::format("the spread of {} is {:.4g}", axis.name, spread[d]));
  }
  return spread;
}

std::shared_ptr<const Env> with_spread_of(std::shared_ptr<const Env> env, const std::string& spec, std::uint64_t seed,
                                          const Policy& policy, const Progress& progress) {
  if (!needs_spread(*env)) return env;
  return with_spread(spec, seed, spread_of(spec, env->task().observation, seed, policy, progress));
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
      const std::vector<PolicySetting> given = network_settings(teacher.policy, teacher.settings);
      for (const PolicySetting& one : given) origin.settings[one.key] = one.value;
      const std::string digest = digest_of_normaliser(file, given);
      if (!digest.empty()) origin.settings[normaliser_digest] = digest;
    }
    if (is_ordinary_file(file)) origin.teacher_sha256 = sha256_file(file);
  }
  if (!out.empty()) origin.folder = folder_seen_from(out);
  return origin;
}

std::string stored_task(const EmbeddingFile& file, const fs::path& path) {
  return located(file.origin.env, path, file.origin.folder);
}

Act stored_act(const EmbeddingFile& file) {
  const auto act = file.origin.settings.find("act");
  return act == file.origin.settings.end() ? CertifyOptions{}.act : parse<Act>(act->second);
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
    if (stored == file.origin.settings.end() || known) continue;
    const bool is_file = kind.key == "normaliser" && stored->second != "none";
    const std::string value = is_file ? located_file(stored->second, path, file.origin.folder) : stored->second;
    asked.settings.push_back({kind.key, value, path.string()});
  }
  return asked;
}

std::vector<KnownFile> known_files(const EmbeddingFile& file, const fs::path& path) {
  const std::string teacher = located_file(named_file(file.origin.teacher), path, file.origin.folder);
  if (teacher.empty() || file.origin.teacher_sha256.empty()) return {};
  std::vector<KnownFile> known{{teacher, file.origin.teacher_sha256}};
  const auto digest = file.origin.settings.find(normaliser_digest);
  if (digest == file.origin.settings.end()) return known;
  for (const fs::path& place : normaliser_places(teacher)) known.push_back({place, digest->second});
  if (const auto named = file.origin.settings.find("normaliser"); named != file.origin.settings.end()) {
    known.push_back({located_file(named->second, path, file.origin.folder), digest->second});
  }
  return known;
}

bool check_teacher(const EmbeddingFile& file, const PolicyRequest& asked, bool accept_other) {
  const std::string teacher = named_file(asked.policy);
  std::string other;
  if (!is_stored_file(file, asked.policy)) {
    other = fmt::format("its SHA-256 is {}, stored is {}", sha256_file(teacher), file.origin.teacher_sha256);
  } else if (!file.origin.teacher_sha256.empty()) {
    const std::vector<PolicySetting> given = network_settings(asked.policy, asked.settings);
    const auto stored = [&](const std::string& key) {
      const auto found = file.origin.settings.find(key);
      return found == file.origin.settings.end() ? "not set" : found->second;
    };
    for (const PolicySetting& one : given) {
      if (one.key == "normaliser" && one.value != "none") continue;  // its bytes count, not its name
      if (stored(one.key) != one.value) {
        other = fmt::format("its {} is {}, stored is {}", one.key, one.value, stored(one.key));
      }
    }
    const bool there = is_ordinary_file(teacher) && is_network_file(teacher);
    const std::string before = stored(normaliser_digest);
    const std::string digest = there ? digest_of_normaliser(teacher, given) : before;
    if ((digest.empty() ? "not set" : digest) != before) {
      other =
          fmt::format("the SHA-256 of its normaliser is {}, stored is {}", digest.empty() ? "not set" : digest, before);
    }
  }
  if (other.empty()) return true;
  if (accept_other) return false;
  throw Error(ErrorCode::bad_value,
              fmt::format("'{}' is not the teacher that the embedding was made from: {}", teacher, other),
              "Name the original file and settings, or accept this teacher with --accept-other-teacher");
}

std::size_t pruning_rollouts(const EmbeddingFile& file) {
  const auto stored = file.origin.settings.find("rollouts");
  return stored == file.origin.settings.end() ? 0 : parse_option<std::uint64_t>(stored->second, "the file's rollouts");
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
    throw Error(ErrorCode::bad_value, fmt::format("'{}' must end in .mercer", out), "Use --out NAME.mercer");
  }
  check_writable(out);
}

Origin resolve_origin(const EmbeddingFile& file, const std::filesystem::path& path, const TaskRequest& task,
                      const PolicyRequest& teacher, bool accept_other, std::uint64_t seed, const Progress& progress) {
  Origin origin;
  const bool same_task = task.env.empty() && !task.object && !task.player;
  TaskRequest wanted = task;
  if (same_task) wanted.env = stored_task(file, path);
  const std::uint64_t drawn = same_task ? file.origin.seed : seed;  // a drawn task is drawn as it was
  origin.player = resolve_player(wanted, drawn);
  origin.env_name = same_task ? file.origin.env : task.env;
  const PolicyRequest asked = stored_teacher(file, path, teacher);
  if (!asked.object) origin.other_teacher = !check_teacher(file, asked, accept_other);
  try {
    origin.teacher = resolve_policy(asked, origin.player->task(), progress, &origin.reading);
  } catch (const Error& error) {
    const std::string gone = named_file(asked.policy);
    if (!teacher.policy.empty() || gone.empty() || is_ordinary_file(gone)) throw;
    throw Error(error.code(),
                fmt::format("'{}' is the teacher of '{}' and was not read: {}", gone, path.string(), error.problem()),
                "Name it with --policy FILE");
  }
  origin.teacher_name = asked.policy;
  origin.player = with_spread_of(origin.player, wanted, drawn, *origin.teacher, progress);
  return origin;
}

}  // namespace mercer
