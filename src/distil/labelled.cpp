#include "distil/labelled.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/parallel.hpp"

namespace mercer::distil {

StateMatrix columns_of(std::span<const double> rows, std::size_t dimensions) {
  StateMatrix out{dimensions, std::vector<double>(rows.size())};
  const std::size_t states = rows.size() / dimensions;
  for (std::size_t i = 0; i < states; ++i) {
    for (std::size_t d = 0; d < dimensions; ++d) out.values[d * states + i] = rows[i * dimensions + d];
  }
  return out;
}

std::vector<double> mean_actions(const Policy& teacher, MatrixView<const double> states) {
  const std::size_t actions = teacher.action_space().dimensions(), columns = states.cols();
  std::vector<double> out(actions * columns);
  constexpr std::size_t columns_a_block = 512;
  for_each_block(columns, columns_a_block, [&](Block block) {
    const std::size_t size = block.end - block.begin;
    teacher.mean_action(states.columns(block.begin, size),
                        MatrixView<double>(out.data(), actions, columns).columns(block.begin, size));
  });
  return out;
}

void play_steps(const Player& player, const Policy& policy, std::size_t steps, Act act, std::uint64_t seed,
                std::uint64_t number, double& steps_an_episode, const std::function<void(const Rollouts&)>& take,
                const Progress& progress) {
  constexpr double most_at_once = 256;
  std::uint32_t part = 0;
  for (std::size_t done = 0; done < steps;) {
    const double left = static_cast<double>(steps - done) / std::max(steps_an_episode, 1.0);
    const auto episodes = static_cast<std::size_t>(std::clamp(std::round(left), 1.0, most_at_once));
    const Rollouts played =
        player.roll_out(policy, {episodes, Random({seed, Stage::explore, number, part++}).bits(), act}, progress);
    take(played);
    done += std::max<std::size_t>(played.steps(), 1);
    steps_an_episode = static_cast<double>(played.steps()) / static_cast<double>(episodes);
  }
}

Labelled::Labelled(const Policy& teacher, const Task& task, std::size_t most, std::uint64_t seed)
    : teacher_(teacher),
      action_(task.action),
      most_(most),
      observations_(task.observation.dimensions()),
      labels_(task.action.is_discrete() ? 1 : task.action.dimensions()),
      seed_(seed) {}

void Labelled::add(const Rollouts& rollouts) {
  const StateMatrix states = columns_of(rollouts.observations, observations_);
  const std::vector<double> actions = mean_actions(teacher_, states.view());
  const std::size_t count = rollouts.steps();
  for (std::size_t i = 0; i < count; ++i, ++seen_) {
    std::size_t place = size();
    if (place < most_) {
      states_.resize(states_.size() + observations_);
      wanted_.resize(wanted_.size() + labels_);
    } else {
      Random random({seed_, Stage::replay, seen_, 1});
      place = static_cast<std::size_t>(random.uniform() * static_cast<double>(most_));
    }
    for (std::size_t d = 0; d < observations_; ++d) {
      states_[place * observations_ + d] = static_cast<float>(rollouts.observations[i * observations_ + d]);
    }
    for (std::size_t d = 0; d < labels_; ++d) {
      const double action = actions[d * count + i];
      wanted_[place * labels_ + d] =
          static_cast<float>(action_.is_discrete() ? action : std::clamp(to_unit(action_.axes[d], action), -1.0, 1.0));
    }
  }
}

StateMatrix Labelled::states() const {
  return columns_of(std::vector<double>(states_.begin(), states_.end()), observations_);
}

void Labelled::gather(std::span<const std::size_t> chosen, const InputScale& scale, Matrix<float>& input,
                      Matrix<float>& label) const {
  for (std::size_t c = 0; c < chosen.size(); ++c) {
    const auto column = static_cast<Index>(c);
    for (std::size_t d = 0; d < observations_; ++d) {
      input(static_cast<Index>(d), column) = scale.apply(d, states_[chosen[c] * observations_ + d]);
    }
    if (action_.is_discrete()) {
      label.col(column).setZero();
      label(static_cast<Index>(wanted_[chosen[c]]), column) = 1;
      continue;
    }
    for (std::size_t d = 0; d < labels_; ++d) label(static_cast<Index>(d), column) = wanted_[chosen[c] * labels_ + d];
  }
}

void Labelled::exchange(learn::Archive& archive) {
  archive.count("labelled.seen", seen_);
  if (archive.filling()) {
    states_ = archive.rows("labelled.states", observations_);
    wanted_ = archive.rows("labelled.wanted", labels_);
  } else {
    archive.add_rows("labelled.states", states_, observations_);
    archive.add_rows("labelled.wanted", wanted_, labels_);
  }
}

}  // namespace mercer::distil
