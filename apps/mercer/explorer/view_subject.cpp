#include "explorer/view_subject.hpp"

#include <algorithm>

#include "mercer/error.hpp"
#include "view/view.hpp"

namespace {

constexpr std::size_t most_remembered = 12;

// Puts an item in front of a list that forgets its last ones.
template <class T>
void remember(std::list<T>& list, T item) {
  list.push_front(std::move(item));
  if (list.size() > most_remembered) list.pop_back();
}

}  // namespace

const ShownCode& Shown::code() const {
  std::call_once(exported_, [&] {
    try {
      code_.made = mercer::export_c(file_);
    } catch (const mercer::Error& error) {
      code_.why = "There is no C of this embedding: " + error.problem() + ".";
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
