// Every rule on made-up data: where the claim is true of them the verdict is "holds", where its opposite is, none
// holds.
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "paper/curves.hpp"
#include "paper/item.hpp"

namespace mercer::paper {
namespace {

using Maker = Tables (*)(bool good);

Tables turntable_data(bool good) {
  Frame frame{{"seed", "method", "k", "w1"}};
  for (const double seed : {0.0, 1.0}) {
    for (const double k : {1.0, 10.0, 30.0, 60.0, 70.0, 100.0}) {
      const double late = k > 60 ? 1 : 0, shake = (seed - 0.5) * (good ? 0.01 + late : 1 - late);
      frame.add({seed, "dft", k, k == 1 ? 1.0 : good ? 0.01 : 0.9});
      frame.add({seed, "gmm", k, (good ? 0.1 + late : 2.1 - late) + shake});
      frame.add({seed, "gmm-grid", k, 0.05});
      frame.add({seed, "fixed-gmm", k, good ? 0.5 : 0.2});
    }
  }
  Frame widths{{"seed", "width", "k", "w1"}};
  for (const double width : {0.2, 0.4, 0.8}) {
    for (const double k : {1.0, 10.0, 20.0}) widths.add({0.0, width, k, 1 / k});
  }
  return {{"w1", frame}, {"widths", widths}};
}

Tables bandit_data(bool good) {
  Frame reward{{"seed", "order", "k", "greedy", "sampled"}}, energy{{"seed", "share"}};
  for (double k = 1; k <= 10; ++k) {
    for (const char* order : {"largest", "lowest"}) reward.add({0.0, order, k, good ? 0.4 : 0.1, good ? 0.4 : 0.1});
  }
  reward.add({0.0, "whole", 50.0, 0.2, 0.2});
  reward.add({0.0, "best", 50.0, 0.4, 0.4});
  energy.add({0.0, 0.5});
  return {{"reward", reward}, {"energy", energy}};
}

// Returns around a teacher at 100: `gap` away from it with fewest and with most parameters.
void add_curve(Frame& frame, double steps, const std::string& basis, double first, double last) {
  for (const double seed : {0.0, 1.0}) {
    frame.add({seed, steps, basis, 1.0, 0.0, 10.0, 100 - first, 5.0, 0.0, 0.0});
    frame.add({seed, steps, basis, 2.0, 1.0, 20.0, 100 - last, 5.0, 0.0, 0.0});
  }
}
void add_references(Frame& frame, double steps, double lattice) {
  for (const double seed : {0.0, 1.0}) {
    frame.add({seed, steps, "teacher", 0.0, 0.0, 1000.0, 100.0, 5.0, 0.0, 0.0});
    frame.add({seed, steps, "lattice", 0.0, 0.0, 1000.0, lattice, 5.0, 0.0, 0.0});
  }
}

Tables mountain_car_data(bool good) {
  Frame frame{curve_columns()};
  add_references(frame, 25'000, 99);
  add_curve(frame, 25'000, "mle", 20, 1);
  add_curve(frame, 25'000, "fourier", good ? 30 : 20, good ? 1 : 40);
  add_curve(frame, 25'000, "db4", good ? 20 : 30, good ? 1 : 50);
  add_curve(frame, 25'000, "svd", 20, good ? 1 : 50);
  return {{"returns", frame}};
}

Tables pendulum_data(bool good) {
  Frame frame{curve_columns()};
  for (const double steps : {2000.0, 5000.0}) {
    add_references(frame, steps, 100);
    add_curve(frame, steps, "fourier", 20, good ? 0.5 : 20);
    add_curve(frame, steps, "db4", good ? 25 : 9, good ? 0.5 : 5);
    add_curve(frame, steps, "svd", good ? 25 : 30, good ? 0.5 : 30);
    add_curve(frame, steps, "fourier-sorted", 1, 1);
  }
  return {{"returns", frame}};
}

Tables spread_data(bool good) {
  Frame frame{{"seed", "policy", "method", "mean", "sd", "printed_true", "printed_truncated"}};
  for (const char* policy : {"pendulum-2k", "pendulum-3k", "pendulum-4k", "pendulum-5k", "mountain-car"}) {
    for (const char* method : {"teacher", "lattice", "db4", "svd", "better-lattice"}) {
      frame.add({0.0, policy, method, -100.0, 10.0, 1.0, 1.0});
    }
    frame.add({0.0, policy, "fourier", -100.0, good ? 5.0 : 20.0, 1.0, 1.0});
  }
  return {{"spread", frame}};
}

Tables pruned_data(bool good) {
  Frame frame{{"seed", "steps", "episodes", "pruned", "unreachable", "printed"}};
  double worse = 80;
  for (const auto& [steps, printed] :
       std::map<double, double>{{2000, 95.36}, {3000, 94.49}, {4000, 94.59}, {5000, 98.45}}) {
    frame.add({0.0, steps, 200.0, good ? printed + 1 : worse--, 88.0, printed});
  }
  return {{"pruned", frame}};
}

Tables stationary_data(bool good) {
  Frame frame{{"seed", "head", "steps", "basis", "k", "k_rank", "parameters", "w1_lattice", "w1_teacher"}};
  for (const char* head : {"gaussian", "boltzmann"}) {
    frame.add({0.0, head, 5000.0, "lattice", 9.0, 0.0, 9.0, 0.01, 0.1});
    for (const char* basis : {"fourier", "db4", "svd"}) {
      frame.add({0.0, head, 5000.0, basis, 1.0, 0.0, 1.0, 0.5, 0.5});
      frame.add({0.0, head, 5000.0, basis, 2.0, 1.0, 2.0, good ? 0.015 : 0.03, 0.5});
    }
  }
  return {{"w1", frame}};
}

Tables discretisation_data(bool good) {
  Frame bins{{"seed", "task", "bins", "teacher", "lattice", "error"}},
      episodes{{"seed", "task", "episodes", "full", "pruned", "error", "unvisited"}};
  for (const char* task : {"mountain-car-gaussian", "pendulum-boltzmann"}) {
    bins.add({0.0, task, 5.0, -100.0, -150.0, 50.0});
    bins.add({0.0, task, 35.0, -100.0, -110.0, good ? 10.0 : 60.0});
    episodes.add({0.0, task, 5.0, -100.0, -150.0, 50.0, 90.0});
    episodes.add({0.0, task, 200.0, -100.0, -150.0, good ? 5.0 : 50.0, 90.0});
  }
  return {{"discretisation", bins}, {"pruning", episodes}};
}

Tables chain_data(bool good) {
  Frame frame{{"seed", "policy", "states", "k", "l2", "l1", "printed", "c1", "c3"}};
  for (const char* policy : {"varying", "constant"}) {
    frame.add({0.0, policy, 20.0, 1.0, 0.1, 0.2, good ? 10.0 : 0.01, 1.0, 1.0});
    frame.add({0.0, policy, 20.0, 21.0, 0.1, 0.2, good ? 1.0 : 0.05, 1.0, 1.0});
  }
  return {{"components", frame}, {"states", frame}};
}

Tables binning_data(bool good) {
  Frame edges{{"seed", "case", "axis", "bin", "low", "high", "count"}}, histogram{{"seed", "case", "x", "y", "count"}},
      returns{{"seed", "mean", "sd"}};
  // Wide, dense at -1, a gap, dense at 1, wide; or the other way round.
  const std::vector<double> low =
      good ? std::vector{-3.0, -1.05, -0.95, 0.95, 1.05, 6.0} : std::vector{-1.6, -1.5, -0.6, 0.6, 1.5, 1.6};
  for (const char* axis : {"x", "y"}) {
    for (std::size_t b = 0; b + 1 < low.size(); ++b) {
      edges.add({0.0, "gaussians", axis, double(b), low[b], low[b + 1], good ? 10.0 : double(b)});
    }
  }
  histogram.add({0.0, "mountain-car", -0.5, 0.0, good ? 100.0 : 1.0});
  histogram.add({0.0, "mountain-car", 0.4, 0.0, 10.0});
  returns.add({0.0, good ? -105.0 : -200.0, 1.0});
  return {{"edges", edges}, {"histogram", histogram}, {"returns", returns}};
}

Tables polar_data(bool good) {
  Frame frame{{"seed", "head", "steps", "states", "entropy", "even_entropy", "return"}};
  for (const char* head : {"gaussian", "boltzmann"}) {
    frame.add({0.0, head, 2000.0, 100.0, 0.7, 0.7, -1000.0});
    frame.add({0.0, head, 5000.0, 100.0, good ? 0.3 : 0.8, 0.5, -200.0});
  }
  return {{"entropy", frame}};
}

Tables complexity_data(bool good) {
  Frame frame{{"method", "rows", "columns", "k", "seconds"}};
  const double power = good ? 1.05 : 2;
  for (const double rows : {256.0, 1024.0, 4096.0}) {
    frame.add({"fft", rows, 64.0, 0.0, 1e-5 * std::pow(rows, power)});
    frame.add({"dwt", rows, 64.0, 0.0, 1e-5 * std::pow(rows, power)});
    for (const double k : {1.0, 2.0, 4.0, 8.0, 16.0}) {
      frame.add({"svd", rows, 64.0, k, (good ? 1e-7 : 1e-4) * std::pow(rows, power) * std::pow(k, power)});
    }
  }
  return {{"times", frame}};
}

Tables additions_data(bool good) {
  Frame frame{{"seed", "task", "method", "k", "parameters", "bytes", "teacher", "mean", "sd", "loss_percent"}};
  for (const char* task : {"pendulum", "mountain-car"}) {
    const auto add = [&](const char* method, double loss) {
      frame.add({0.0, task, method, 1.0, 1.0, 1.0, -100.0, -100 - loss, 1.0, loss});
    };
    add("published", 50);
    for (const char* method : {"tempered", "nearest", "mass"}) add(method, good ? 30 : 60);
    for (const char* method : {"all-three", "continuous"}) add(method, good ? 1.5 : 40);
    for (const char* method : {"best", "cosines", "published-dft", "mean-action", "polished"}) add(method, 1);
  }
  return {{"loss", frame}};
}

TEST(Rules, SayWhatTheClaimsSay) {
  const std::map<std::string, Maker> makers{{"turntable", turntable_data},
                                            {"bandit", bandit_data},
                                            {"mountain-car", mountain_car_data},
                                            {"pendulum-gaussian", pendulum_data},
                                            {"pendulum-boltzmann", pendulum_data},
                                            {"return-spread", spread_data},
                                            {"pruned", pruned_data},
                                            {"stationary", stationary_data},
                                            {"discretisation", discretisation_data},
                                            {"chain", chain_data},
                                            {"binning", binning_data},
                                            {"polar", polar_data},
                                            {"complexity", complexity_data},
                                            {"additions", additions_data}};
  for (const Item& item : all_items()) {
    ASSERT_TRUE(makers.contains(item.id)) << item.id;
    const Verdict good = item.judge(makers.at(item.id)(true)), bad = item.judge(makers.at(item.id)(false));
    EXPECT_FALSE(good.rules.empty() || good.saw.empty()) << item.id;
    for (const Rule& rule : good.rules)
      EXPECT_TRUE(rule.holds) << item.id << ": " << rule.name << rule.left << " " << rule.right;
    for (const Rule& rule : bad.rules)
      EXPECT_FALSE(rule.holds) << item.id << ": " << rule.name << rule.left << " " << rule.right;
    EXPECT_EQ(good.word(), "holds") << item.id;
    EXPECT_EQ(bad.word(), "does not hold") << item.id;
  }
}

}  // namespace
}  // namespace mercer::paper
