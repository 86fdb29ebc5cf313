// A policy of your own: a logistic one for the cart-pole, played against the uniform policy on the same episodes.

#include <cmath>
#include <cstdio>
#include <memory>

#include <mercer/mercer.hpp>

// P(push right) = 1 / (1 + exp(-x)), x = 2 position + 3 speed + 20 angle + 8 angular speed.
class Logistic final : public mercer::Policy {
 public:
  explicit Logistic(const mercer::Task& task) : Policy("logistic", mercer::contract_of(task)) {}

  void sample(mercer::MatrixView<const double> observation, const mercer::Draws& draws,
              mercer::MatrixView<double> action) const override {
    for (std::size_t i = 0; i < action.cols(); ++i) action(0, i) = draws.random(i).uniform() < right(observation, i);
  }
  void mean_action(mercer::MatrixView<const double> observation, mercer::MatrixView<double> action) const override {
    for (std::size_t i = 0; i < action.cols(); ++i) action(0, i) = right(observation, i) > 0.5;
  }
  void log_prob(mercer::MatrixView<const double> observation, mercer::MatrixView<const double> action,
                std::span<double> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = std::log(action(0, i) == 1 ? right(observation, i) : 1 - right(observation, i));
    }
  }

 private:
  static double right(mercer::MatrixView<const double> s, std::size_t i) {
    return 1 / (1 + std::exp(-(2 * s(0, i) + 3 * s(1, i) + 20 * s(2, i) + 8 * s(3, i))));
  }
};

int main() try {
  mercer::EvaluateRequest request;
  request.task.env = "cart-pole";
  request.policy.object = std::make_shared<Logistic>(mercer::make_env("cart-pole")->task());
  request.against.policy = "uniform";
  request.seed = 1;
  const mercer::EvaluateResult result = mercer::evaluate(request);
  std::printf("%s: mean return %.2f, %s %.2f\n", result.policy.c_str(), result.returns.mean,
              result.against->policy.c_str(), result.against->returns.mean);
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.exit_code();
}
