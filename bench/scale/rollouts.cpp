// Costs against the number of episodes, or of visits or returns that they leave.

#include <cmath>
#include <memory>

#include "mercer/env.hpp"
#include "mercer/lattice.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "mercer/statistics.hpp"
#include "series.hpp"

namespace {

using namespace mercer;

constexpr std::size_t bins = 35;

struct World {
  std::unique_ptr<Env> env = make_env("pendulum");
  std::unique_ptr<Policy> policy = make_policy("uniform", env->task());
};

// `make(n)` gives the work for size n.
template <class Make>
Series over(const char* part, const char* theory, std::size_t least, bool logarithm, Make make) {
  Series series{"rollouts", part, theory, {}};
  for (std::size_t n = least; n <= 8 * least; n *= 2) {
    const auto size = static_cast<double>(n);
    series.points.push_back({size, logarithm ? size * std::log2(size) : size, [n, make] { return make(n); }});
  }
  return series;
}

std::function<void()> play(std::size_t episodes, bool keep_steps) {
  return [world = std::make_shared<World>(), episodes, keep_steps] {
    rollout(*world->env, *world->policy, {.episodes = episodes, .keep_steps = keep_steps});
  };
}

std::function<void()> pairs(std::size_t episodes) {
  return [world = std::make_shared<World>(), episodes] {
    const EnvPlayer player(*world->env);
    for (int side = 0; side < 2; ++side) player.play(*world->policy, {.count = episodes});
  };
}

std::function<void()> edges(std::size_t visits) {
  return [data = normals(visits, 1)] { make_edges(data, bins, {}); };
}

// Three dimensions: the cells are the same few for any number of visits.
std::function<void()> cells(std::size_t visits) {
  Grid grid;
  for (std::size_t d = 0; d < 3; ++d) grid.axes.push_back(make_edges(normals(10'000, d), bins, {}));
  return [grid, points = normals(3 * visits, 2), visits] { Cells(grid, {points.data(), 3, visits}); };
}

std::function<void()> distance(std::size_t returns) {
  return [x = normals(returns, 3), y = normals(returns, 4)] { wasserstein(x, y); };
}

std::function<void()> interval(std::size_t returns) {
  return [x = normals(returns, 5)] { predictable_bernstein_interval(x, {-10, 10}, 0.05); };
}

}  // namespace

std::vector<Series> rollout_series() {
  return {
      over("episodes, returns only", "O(N)", 2000, false, [](std::size_t n) { return play(n, false); }),
      over("episodes, steps kept", "O(N)", 4000, false, [](std::size_t n) { return play(n, true); }),
      over("paired episodes", "O(N)", 2000, false, pairs),
      over("quantile edges of visits", "O(N log N)", 250'000, true, edges),
      over("visited cells, 35^3 bins", "O(N)", 250'000, false, cells),
      over("W1 of returns", "O(N log N)", 100'000, true, distance),
      over("interval of a mean", "O(N)", 100'000, false, interval),
  };
}
