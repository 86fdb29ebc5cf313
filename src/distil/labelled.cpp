#include "distil/labelled.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

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
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < count; ++i, ++seen_) {
    std::size_t place = size();
    if (place < most_) {
      states_.resize(states_.size() + observations_);
      wanted_.resize(wanted_.size() + labels_);
    } else {
      Random random({seed_, Stage::replay, seen_, 1});
      place = static_cast<std::size_t>(random.uniform() * static_cast<double>(most_));
    }
    places.push_back(place);
    for (std::size_t d = 0; d < observations_; ++d) {
      states_[place * observations_ + d] = static_cast<float>(rollouts.observations[i * observations_ + d]);
    }
    for (std::size_t d = 0; d < labels_; ++d) {
      const double action = actions[d * count + i];
      wanted_[place * labels_ + d] =
          static_cast<float>(action_.is_discrete() ? action : std::clamp(to_unit(action_.axes[d], action), -1.0, 1.0));
    }
  }
  if (!critics_) return;
  weights_.resize(wanted_.size());
  set_weights(places, costs_at(places));
}

void Labelled::clear() {
  seen_ = 0;
  states_.clear();
  wanted_.clear();
  weights_.clear();
}

Matrix<float> Labelled::costs_at(std::span<const std::size_t> places) const {
  const auto count = static_cast<Index>(places.size());
  Matrix<float> states(static_cast<Index>(observations_), count), actions(static_cast<Index>(labels_), count);
  for (Index c = 0; c < count; ++c) {
    const std::size_t place = places[static_cast<std::size_t>(c)];
    std::copy_n(&states_[place * observations_], observations_, states.col(c).data());
    std::copy_n(&wanted_[place * labels_], labels_, actions.col(c).data());
  }
  return action_costs(*critics_, states, actions);
}

void Labelled::set_weights(std::span<const std::size_t> places, const Matrix<float>& costs) {
  constexpr float least = 0.1F, most = 10;
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t d = 0; d < labels_; ++d) {
      const float weight = costs(static_cast<Index>(d), static_cast<Index>(i)) / static_cast<float>(usual_cost_);
      weights_[places[i] * labels_ + d] = std::isfinite(weight) ? std::clamp(weight, least, most) : 1;
    }
  }
}

void Labelled::weigh(CriticNetworks critics) {
  critics_ = std::move(critics);
  weights_.assign(wanted_.size(), 1);
  std::vector<std::size_t> places(size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  const Matrix<float> costs = costs_at(places);
  usual_cost_ = costs.cast<double>().mean();
  set_weights(places, costs);
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

void Labelled::gather_weights(std::span<const std::size_t> chosen, Matrix<float>& weight) const {
  weight.setOnes();
  if (weights_.empty()) return;
  for (std::size_t c = 0; c < chosen.size(); ++c) {
    for (std::size_t d = 0; d < labels_; ++d) {
      weight(static_cast<Index>(d), static_cast<Index>(c)) = weights_[chosen[c] * labels_ + d];
    }
  }
}

void Labelled::exchange(learn::Archive& archive) {
  std::uint64_t weighed = weights_.empty() ? 0 : 1;
  archive.count("labelled.seen", seen_);
  archive.count("labelled.weighed", weighed);
  archive.numbers("labelled.usual_cost", std::span(&usual_cost_, 1));
  if (archive.filling()) {
    states_ = archive.rows("labelled.states", observations_);
    wanted_ = archive.rows("labelled.wanted", labels_);
    if (weighed != 0) weights_ = archive.rows("labelled.weights", labels_);
  } else {
    archive.add_rows("labelled.states", states_, observations_);
    archive.add_rows("labelled.wanted", wanted_, labels_);
    if (weighed != 0) archive.add_rows("labelled.weights", weights_, labels_);
  }
}

}  // namespace mercer::distil
