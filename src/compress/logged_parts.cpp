#include "compress/logged_parts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/fault.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

void check_offsets(const LoggedStates& log) {
  const auto& offsets = log.offsets;
  const auto count = static_cast<std::int64_t>(log.states.view().cols());
  if (!offsets.empty() && offsets.front() == 0 && offsets.back() == count && std::ranges::is_sorted(offsets)) return;
  throw Error(ErrorCode::shape_mismatch,
              fmt::format("the episodes of a log go from state {} to {}; it has {} states",
                          offsets.empty() ? 0 : offsets.front(), offsets.empty() ? 0 : offsets.back(), count),
              "Give lengths of episodes that add up to the number of states");
}

// The states for which belongs(episode, column) holds. Only episodes that have states are counted.
template <class Belongs>
LoggedStates part_of(const LoggedStates& log, Belongs belongs) {
  const MatrixView<const double> states = log.states.view();
  LoggedStates out{{states.rows(), {}}, {0}};
  std::vector<std::size_t> columns;
  std::size_t episode = 0;
  for (std::size_t e = 0; e + 1 < log.offsets.size(); ++e) {
    const auto first = static_cast<std::size_t>(log.offsets[e]), last = static_cast<std::size_t>(log.offsets[e + 1]);
    if (first == last) continue;
    const std::size_t before = columns.size();
    for (std::size_t i = first; i < last; ++i) {
      if (belongs(episode, i)) columns.push_back(i);
    }
    if (columns.size() > before) out.offsets.push_back(static_cast<std::int64_t>(columns.size()));
    ++episode;
  }
  for (std::size_t d = 0; d < states.rows(); ++d) {
    for (const std::size_t i : columns) out.states.values.push_back(states(d, i));
  }
  return out;
}

}  // namespace

LoggedStates logged_states(const Rollouts& rollouts) {
  return {pick_states(rollouts, rollouts.steps()), rollouts.offsets};
}

LogParts split_log(const LoggedStates& log) {
  check_offsets(log);
  const auto filled = [&] {
    std::size_t count = 0;
    for (std::size_t e = 0; e + 1 < log.offsets.size(); ++e) count += log.offsets[e] < log.offsets[e + 1] ? 1 : 0;
    return count;
  }();
  const auto of_episodes = [&](std::size_t part) {
    return part_of(
        log, [part](std::size_t episode, std::size_t column) { return (planted(5) ? column : episode) % 3 == part; });
  };
  const auto of_states = [&](std::size_t part) {
    return part_of(log, [part](std::size_t, std::size_t column) { return column % 2 == part; });
  };
  if (filled < least_logged_episodes) return {of_states(0), of_states(1), std::nullopt};
  return {of_episodes(0), of_episodes(1), of_episodes(2)};
}

std::vector<double> episode_errors(const Policy& teacher, const Policy& student, const LoggedStates& log) {
  const MatrixView<const double> states = log.states.view();
  const std::size_t count = states.cols(), actions = teacher.action_space().dimensions();
  std::vector<double> first(actions * count), second(actions * count), error(count, 0.0);
  teacher.mean_action(states, {first.data(), actions, count});
  student.mean_action(states, {second.data(), actions, count});
  for (std::size_t d = 0; d < actions; ++d) {
    const double width = teacher.action_space().axes[d].range.width();
    for (std::size_t i = 0; i < count; ++i) {
      error[i] = std::max(error[i], std::min(1.0, std::abs(first[d * count + i] - second[d * count + i]) / width));
    }
  }
  if (planted(5)) return error;
  std::vector<double> out;
  for (std::size_t e = 0; e + 1 < log.offsets.size(); ++e) {
    const auto begin = error.begin() + log.offsets[e], end = error.begin() + log.offsets[e + 1];
    out.push_back(std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin));
  }
  return out;
}

}  // namespace mercer
