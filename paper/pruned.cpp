#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "item.hpp"
#include "lattices.hpp"
#include "rules/rules.hpp"

namespace mercer::paper {
namespace {

constexpr double printed[] = {95.36, 94.49, 94.59, 98.45};
constexpr std::uint64_t steps_of[] = {2000, 3000, 4000, 5000};

// Share of the cells that no state at all lies in, in percent: cos and sin are on a circle.
double unreachable_percent(const Grid& grid) {
  constexpr std::size_t angles = 20'000;
  std::vector<double> points(2 * angles);
  // Which cells of (cos, sin) the circle meets does not depend on the speed, and every bin of speeds can be met.
  const Grid circle{{grid.axes[0], grid.axes[1]}};
  for (std::size_t i = 0; i < angles; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / angles;
    points[i] = std::cos(angle);
    points[angles + i] = std::sin(angle);
  }
  const Cells met(circle, MatrixView<const double>(points.data(), 2, angles));
  return 100 * (1 - static_cast<double>(met.size()) / circle.cells());
}

Tables measure(const Bench& bench) {
  Tables tables;
  Frame& frame = tables["pruned"] = {{"env", "seed", "steps", "episodes", "pruned", "unreachable", "printed"}};
  for (const Teacher teacher : pendulums) {
    for (std::size_t i = 0; i < 4; ++i) {
      const Head head{teacher, steps_of[i], false};
      const TrainedPolicy trained = load_policy(bench, head);
      const Rollouts met = visits(bench, head);
      const Lattice lattice = make_lattice(*trained.policy, met, published_lattice(teacher));
      frame.add({env_of(teacher), double(bench.seed), double(steps_of[i]), double(met.episodes()),
                 lattice.pruned_percent(), unreachable_percent(lattice.cells->grid()), printed[i]});
    }
  }
  return tables;
}

Told tell(const Tables& tables) {
  const Rows all(tables.at("pruned"));
  Told told{"Pruned: "};
  for (std::size_t i = 0; i < 4; ++i) {
    told.saw += fmt::format("{:.2f}% after {}k steps (printed {}), ",
                            all.where("steps", double(steps_of[i])).mean("pruned"), steps_of[i] / 1000, printed[i]);
  }
  told.saw += fmt::format("and {:.1f}% of the cells hold no state at all.", all.mean("unreachable"));
  told.why = {fmt::format(
      "cos and sin lie on a circle, so {:.1f}% of the lattice cannot be met by any policy; of what a policy can "
      "choose, it leaves {:.0f}% out.",
      all.mean("unreachable"), 100 * (all.mean("pruned") - all.mean("unreachable")) / (100 - all.mean("unreachable")))};
  return told;
}

}  // namespace

Item pruned() {
  return {7,
          "pruned",
          "Share of the lattice that is pruned, pendulum",
          "Pruning unvisited cells removes 94 to 98% of the table, and more as training concentrates the policy.",
          {"cells of the lattice of observations (cos, sin, speed), 35 quantile bins each", "visits of 200 rollouts"},
          {Teacher::pendulum_v0, Teacher::pendulum},
          true,
          4,
          1,
          measure,
          pruned_rules,
          tell,
          pendulum_envs()};
}

}  // namespace mercer::paper
