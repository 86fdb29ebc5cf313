#pragma once

#include <atomic>

#include "mercer/rollout.hpp"

namespace mercer {

/// A player of somebody else's: plays a task of the library and shows nothing of it but its contract.
class Stranger : public Player {
 public:
  Stranger(const Env& env, std::optional<Range> returns, bool parallel)
      : inner_(env), returns_(returns), parallel_(parallel) {}

  const Task& task() const override { return inner_.task(); }
  std::vector<Outcome> play(const Policy& policy, const Episodes& episodes,
                            const Progress& progress = {}) const override {
    const Playing one(*this);
    return inner_.play(policy, episodes, progress);
  }
  Rollouts roll_out(const Policy& policy, const Episodes& episodes, const Progress& progress = {}) const override {
    const Playing one(*this);
    return inner_.roll_out(policy, episodes, progress);
  }
  std::optional<Range> return_range(std::uint32_t, double = 1) const override { return returns_; }
  bool parallel() const override { return parallel_; }

  /// The most policies that were ever played at once.
  int most_at_once() const { return most_; }

 private:
  struct Playing {
    explicit Playing(const Stranger& of) : own(of) {
      const int now = ++own.now_;
      int most = own.most_;
      while (now > most && !own.most_.compare_exchange_weak(most, now)) {
      }
    }
    ~Playing() { --own.now_; }
    Playing(const Playing&) = delete;
    Playing& operator=(const Playing&) = delete;
    const Stranger& own;
  };

  EnvPlayer inner_;
  std::optional<Range> returns_;
  bool parallel_;
  mutable std::atomic<int> now_ = 0, most_ = 0;
};

}  // namespace mercer
