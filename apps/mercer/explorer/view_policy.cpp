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

// Actions of both on a square of observations; `key` names the square.
void add_actions(const Subject& subject, const Question& question, std::string key, const std::vector<double>& values,
                 json& answer) {
  const auto now = shown(subject, question);
  const mercer::Space& action = now->policy().contract().action;
  const std::size_t output = question.integer("output", 0, action.dimensions() - 1, 0);
  const auto n = answer["n"].get<std::size_t>();
  const mercer::MatrixView<const double> observations(values.data(), values.size() / (n * n), n * n);
  const std::vector<double> own = mercer::slice_actions(now->policy(), observations, output);
  json teacher = nullptr;
  if (subject.world().teacher) {
    teacher = rounded(subject.teacher_slice(fmt::format("{} {}", key, output), observations, output), 5);
  }
  Range range = action.axes[output].range;
  if (!std::isfinite(range.low) || !std::isfinite(range.high)) {
    const auto [low, high] = std::ranges::minmax(own);
    range = {low, high};
  }
  answer["low"] = number(range.low);
  answer["high"] = number(range.high);
  answer["count"] = action.count;
  answer["teacher"] = std::move(teacher);
  answer["embedding"] = rounded(own, 5);
}

// The plane in which the action changes most where the teacher goes.
json plane(const Subject& subject, const Question& question) {
  const World& world = subject.world();
  const mercer::Space& action = subject.embedding().policy().action_space();
  const std::size_t output = question.integer("output", 0, action.dimensions() - 1, 0);
  const auto found = subject.plane(output);
  if (!found) {
    throw mercer::Error(mercer::ErrorCode::missing_option,
                        "there is no plane to show: fewer than two observations move the action where the policy goes",
                        "Choose the heat map");
  }
  const std::size_t n = question.integer("n", 2, most_grid, 64);
  const auto& observed = subject.embedding().policy().contract().observation.axes;
  const auto axis = [&](const char* name, const std::vector<double>& direction, const Range& range) {
    return json{{"name", name},
                {"low", number(range.low)},
                {"high", number(range.high)},
                {"unit", "standard deviations"},
                {"words", mercer::direction_words(direction, observed)}};
  };
  json answer{{"n", n},
              {"x", axis("direction 1", found->first, found->s)},
              {"y", axis("direction 2", found->second, found->t)},
              {"share", number(found->share)}};
  add_actions(subject, question, fmt::format("plane {}", n), mercer::plane_observations(*found, n), answer);
  answer["visits"] = rounded(mercer::plane_visits(*found, world.visited, n), 3);
  return answer;
}

}  // namespace

json slice(const Subject& subject, const Question& question) {
  const World& world = subject.world();
  const mercer::Visited& visited = world.visited;
  const std::size_t axes = visited.axes.size();
  if (question.integer("plane", 0, 1, 0) == 1) return plane(subject, question);
  mercer::SliceOptions options;
  options.x = question.integer("x", 0, axes - 1);
  options.y = question.integer("y", 0, axes - 1);
  options.n = question.integer("n", 2, most_grid, 64);
  options.fixed = question.numbers("fixed", axes).value_or(visited.typical);
  options.zoom = question.integer("zoom", 0, 1, 0) == 1;
  std::string key = fmt::format("{} {} {} {}", options.x, options.y, options.n, options.zoom);
  for (const double value : options.fixed) key += fmt::format(" {}", value);
  const auto axis = [&](std::size_t d) { return axis_json(visited.axes[d], mercer::shown_range(visited, d, options)); };
  json answer{{"n", options.n}, {"x", axis(options.x)}, {"y", axis(options.y)}};
  add_actions(subject, question, key, mercer::slice_observations(world.env.get(), visited, options), answer);
  const std::vector<double> visits = mercer::slice_visits(visited, options);
  answer["visits"] = visits.empty() ? json(nullptr) : rounded(visits, 3);
  return answer;
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
