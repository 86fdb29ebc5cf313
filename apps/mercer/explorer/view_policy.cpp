#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "explorer/view_answers.hpp"
#include "explorer/view_numbers.hpp"
#include "mercer/error.hpp"
#include "view/view.hpp"

namespace answers {
namespace {

using mercer::Range;

constexpr std::size_t most_grid = 128, polar_rings = 48, polar_bins = 48;

}  // namespace

json slice(const Subject& subject, const Question& question) {
  const World& world = subject.world();
  const mercer::Visited& visited = world.visited;
  const std::size_t axes = visited.axes.size();
  mercer::SliceOptions options;
  options.x = question.integer("x", 0, axes - 1);
  options.y = question.integer("y", 0, axes - 1);
  options.n = question.integer("n", 2, most_grid, 64);
  options.fixed = question.numbers("fixed", axes).value_or(visited.typical);
  const auto now = shown(subject, question);
  const mercer::Space& action = now->policy().contract().action;
  const std::size_t output = question.integer("output", 0, action.dimensions() - 1, 0);
  const std::vector<double> values = mercer::slice_observations(world.env.get(), visited, options);
  const std::size_t count = options.n * options.n;
  const mercer::MatrixView<const double> observations(values.data(), values.size() / count, count);
  const std::vector<double> own = mercer::slice_actions(now->policy(), observations, output);
  json teacher = nullptr;
  if (world.teacher) {
    std::string key = fmt::format("{} {} {} {}", options.x, options.y, options.n, output);
    for (const double value : options.fixed) key += fmt::format(" {}", value);
    teacher = rounded(subject.teacher_slice(key, observations, output), 5);
  }
  const std::vector<double> visits = mercer::slice_visits(visited, options);
  Range range = action.axes[output].range;
  if (!std::isfinite(range.low) || !std::isfinite(range.high)) {
    const auto [low, high] = std::ranges::minmax(own);
    range = {low, high};
  }
  return {{"n", options.n},
          {"x", axis_json(visited.axes[options.x], visited.window[options.x])},
          {"y", axis_json(visited.axes[options.y], visited.window[options.y])},
          {"low", number(range.low)},
          {"high", number(range.high)},
          {"count", action.count},
          {"teacher", std::move(teacher)},
          {"embedding", rounded(own, 5)},
          {"visits", visits.empty() ? json(nullptr) : rounded(visits, 3)}};
}

json polar(const Subject& subject, const Question& question) {
  const World& world = subject.world();
  const auto all = world.visited.observation_view();
  const auto now = shown(subject, question);
  if (all.cols() == 0) {
    throw mercer::Error(mercer::ErrorCode::missing_option, "no visited states are known: " + world.missing,
                        "Name the task with --env");
  }
  const mercer::Policy& leading = world.teacher ? *world.teacher : now->policy();
  const std::vector<std::size_t> order = mercer::states_by_action(leading, all, polar_rings);
  const std::vector<double> edges = mercer::action_edges(leading.action_space(), polar_bins);
  std::vector<double> states(all.rows() * order.size());
  for (std::size_t d = 0; d < all.rows(); ++d) {
    for (std::size_t i = 0; i < order.size(); ++i) states[d * order.size() + i] = all(d, order[i]);
  }
  const mercer::MatrixView<const double> view(states.data(), all.rows(), order.size());
  const auto rows = [&](const mercer::Policy& policy) {
    const std::vector<double> masses = mercer::action_masses(policy, view, edges, world.act);
    json table = json::array();
    for (std::size_t r = 0; r < order.size(); ++r)
      table.push_back(rounded(std::span(masses).subspan(r * (edges.size() - 1), edges.size() - 1), 4));
    return table;
  };
  json axes = json::array(), rings = json::array();
  for (std::size_t d = 0; d < world.visited.axes.size(); ++d)
    axes.push_back(axis_json(world.visited.axes[d], world.visited.window[d]));
  for (const std::size_t i : order) {
    json state = json::array();
    for (std::size_t d = 0; d < axes.size(); ++d) state.push_back(short_number(world.visited.state_view()(d, i)));
    rings.push_back(std::move(state));
  }
  return {{"axes", axes},
          {"states", rings},
          {"edges", rounded(edges, 6)},
          {"count", leading.action_space().count},
          {"teacher", world.teacher ? rows(*world.teacher) : json(nullptr)},
          {"embedding", rows(now->policy())}};
}

}  // namespace answers
