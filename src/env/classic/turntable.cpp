#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "env/classic/tasks.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

constexpr double pi = std::numbers::pi;

// Near its place a bump is a Gaussian of standard deviation `width`; on the circle it is smooth everywhere.
struct Bump {
  double place;
  double width;
  double height;
  double at(double angle) const { return height * std::exp((std::cos(angle - place) - 1) / (width * width)); }
  Range range() const {
    const double foot = height * std::exp(-2 / (width * width));
    return {std::min(foot, height), std::max(foot, height)};
  }
};

Task turntable_task(const std::vector<Bump>& bumps) {
  Range reward;
  for (const Bump& bump : bumps) {
    reward.low += bump.range().low;
    reward.high += bump.range().high;
  }
  return {"turntable",
          Space::discrete("table", 1),
          Space::discrete("table", 1),
          Space::box({{"angle", {-pi, pi}, "rad", true}}),
          reward,
          1,
          1,
          0};
}

// One step, one state: the action is an angle and the reward the sum of the bumps there.
class Turntable final : public Env {
 public:
  explicit Turntable(std::vector<Bump> bumps) : Env(turntable_task(bumps)), bumps_(std::move(bumps)) {}

  void reset(const Draws&, MatrixView<double> state) const override { std::ranges::fill(state.row(0), 0.0); }

  void step(MatrixView<double>, MatrixView<const double> action, const Draws&, std::span<double> reward,
            std::span<std::uint8_t> terminated) const override {
    std::ranges::fill(terminated, std::uint8_t{1});
    for (std::size_t i = 0; i < reward.size(); ++i) {
      double sum = 0;
      for (const Bump& bump : bumps_) sum += bump.at(action(0, i));
      reward[i] = sum;
    }
  }

  Range return_range(std::uint32_t) const override { return task().reward; }  // an episode is one step

 private:
  std::vector<Bump> bumps_;
};

// By default evenly spaced, equally wide, the j-th of height (j+1)/M, so that there is one best angle.
std::vector<Bump> read_bumps(Params& params) {
  const std::size_t standard = params.integer("bumps", 8, 1, 10000);
  std::vector<double> places, heights;
  for (std::size_t j = 0; j < standard; ++j) {
    places.push_back(-pi + (static_cast<double>(j) + 0.5) * 2 * pi / static_cast<double>(standard));
    heights.push_back(static_cast<double>(j + 1) / static_cast<double>(standard));
  }
  places = params.numbers("places", places, -pi, pi);
  const std::vector<double> widths = params.numbers("widths", std::vector<double>(places.size(), 0.2), 1e-3, 1e3);
  if (heights.size() != places.size()) heights.assign(places.size(), 1);
  heights = params.numbers("heights", heights, -1e6, 1e6);
  if (places.empty() || widths.size() != places.size() || heights.size() != places.size()) {
    throw Error(
        ErrorCode::shape_mismatch,
        fmt::format("turntable has {} places, {} widths and {} heights", places.size(), widths.size(), heights.size()),
        "Give one place, one width and one height for each bump, separated by ';'");
  }
  std::vector<Bump> bumps;
  for (std::size_t j = 0; j < places.size(); ++j) bumps.push_back({places[j], widths[j], heights[j]});
  return bumps;
}

}  // namespace

EnvEntry turntable_entry() {
  return {"turntable", "one-step bandit on a circle: the reward is a sum of bumps at the chosen angle",
          "bumps=8,places=A;B;...,widths=A;B;...,heights=A;B;...",
          [](Params& params) { return std::make_unique<Turntable>(read_bumps(params)); }};
}

}  // namespace mercer
