// A task of your own: hold a car at 20 m/s on a hilly road. Built as a shared library, the same file is a plug-in:
//
//   mercer evaluate --plugin ./cruise.so --env cruise:hill=2 --policy uniform

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include <mercer/mercer.hpp>

class Cruise final : public mercer::Env {
 public:
  explicit Cruise(double hill)
      : Env({"cruise",
             mercer::Space::box({{"speed", {0, 50}, "m/s"}, {"place", {0, HUGE_VAL}, "m"}}),
             mercer::Space::box({{"speed", {0, 50}, "m/s"}, {"place", {0, HUGE_VAL}, "m"}}),
             mercer::Space::box({{"throttle", {-1, 1}}}),
             {-1, 0},  // reward of a step
             300,      // time limit
             0.99,     // discount
             0.1}),    // seconds a step
        hill_(hill) {}

  void reset(const mercer::Draws& draws, mercer::MatrixView<double> state) const override {
    draws.fill_uniform(state.row(0), 10, 30);
    for (double& place : state.row(1)) place = 0;
  }

  void step(mercer::MatrixView<double> state, mercer::MatrixView<const double> action, const mercer::Draws&,
            std::span<double> reward, std::span<std::uint8_t> terminated) const override {
    for (std::size_t i = 0; i < state.cols(); ++i) {
      double& speed = state(0, i);
      double& place = state(1, i);
      speed += 0.1 * (3 * action(0, i) - hill_ * std::sin(place / 50) - 0.01 * speed);
      speed = std::min(std::max(speed, 0.0), 50.0);
      place += 0.1 * speed;
      reward[i] = -std::min(std::abs(speed - 20) / 30, 1.0);
      terminated[i] = 0;
    }
  }

 private:
  double hill_;
};

const mercer::RegisterEnv once{{"cruise", "hold a car at 20 m/s on a hilly road", "hill=1", [](mercer::Params& params) {
                                  return std::make_unique<Cruise>(params.number("hill", 1, 0, 10));
                                }}};

int main() try {
  mercer::EvaluateRequest request;
  request.task.env = "cruise:hill=2";
  request.policy.policy = "uniform";
  request.seed = 1;
  std::printf("cruise: mean return %.2f\n", mercer::evaluate(request).returns.mean);
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.exit_code();
}
