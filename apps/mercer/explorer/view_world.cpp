#include "explorer/view_world.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mercer/env.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"

namespace {

constexpr std::size_t visiting_episodes = 60, most_states = 6000;

// The file that a task's or policy's text names, if it names one: "tabular:x.json", "actor.onnx:temperature=0.2".
std::string file_in(const std::string& spec) {
  std::string text = spec.starts_with("tabular:") ? spec.substr(8) : spec;
  for (const char* ending : {".onnx", ".safetensors", ".mercer", ".json", ".npz"}) {
    const std::size_t place = text.find(ending);
    if (place != std::string::npos) return text.substr(0, place + std::string(ending).size());
  }
  return {};
}

std::vector<mercer::PolicySetting> settings_of(const mercer::EmbeddingOrigin& origin) {
  std::vector<mercer::PolicySetting> settings;
  for (const mercer::PolicySettingKind& kind : mercer::known_policy_settings()) {
    const auto made = origin.settings.find(kind.key);
    if (made != origin.settings.end()) settings.push_back({kind.key, made->second, "the embedding"});
  }
  return settings;
}

void add_sentence(std::string& text, const std::string& more) { text += (text.empty() ? "" : " ") + more; }

}  // namespace

bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder) {
  std::error_code trouble;
  const auto real = std::filesystem::canonical(path, trouble);
  if (trouble) return false;
  const auto above = std::filesystem::canonical(folder, trouble);
  if (trouble) return false;
  return std::ranges::mismatch(above, real).in1 == above.end();
}

bool Worlds::may_read(const std::string& spec, bool trusted) const {
  const std::string file = file_in(spec);
  if (trusted || file.empty()) return true;
  return std::ranges::any_of(folders_, [&](const auto& folder) { return is_below(file, folder); });
}

std::shared_ptr<const World> Worlds::of(const mercer::EmbeddingFile& file, bool trusted,
                                        const mercer::Progress& progress) {
  const mercer::EmbeddingOrigin& origin = file.origin;
  const auto act = origin.settings.find("act");
  std::string key =
      fmt::format("{}\n{}\n{}\n{}\n{}", env_.empty() ? origin.env : env_, policy_.empty() ? origin.teacher : policy_,
                  origin.seed, trusted, act == origin.settings.end() ? "" : act->second);
  for (const mercer::PolicySetting& setting : settings_of(origin)) key += "\n" + setting.key + "=" + setting.value;
  std::shared_ptr<const World>& world = made_[key];
  if (!world) world = make(file, trusted, progress);
  return world;
}

std::unique_ptr<World> Worlds::make(const mercer::EmbeddingFile& file, bool trusted,
                                    const mercer::Progress& progress) const {
  const mercer::EmbeddingOrigin& origin = file.origin;
  auto world = std::make_unique<World>();
  world->env_spec = env_.empty() ? origin.env : env_;
  world->teacher_spec = policy_.empty() ? origin.teacher : policy_;
  const auto act = origin.settings.find("act");
  if (act != origin.settings.end()) world->act = mercer::parse<mercer::Act>(act->second);
  const auto attempt = [&](const std::string& what, const std::string& spec, bool given, const auto& work) {
    if (!given && !may_read(spec, trusted)) {
      add_sentence(world->missing, fmt::format("The {} '{}' lies outside of the given folders.", what, spec));
      return;
    }
    try {
      work();
    } catch (const mercer::Error& error) {
      if (error.code() == mercer::ErrorCode::interrupted) throw;
      add_sentence(world->missing, fmt::format("There is no {}: {}.", what, error.problem()));
    }
  };
  attempt("task", world->env_spec, !env_.empty(), [&] {
    auto env = mercer::make_env(world->env_spec, origin.seed);
    mercer::check_fits(file.embedding.policy(), env->task());
    world->env = std::move(env);
  });
  if (!world->env) {
    world->visited = mercer::unvisited_axes(file.embedding.policy().contract());
    return world;
  }
  attempt("teacher", world->teacher_spec, !policy_.empty(), [&] {
    world->teacher =
        mercer::make_policy(world->teacher_spec, world->env->task(), settings_of(origin), &world->teacher_reading);
    std::error_code none;
    const auto bytes = std::filesystem::file_size(file_in(world->teacher_spec), none);
    if (!none) world->teacher_bytes = bytes;
  });
  mercer::RolloutOptions playing;
  playing.episodes = visiting_episodes;
  playing.seed = origin.seed;
  playing.act = world->act;
  const mercer::Policy& player = world->teacher ? *world->teacher : file.embedding.policy();
  world->visited = mercer::visited_states(*world->env, player, playing, most_states, progress);
  return world;
}
