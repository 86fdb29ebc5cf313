#include "certify/unvisited.hpp"

#include <cmath>
#include <vector>

#include "core/fault.hpp"
#include "mercer/env.hpp"
#include "policy/batch.hpp"

namespace mercer {
namespace {

// The columns of a batch whose cells are not held.
class Outside {
 public:
  Outside(const Cells& cells, MatrixView<const double> observation) {
    for (std::size_t i = 0; i < observation.cols(); ++i) {
      if (cells.find(&observation(0, i), observation.stride()) == Cells::none) columns_.push_back(i);
    }
  }

  std::size_t size() const { return columns_.size(); }
  std::size_t operator[](std::size_t place) const { return columns_[place]; }

  void take(MatrixView<const double> from, MatrixView<double> to) const {
    for (std::size_t d = 0; d < from.rows(); ++d) {
      for (std::size_t i = 0; i < size(); ++i) to(d, i) = from(d, columns_[i]);
    }
  }
  void put(MatrixView<const double> from, MatrixView<double> to) const {
    for (std::size_t d = 0; d < from.rows(); ++d) {
      for (std::size_t i = 0; i < size(); ++i) to(d, columns_[i]) = from(d, i);
    }
  }

 private:
  std::vector<std::size_t> columns_;
};

// Writes what `ask` answers about the columns outside over what stands in `out`.
template <class Ask>
void replace(const Cells& cells, MatrixView<const double> observation, MatrixView<double> out, Ask ask) {
  const Outside outside(cells, observation);
  if (outside.size() == 0) return;
  const Scratch seen(observation.rows(), outside.size()), own(out.rows(), outside.size());
  outside.take(observation, seen.view());
  ask(outside, MatrixView<const double>(seen.view()), own.view());
  outside.put(own.view(), out);
}

}  // namespace

bool has_unvisited(const LatticePolicy& policy) {
  return static_cast<double>(policy.cells().size()) < policy.cells().grid().cells();
}

void TeacherInUnvisited::sample(MatrixView<const double> observation, const Draws& draws,
                                MatrixView<double> action) const {
  lattice_.sample(observation, draws, action);
  replace(lattice_.cells(), observation, action, [&](const Outside& outside, auto seen, auto played) {
    std::vector<std::uint64_t> items(outside.size());
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = draws.items[outside[i]];
    teacher_.sample(seen, {draws.seed, draws.stage, draws.step, items}, played);
  });
}

void TeacherInUnvisited::mean_action(MatrixView<const double> observation, MatrixView<double> action) const {
  lattice_.mean_action(observation, action);
  replace(lattice_.cells(), observation, action,
          [&](const Outside&, auto seen, auto played) { teacher_.mean_action(seen, played); });
}

void TeacherInUnvisited::log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                                  std::span<double> out) const {
  lattice_.log_prob(observation, action, out);
  replace(lattice_.cells(), observation, MatrixView<double>(out.data(), 1, out.size()),
          [&](const Outside& outside, auto seen, auto logs) {
            const Scratch played(action.rows(), outside.size());
            outside.take(action, played.view());
            teacher_.log_prob(seen, played.view(), logs.row(0));
          });
}

UnvisitedCost unvisited_cost(const Env& env, const Policy& teacher, const LatticePolicy& student,
                             RolloutOptions playing, double gamma, const Progress& progress) {
  UnvisitedCost cost{playing.episodes};
  if (!has_unvisited(student)) return cost;
  playing.gamma = gamma;
  playing.keep_steps = true;
  const Policy& counted = planted(2) ? teacher : student;
  const Rollouts own = rollout(env, counted, playing, progress);
  const std::size_t seen = student.observation_dimensions();
  for (std::size_t e = 0; e < own.episodes(); ++e) {
    bool outside = false;
    for (auto i = own.offsets[e]; i < own.offsets[e + 1] && !outside; ++i) {
      outside = student.cells().find(own.observations.data() + static_cast<std::size_t>(i) * seen) == Cells::none;
    }
    cost.touched += outside ? 1 : 0;
  }
  if (cost.touched == 0) return cost;  // the two would play the same
  playing.keep_steps = false;
  const Rollouts other = rollout(env, TeacherInUnvisited(student, teacher), playing, progress);
  const std::vector<double> first = returns_of(outcomes_of(own), gamma), second = returns_of(outcomes_of(other), gamma);
  for (std::size_t e = 0; e < first.size(); ++e) cost.difference += second[e] - first[e];
  cost.difference = std::abs(cost.difference) / static_cast<double>(first.size());
  return cost;
}

}  // namespace mercer
