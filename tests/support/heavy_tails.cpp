// A task without a range of returns, as a plug-in: one step, two actions, rewards with heavy tails on both sides.
//
//   mercer certify tabular:b.json --plugin bin/heavy_tails.so --env heavy-tails:shift=1,scale=2 --policy tabular:a.json

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "mercer/env.hpp"

namespace {

constexpr double base = 5, infinity = std::numeric_limits<double>::infinity();

// Action 0 earns base + z, action 1 base - shift + scale z with P(|z| > x) = (1 + x)^-3.
class HeavyTails final : public mercer::Env {
 public:
  HeavyTails(double shift, double scale)
      : Env({"heavy-tails",
             mercer::Space::discrete("state", 1),
             mercer::Space::discrete("state", 1),
             mercer::Space::discrete("action", 2),
             {-infinity, infinity},
             1,
             1,
             0}),
        shift_(shift),
        scale_(scale) {}

  void reset(const mercer::Draws&, mercer::MatrixView<double> state) const override {
    std::ranges::fill(state.row(0), 0.0);
  }

  void step(mercer::MatrixView<double>, mercer::MatrixView<const double> action, const mercer::Draws& draws,
            std::span<double> reward, std::span<std::uint8_t> terminated) const override {
    for (std::size_t i = 0; i < reward.size(); ++i) {
      const double w = 2 * draws.random(i).uniform() - 1;
      const double z = std::copysign(std::pow(std::max(1 - std::abs(w), 1e-15), -1.0 / 3) - 1, w);
      reward[i] = action(0, i) == 0 ? base + z : base - shift_ + scale_ * z;
      terminated[i] = 1;
    }
  }

 private:
  double shift_, scale_;
};

const mercer::RegisterEnv once{{"heavy-tails", "rewards without bounds", "shift=1,scale=1", [](mercer::Params& params) {
                                  return std::make_unique<HeavyTails>(params.number("shift", 1, -100, 100),
                                                                      params.number("scale", 1, 0, 100));
                                }}};

}  // namespace
