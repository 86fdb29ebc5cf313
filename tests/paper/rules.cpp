// Every rule on made-up data of ten seeds: where the claim is true of them every rule holds, where its opposite is, all
// fail, and of two seeds nothing random is decided.
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "paper/curves.hpp"
#include "paper/item.hpp"

namespace mercer::paper {
namespace {

using Maker = Tables (*)(bool good, std::size_t seeds);

constexpr const char* made_env = "pendulum-v0";

template <class Add>
void for_seeds(std::size_t seeds, Add add) {
  for (std::size_t seed = 0; seed < seeds; ++seed) add(static_cast<double>(seed));
}

Tables turntable_data(bool good, std::size_t seeds) {
  Frame frame{{"seed", "method", "k", "w1"}}, widths{{"seed", "width", "k", "w1"}};
  for_seeds(seeds, [&](double seed) {
    const double apart = (static_cast<int>(seed) % 2 == 0 ? -0.5 : 0.5) * (1 + 0.01 * seed);
    for (const double k : {1.0, 10.0, 30.0, 60.0, 70.0, 100.0}) {
      const double late = k > 60 ? 1 : 0, shake = apart * (good ? 0.01 + late : 1.01 - late);
      frame.add({seed, "dft", k, k == 1 ? 1.0 : good ? 0.01 : 0.9});
      frame.add({seed, "gmm", k, (good ? 1 + late : 3 - late) + shake});
      frame.add({seed, "gmm-grid", k, 0.05});
      frame.add({seed, "fixed-gmm", k, good ? 0.5 : 0.2});
    }
    for (const double width : {0.2, 0.4, 0.8}) {
      for (const double k : {1.0, 10.0, 20.0}) widths.add({seed, width, k, 1 / k});
    }
  });
  return {{"w1", frame}, {"widths", widths}};
}

Tables bandit_data(bool good, std::size_t seeds) {
  Frame reward{{"seed", "order", "k", "greedy", "sampled"}}, energy{{"seed", "share"}},
      snr{{"seed", "arms", "lambda", "printed", "measured"}};
  for_seeds(seeds, [&](double seed) {
    for (double k = 1; k <= 20; ++k) {
      for (const char* order : {"largest", "lowest"}) reward.add({seed, order, k, good ? 0.4 : 0.1, good ? 0.4 : 0.1});
    }
    reward.add({seed, "whole", 50.0, 0.2, 0.2});
    reward.add({seed, "best", 50.0, 0.4, 0.4});
    energy.add({seed, 0.5});
    for (const double arms : {10.0, 50.0, 1000.0}) snr.add({seed, arms, 0.2, arms / 0.4, good ? arms / 0.5 : 0.1});
  });
  return {{"reward", reward}, {"energy", energy}, {"snr", snr}};
}

// Returns around a teacher at 100 over four K: `first` away from it at the fewest, `last` at the most, in between
// evenly.
void add_curve(Frame& frame, double seed, double steps, const std::string& basis, double first, double last) {
  for (double rank = 0; rank < 4; ++rank) {
    const double gap = first + (last - first) * rank / 3;
    frame.add({made_env, seed, steps, basis, 1 + rank, rank, 10 * (1 + rank), 100 - gap, 5.0, 0.0, 0.0});
  }
}
void add_references(Frame& frame, double seed, double steps, double lattice) {
  frame.add({made_env, seed, steps, "teacher", 0.0, 0.0, 1000.0, 100.0, 5.0, 0.0, 0.0});
  frame.add({made_env, seed, steps, "lattice", 0.0, 0.0, 1000.0, lattice, 5.0, 0.0, 0.0});
}

Tables mountain_car_data(bool good, std::size_t seeds) {
  Frame frame{curve_columns()};
  for_seeds(seeds, [&](double seed) {
    add_references(frame, seed, 25'000, 99);
    add_curve(frame, seed, 25'000, "mle", 20, 1);
    add_curve(frame, seed, 25'000, "fourier", good ? 30 : 20, good ? 1 : 40);
    add_curve(frame, seed, 25'000, "db4", good ? 20 : 30, good ? 1 : 50);
    add_curve(frame, seed, 25'000, "svd", 20, good ? 1 : 50);
  });
  return {{"returns", frame}};
}

Tables pendulum_data(bool good, std::size_t seeds) {
  Frame frame{curve_columns()};
  for_seeds(seeds, [&](double seed) {
    for (const double steps : {2000.0, 5000.0}) {
      add_references(frame, seed, steps, 100);
      add_curve(frame, seed, steps, "fourier", 20, good ? 0.5 : 21);
      add_curve(frame, seed, steps, "db4", good ? 25 : 5, good ? 0.5 : 6);
      add_curve(frame, seed, steps, "svd", good ? 25 : 40, good ? 0.5 : 50);
      add_curve(frame, seed, steps, "fourier-sorted", 1, 1);
    }
  });
  return {{"returns", frame}};
}

Tables spread_data(bool good, std::size_t seeds) {
  Frame frame{{"env", "seed", "policy", "method", "mean", "sd", "printed_true", "printed_truncated"}};
  for_seeds(seeds, [&](double seed) {
    for (const char* policy : {"pendulum-2k", "pendulum-3k", "pendulum-4k", "pendulum-5k", "mountain-car"}) {
      const char* env = policy == std::string("mountain-car") ? "any" : made_env;
      for (const char* method : {"teacher", "lattice", "better-lattice", "fourier-literal"}) {
        frame.add({env, seed, policy, method, -100.0, 10 + 0.01 * seed, 1.0, 1.0});
      }
      for (const char* method : {"fourier", "db4", "svd"}) {
        frame.add({env, seed, policy, method, -100.0, good ? 5.0 : 20.0, 1.0, 1.0});
      }
    }
  });
  return {{"spread", frame}};
}

Tables pruned_data(bool good, std::size_t seeds) {
  Frame frame{{"env", "seed", "steps", "episodes", "pruned", "unreachable", "printed"}};
  const std::map<double, double> printed{{2000, 94.4}, {3000, 94.5}, {4000, 94.6}, {5000, 98.4}};
  for_seeds(seeds, [&](double seed) {
    double worse = 80;
    for (const auto& [steps, share] : printed) {
      frame.add({made_env, seed, steps, 200.0, good ? share + 1 : worse--, 88.0, share});
    }
  });
  return {{"pruned", frame}};
}

Tables stationary_data(bool good, std::size_t seeds) {
  Frame frame{{"env", "seed", "head", "steps", "basis", "k", "k_rank", "parameters", "w1_lattice", "w1_teacher"}};
  for_seeds(seeds, [&](double seed) {
    for (const char* head : {"gaussian", "boltzmann"}) {
      frame.add({made_env, seed, head, 5000.0, "lattice", 9.0, 0.0, 9.0, 0.01, 0.1});
      for (const char* basis : {"fourier", "db4", "svd"}) {
        for (double rank = 0; rank < 5; ++rank) {
          const double parameters = std::pow(10, 1 + rank), w1 = 3 * std::pow(parameters, good ? -1.0 : -0.2);
          frame.add({made_env, seed, head, 5000.0, basis, 1 + rank, rank, parameters, std::max(w1, 0.012), 0.5});
        }
      }
    }
  });
  return {{"w1", frame}};
}

Tables discretisation_data(bool good, std::size_t seeds) {
  Frame bins{{"seed", "task", "bins", "teacher", "lattice", "error"}},
      episodes{{"seed", "task", "episodes", "full", "pruned", "error", "unvisited"}};
  for_seeds(seeds, [&](double seed) {
    for (const char* task : {"mountain-car-gaussian", "pendulum-boltzmann"}) {
      for (const double step : {1.0, 2.0, 3.0, 4.0}) {
        const double error = good ? 60 - 10 * step : 10 + 10 * step;
        bins.add({seed, task, 5 * step, -100.0, -150.0, error});
        episodes.add({seed, task, 50 * step, -100.0, -150.0, error, 90.0});
      }
    }
  });
  return {{"discretisation", bins}, {"pruning", episodes}};
}

Tables chain_data(bool good, std::size_t seeds) {
  const std::vector<std::string> columns{"seed", "policy", "states", "k", "l2", "l1", "printed", "c1", "c3"};
  Frame components{columns}, states{columns};
  for_seeds(seeds, [&](double seed) {
    for (double k = 1; k < 6; ++k) {
      for (const char* policy : {"varying", "constant"}) {
        components.add({seed, policy, 20.0, k, 0.1, 0.2, good ? 10 / k : 0.01 * k, 1.0, 1.0});
      }
      states.add({seed, "varying", 4 * k, 2 * k, 0.1, 0.2, good ? 10 * k : 0.1 / k, 1.0, 1.0});
    }
  });
  return {{"components", components}, {"states", states}};
}

Tables binning_data(bool good, std::size_t seeds) {
  Frame edges{{"seed", "case", "axis", "bin", "low", "high", "count"}}, histogram{{"seed", "case", "x", "y", "count"}},
      returns{{"seed", "mean", "sd"}};
  // Wide, dense at -1, a gap, dense at 1, wide; or the other way round.
  const std::vector<double> low =
      good ? std::vector{-3.0, -1.05, -0.95, 0.95, 1.05, 6.0} : std::vector{-1.6, -1.5, -0.6, 0.6, 1.5, 1.6};
  for_seeds(seeds, [&](double seed) {
    for (const char* axis : {"x", "y"}) {
      for (std::size_t b = 0; b + 1 < low.size(); ++b) {
        edges.add({seed, "gaussians", axis, double(b), low[b], low[b + 1], good ? 10.0 : double(b)});
      }
    }
    histogram.add({seed, "mountain-car", -0.5, 0.0, good ? 100.0 : 1.0});
    histogram.add({seed, "mountain-car", 0.4, 0.0, 10.0});
    returns.add({seed, good ? -105.0 : -200.0, 1.0});
  });
  return {{"edges", edges}, {"histogram", histogram}, {"returns", returns}};
}

Tables polar_data(bool good, std::size_t seeds) {
  Frame frame{{"env", "seed", "head", "steps", "states", "entropy", "even_entropy", "return"}};
  for_seeds(seeds, [&](double seed) {
    for (const char* head : {"gaussian", "boltzmann"}) {
      frame.add({made_env, seed, head, 2000.0, 100.0, 0.7, 0.7, -1000.0});
      frame.add({made_env, seed, head, 5000.0, 100.0, good ? 0.2 : 0.8, 0.5, -200.0});
    }
  });
  return {{"entropy", frame}};
}

// One run of times: there are no seeds.
Tables complexity_data(bool good, std::size_t) {
  Frame frame{{"method", "rows", "columns", "k", "seconds"}}, sampling{{"bins", "count", "entropy", "nanoseconds"}};
  const double power = good ? 1.05 : 2;
  for (const double rows : {256.0, 512.0, 1024.0, 2048.0, 4096.0}) {
    const double noise = rows == 512 ? 1.02 : 1;
    frame.add({"fft", rows, 64.0, 0.0, 1e-5 * std::pow(rows, power) * noise});
    frame.add({"dwt", rows, 64.0, 0.0, 1e-5 * std::pow(rows, power) * noise});
    for (const double k : {1.0, 2.0, 4.0, 8.0, 16.0}) {
      frame.add({"svd", rows, 64.0, k, (good ? 1e-7 : 1e-4) * std::pow(rows, power) * std::pow(k, power) * noise});
    }
  }
  for (const double rows : {64.0, 256.0}) frame.add({"gmm", rows, 64.0, 4.0, good ? rows : 1e-9 * rows});
  sampling.add({"even", 64.0, 0.6, 10.0});
  sampling.add({"quantile", 64.0, 0.8, good ? 8.0 : 11.0});
  sampling.add({"uniform", 64.0, 1.0, 1.0});
  return {{"times", frame}, {"sampling", sampling}};
}

Tables additions_data(bool good, std::size_t seeds) {
  Frame frame{{"env", "seed", "task", "method", "k", "parameters", "bytes", "teacher", "mean", "sd", "loss_percent"}};
  for_seeds(seeds, [&](double seed) {
    for (const char* task : {"pendulum", "mountain-car"}) {
      const char* env = task == std::string("pendulum") ? made_env : "any";
      const auto add = [&](const char* method, double loss) {
        frame.add({env, seed, task, method, 1.0, 1.0, 1.0, -100.0, -100 - loss, 1.0, loss});
      };
      add("published", 50);
      for (const char* method : {"tempered", "nearest", "mass"}) add(method, good ? 30 : 60);
      for (const char* method : {"all-three", "continuous"}) add(method, good ? 1.5 : 40);
      for (const char* method : {"best", "cosines", "published-dft", "mean-action", "polished"}) add(method, 1);
    }
  });
  return {{"loss", frame}};
}

// One policy for each task: there are no seeds.
Tables real_size_data(bool good, std::size_t) {
  Frame cells{{"task", "dimensions", "actions", "bins", "cells", "columns", "states", "visited", "met"}},
      loss{{"task", "dimensions", "method", "numbers", "teacher", "mean", "loss_percent"}};
  for (const double d : {2.0, 3.0, 8.0, 17.0}) {
    for (const double bins : {3.0, 10.0, 35.0}) {
      const double met = good ? (bins == 35 && d > 3 ? 0 : 100 / d) : 50 + d;
      cells.add({"task", d, 1.0, bins, std::pow(bins, d), 15.0, 1000.0, 100.0, met});
    }
    for (const char* method : {"paper lattice", "truncated paper lattice", "best lattice", "16 ridges"}) {
      loss.add({"task", d, method, 10.0, 100.0, 100.0, good ? 5 * d : 1.0});
    }
    loss.add({"task", d, "64 ridges", 10.0, 100.0, 100.0, 5.0});
  }
  return {{"cells", cells}, {"loss", loss}};
}

Tables rates_data(bool good, std::size_t seeds) {
  Frame frame{{"seed", "domain", "norm", "k", "error"}};
  for_seeds(seeds, [&](double seed) {
    const auto add = [&](const char* domain, const char* norm, double exponent) {
      for (double k = 2; k <= 32; k *= 2) frame.add({seed, domain, norm, k, std::pow(k, good ? exponent : 0.1)});
    };
    for (const char* domain : {"step", "hat", "analytic", "turntable", "chain", "pendulum"}) add(domain, "l1", -1);
    add("smooth hat", "l1", -1), add("hat", "sup", -3), add("smooth hat", "sup", -5), add("hat", "l2 squared", -3);
    add("mixture", "kl over k", -1), add("mixture", "kl over n", -1), add("sampling", "rms", -0.5);
  });
  return {{"rates", frame}};
}

Tables kernels_data(bool good, std::size_t seeds) {
  Frame frame{{"seed", "sharpness", "norm", "largest", "k", "printed", "l1"}};
  for_seeds(seeds, [&](double seed) {
    for (const double sharp : {0.0, 1.0, 2.0, 4.0}) {
      const double way = good ? sharp : -sharp;
      for (double k = 4; k < 40; k *= 2) {
        frame.add({seed, sharp, 1 + sharp, 1.0, k, 100 * std::exp(way) * std::pow(k, -2 + 0.1 * way), 0.5 + 0.1 * way});
      }
    }
  });
  return {{"bounds", frame}};
}

Tables printed_data(bool good, std::size_t seeds) {
  Frame frame{{"seed", "task", "variant", "share", "k", "tv", "w1", "teacher", "lattice", "mean"}};
  for_seeds(seeds, [&](double seed) {
    for (const char* task : {"pendulum", "mountain-car"}) {
      for (const std::string variant : {"right", "real-part", "by-sign", "one-more", "flat-inverse", "printed"}) {
        for (const double share : {0.1, 0.5, 1.0}) {
          const bool harmless = variant == "right" || (variant == "one-more") == good;
          frame.add({seed, task, variant, share, 10.0, harmless ? 0.1 : 0.4, 0.1, -100.0, -100.0, -100.0});
        }
      }
    }
  });
  return {{"defects", frame}};
}

Tables mixtures_data(bool good, std::size_t seeds) {
  Frame frame{{"seed", "task", "k", "restart", "train", "test", "collapsed", "rounds"}};
  for_seeds(seeds, [&](double seed) {
    for (const char* task : {"pendulum", "mountain-car"}) {
      for (double k = 2; k <= 32; k *= 2) {
        for (const double restart : {-1.0, 1.0}) {
          frame.add({seed, task, k, restart, 1.0, 1 - 0.01 * k + restart * (good ? k : 1 / k), good ? k : 0.0, 50.0});
        }
      }
    }
  });
  return {{"fits", frame}};
}

Tables variance_data(bool good, std::size_t seeds) {
  Frame frame{{"seed", "case", "positive", "condition1", "condition2", "condition3", "lower_return", "v_true",
               "v_truncated", "shrinks"}},
      student{{"seed", "degrees", "place", "meets"}};
  for_seeds(seeds, [&](double seed) {
    for (double i = 0; i < 20; ++i) {
      const bool met = good || i == 0, lower = i > 0;  // one that meets the conditions, so that the rest can be judged
      frame.add({seed, i, 1.0, double(met), double(met), double(met), double(lower), 1.0, 1.0, double(good)});
    }
    student.add({seed, 3.0, 0.0, 1.0});
    student.add({seed, 3.0, 2.0, double(good)});
  });
  return {{"cases", frame}, {"student", student}};
}

const std::map<std::string, Maker>& makers() {
  static const std::map<std::string, Maker> all{{"turntable", turntable_data},
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
                                                {"additions", additions_data},
                                                {"real-size", real_size_data},
                                                {"rates", rates_data},
                                                {"kernels", kernels_data},
                                                {"printed", printed_data},
                                                {"mixtures", mixtures_data},
                                                {"variance", variance_data}};
  return all;
}

TEST(Rules, hold_where_the_claims_do_and_fail_where_they_do_not) {
  for (const Item& item : all_items()) {
    ASSERT_TRUE(makers().contains(item.id)) << item.id;
    const Verdict good = judge(item, makers().at(item.id)(true, 10)).front().verdict,
                  bad = judge(item, makers().at(item.id)(false, 10)).front().verdict;
    EXPECT_FALSE(good.rules.empty() || good.saw.empty()) << item.id;
    for (const Rule& rule : good.rules) {
      EXPECT_EQ(rule.outcome, Outcome::holds)
          << item.id << ": " << rule.name << " " << rule.effect << " " << rule.bound << " p " << rule.adjusted;
    }
    for (const Rule& rule : bad.rules) {
      EXPECT_EQ(rule.outcome, Outcome::fails)
          << item.id << ": " << rule.name << " " << rule.effect << " " << rule.bound;
    }
    EXPECT_EQ(good.word(), "holds") << item.id;
    EXPECT_EQ(bad.word(), "does not hold") << item.id;
  }
}

TEST(Rules, of_two_seeds_decide_nothing_random) {
  for (const Item& item : all_items()) {
    const Verdict two = judge(item, makers().at(item.id)(true, 2)).front().verdict;
    for (const Rule& rule : two.rules) {
      const bool counted = rule.certain() || rule.test.starts_with("Student's t of a regression");
      EXPECT_EQ(rule.outcome, counted ? Outcome::holds : Outcome::undecided) << item.id << ": " << rule.name;
    }
  }
}

// The other environment stands beside, judged on its own rows; rows of tasks without variants count for both.
TEST(Rules, judge_each_environment_by_itself) {
  for (const Item& item : all_items()) {
    if (item.envs.empty()) continue;
    Tables tables = makers().at(item.id)(true, 10), other = makers().at(item.id)(false, 10);
    for (auto& [name, frame] : other) {
      const std::size_t at = frame.column("env");
      std::erase_if(frame.rows, [&](const auto& row) { return row[at] == Cell("any"); });
      for (auto& row : frame.rows) row[at] = "pendulum";
    }
    append(tables, other);
    const std::vector<Judged> judged = judge(item, tables);
    ASSERT_EQ(judged.size(), 2U) << item.id;
    EXPECT_EQ(judged[0].env, "pendulum-v0");
    EXPECT_EQ(judged[0].verdict.word(), "holds") << item.id;
    EXPECT_NE(judged[1].verdict.word(), "holds") << item.id;
  }
}

}  // namespace
}  // namespace mercer::paper
