#include "explorer/view_subject.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "io/ordinary.hpp"
#include "mercer/env.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"
#include "pipeline/teacher.hpp"
#include "view/view.hpp"

namespace {

constexpr std::size_t visiting_episodes = 60, most_states = 6000;

void add_sentence(std::string& text, const std::string& more) { text += (text.empty() ? "" : " ") + more; }

// Errors quote files: '/home/me/actor.onnx' becomes 'actor.onnx'. An apostrophe may be part of a word, so that the
// parts between them count, whichever side of a quotation they are on.
std::string without_folders(std::string text, const std::string& file) {
  for (std::size_t at = file.empty() ? std::string::npos : text.find(file); at != std::string::npos;
       at = text.find(file, at + 1)) {
    text.replace(at, file.size(), file_name(file));
  }
  const auto is_path = [](const std::string& part) {
    const bool plain = part.find(' ') == std::string::npos || part.starts_with('/') || part.starts_with('.');
    return plain && part.find('/') != std::string::npos;
  };
  std::string out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\'', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    out += is_path(part) ? file_name(part) : part;
    if (end < text.size()) out += '\'';
    begin = end + 1;
  }
  return out;
}

constexpr std::size_t most_remembered = 12;

// Puts an item in front of a list that forgets its last ones.
template <class T>
void remember(std::list<T>& list, T item) {
  list.push_front(std::move(item));
  if (list.size() > most_remembered) list.pop_back();
}

}  // namespace

std::string file_name(const std::string& spec) { return std::filesystem::path(spec).filename().string(); }

// The teacher that was asked for may be anywhere, what an embedding stores beside it may not.
mercer::PolicyRequest Worlds::teacher_of(const mercer::EmbeddingFile& file, const std::filesystem::path& path) const {
  const mercer::OpenFolders* const limited = mercer::ReadingOnly::folders();
  mercer::PolicyRequest teacher;
  {
    const mercer::ReadingOnly limit(policy_.empty() ? limited : nullptr);
    teacher = mercer::stored_teacher(file, path, {policy_});
  }
  if (limited != nullptr && !policy_.empty()) {
    std::erase_if(teacher.settings, [](const mercer::PolicySetting& one) {
      return one.key == "normaliser" && one.value != "none" && !mercer::is_ordinary_file(one.value);
    });
  }
  return teacher;
}

void Worlds::allow_known(const mercer::EmbeddingFile& file, const std::filesystem::path& path) {
  if (!teachers_by_digest_) return;
  const mercer::ReadingOnly anywhere(nullptr);
  for (const mercer::KnownFile& known : mercer::known_files(file, path)) folders_.allow_file(known.path, known.sha256);
}

std::shared_ptr<const World> Worlds::of(const mercer::EmbeddingFile& file, const std::filesystem::path& path,
                                        bool trusted, const mercer::Progress& progress) {
  const mercer::EmbeddingOrigin& origin = file.origin;
  const mercer::ReadingOnly limit(trusted ? nullptr : &folders_);
  if (!trusted) allow_known(file, path);
  const mercer::PolicyRequest teacher = teacher_of(file, path);
  std::string identity = fmt::format("{}\n{}\n{}", env_.empty() ? mercer::stored_task(file, path) : env_,
                                     origin.teacher_sha256.empty() ? teacher.policy : origin.teacher_sha256,
                                     mercer::name(mercer::stored_act(file)));
  for (const mercer::PolicySetting& setting : teacher.settings) identity += "\n" + setting.key + "=" + setting.value;
  const std::string key = fmt::format("{}\n{}\n{}\n{}", identity, teacher.policy, origin.seed, trusted);
  std::shared_ptr<const World>& world = made_[key];
  if (!world) {
    auto made = make(file, path, progress);
    made->identity = identity;
    world = std::move(made);
  }
  folders_.forget_files();
  return world;
}

std::unique_ptr<World> Worlds::make(const mercer::EmbeddingFile& file, const std::filesystem::path& path,
                                    const mercer::Progress& progress) const {
  const mercer::EmbeddingOrigin& origin = file.origin;
  auto world = std::make_unique<World>();
  world->env_spec = env_.empty() ? origin.env : env_;
  world->teacher_spec = policy_.empty() ? origin.teacher : policy_;
  world->act = mercer::stored_act(file);
  const mercer::OpenFolders* const limited = mercer::ReadingOnly::folders();
  const auto attempt = [&](const std::string& what, const std::string& spec, bool given, const auto& work) {
    const mercer::ReadingOnly limit(given ? nullptr : limited);
    const std::string named = mercer::named_file(spec);
    if (limited != nullptr && !given && !named.empty() && !limited->contains(named)) {
      add_sentence(world->missing,
                   fmt::format("The {} '{}' lies outside of the given folders.", what, file_name(spec)));
      return;
    }
    try {
      work();
    } catch (const mercer::Error& error) {
      if (error.code() == mercer::ErrorCode::interrupted) throw;
      add_sentence(world->missing,
                   fmt::format("The {} could not be read: {}.", what, without_folders(error.problem(), named)));
    }
  };
  const std::string task = env_.empty() ? mercer::stored_task(file, path) : env_;
  world->other_task = !env_.empty() && env_ != origin.env && (!file.certificate || file.certificate->env != env_);
  attempt("task", task, !env_.empty(), [&] {
    auto env = mercer::make_env(task, origin.seed);
    mercer::check_fits(file.embedding.policy(), env->task());
    world->env = std::move(env);
  });
  if (!world->env) {
    world->visited = mercer::unvisited_axes(file.embedding.policy().contract());
    return world;
  }
  const mercer::PolicyRequest teacher = teacher_of(file, path);
  attempt("teacher", teacher.policy, !policy_.empty(), [&] {
    if (!mercer::check_teacher(file, teacher, accept_other_teacher_)) {
      world->other_teacher = true;
      add_sentence(world->missing, fmt::format("'{}' is another file than the teacher this was made from.",
                                               file_name(world->teacher_spec)));
    }
    world->teacher = mercer::resolve_policy(teacher, world->env->task(), progress, &world->teacher_reading);
    std::error_code none;
    const auto bytes = std::filesystem::file_size(mercer::named_file(teacher.policy), none);
    if (!none) world->teacher_bytes = bytes;
  });
  mercer::RolloutOptions playing;
  playing.episodes = visiting_episodes;
  playing.seed = origin.seed;
  playing.act = world->act;
  const mercer::Policy& player = world->teacher ? *world->teacher : file.embedding.policy();
  const mercer::ReadingOnly limit(env_.empty() ? limited : nullptr);  // the task is made once more
  world->env = mercer::with_spread_of(world->env, task, origin.seed, player, progress);
  world->visited = mercer::visited_states(*world->env, player, playing, most_states, progress);
  return world;
}

const ShownCode& Shown::code() const {
  std::call_once(exported_, [&] {
    try {
      code_.made = mercer::export_c(file_);
    } catch (const mercer::Error& error) {
      code_.why = "This embedding cannot be exported as C: " + error.problem() + ".";
    }
    try {
      code_.module = mercer::export_js(file_).files.front().text;
    } catch (const mercer::Error& error) {
      code_.why_no_module = "This embedding cannot be exported as JavaScript: " + error.problem() + ".";
    }
  });
  return code_;
}

Subject::Subject(std::string name, mercer::EmbeddingFile file, std::shared_ptr<const World> world)
    : name_(std::move(name)),
      file_(std::move(file)),
      world_(std::move(world)),
      choice_(file_.embedding, world_->env ? world_->visited.observation_view() : mercer::MatrixView<const double>()) {}

std::shared_ptr<const Shown> Subject::shown(std::size_t k, const std::vector<std::size_t>& off) const {
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(sizes_, [&](const Size& one) { return one.k == k && one.off == off; });
    if (found != sizes_.end()) {
      sizes_.splice(sizes_.begin(), sizes_, found);
      return found->shown;
    }
  }
  // Made without the lock: two that ask at once both make it, and neither waits for another size.
  auto made = std::make_shared<const Shown>(mercer::EmbeddingFile{choice_.keep(k, off), file_.origin, 0, std::nullopt});
  const std::lock_guard lock(mutex_);
  remember(sizes_, Size{k, off, made});
  return made;
}

std::vector<double> Subject::teacher_slice(const std::string& key, mercer::MatrixView<const double> observations,
                                           std::size_t output) const {
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(slices_, key, &std::pair<std::string, std::vector<double>>::first);
    if (found != slices_.end()) {
      slices_.splice(slices_.begin(), slices_, found);
      return found->second;
    }
  }
  std::vector<double> made = mercer::slice_actions(*world_->teacher, observations, output);
  const std::lock_guard lock(mutex_);
  remember(slices_, {key, made});
  return made;
}

std::optional<mercer::Plane> Subject::plane(std::size_t output) const {
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = planes_.try_emplace(output);
  if (is_new && world_->visited.count > 0) {
    const mercer::Policy& policy = world_->teacher ? *world_->teacher : file_.embedding.policy();
    place->second = mercer::action_plane(policy, world_->visited, output);
  }
  return place->second;
}

std::shared_ptr<const mercer::Rollouts> Subject::teacher_returns(const mercer::RolloutOptions& options,
                                                                 const mercer::Progress& progress) const {
  {
    const std::lock_guard lock(mutex_);
    for (const Played& one : played_) {
      if (one.episodes == options.episodes && one.seed == options.seed) return one.returns;
    }
  }
  mercer::RolloutOptions playing = options;
  playing.keep_steps = false;
  auto made =
      std::make_shared<const mercer::Rollouts>(mercer::rollout(*world_->env, *world_->teacher, playing, progress));
  const std::lock_guard lock(mutex_);
  remember(played_, Played{options.episodes, options.seed, made});
  return made;
}
