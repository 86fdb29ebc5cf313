#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "core/time_left.hpp"
#include "mercer/parallel.hpp"

namespace mercer {

/// One bar for work of several phases, whose parts each report their own share from 0 to 1. What is passed on is the
/// name of the phase and the share of all the time that has passed, as far as can be told: 0 as long as nothing is
/// known.
///
/// Costs are what the phases are expected to take, in a unit that all of them have in common, such as episodes. Only
/// their ratios matter: how long a unit takes is measured, of each phase as soon as it has begun.
class Phases {
 public:
  struct Phase {
    std::string name;  ///< empty: what its parts call themselves is passed on
    double cost = 1;
  };
  using Place = std::size_t;

  /// `outer` must outlive this.
  Phases(const Progress& outer, std::vector<Phase> phases, SecondsClock clock = steady_seconds);
  Phases(const Phases&) = delete;
  Phases& operator=(const Phases&) = delete;

  /// For the parts of the work.
  const Progress& inner() const { return inner_; }
  /// The next part is one of this phase, and costs so much of it. A phase may be left and taken up again.
  void begin(Place phase, double cost);
  /// The phase begins, and is one part.
  void begin(Place phase) { begin(phase, phases_[phase].cost); }
  /// From here on this phase costs so much in all.
  void expect(Place phase, double cost);

 private:
  struct State {
    double done = 0, took = 0;  // cost of parts that are over, and the seconds that they took
  };

  void end_part(double now);
  void report(std::string_view stage, double fraction);
  double left(double now) const;

  const Progress& outer_;
  Progress inner_;
  std::vector<Phase> phases_;
  std::vector<State> states_;
  SecondsClock clock_;
  double begin_, part_begin_;
  Place at_ = 0;
  double part_ = 0, fraction_ = 0;  // cost of the current part, and what is done of it
  std::mutex mutex_;
};

/// For parts that are too short for the bar: they can be stopped, and say what they have to say.
inline Progress without_bar(const Progress& progress) { return {{}, progress.stop, progress.note}; }

}  // namespace mercer
