#include "core/phases.hpp"

#include <algorithm>

namespace mercer {

Phases::Phases(const Progress& outer, std::vector<Phase> phases, SecondsClock clock)
    : outer_(outer),
      inner_(outer),
      phases_(std::move(phases)),
      states_(phases_.size()),
      clock_(std::move(clock)),
      begin_(clock_()),
      part_begin_(begin_) {
  if (!outer.report) return;
  inner_.report = [this](std::string_view stage, double fraction) { report(stage, fraction); };
}

void Phases::begin(Place phase, double cost) {
  const std::scoped_lock lock(mutex_);
  end_part(clock_());
  at_ = phase;
  part_ = cost;
}

void Phases::expect(Place phase, double cost) {
  const std::scoped_lock lock(mutex_);
  phases_[phase].cost = cost;
}

void Phases::end_part(double now) {
  if (part_ > 0) {  // what comes before the first part belongs to none
    states_[at_].done += part_;
    states_[at_].took += now - part_begin_;
  }
  part_ = fraction_ = 0;
  part_begin_ = now;
}

// A phase that has begun is as slow as it was; one that has not, as all of them together.
double Phases::left(double now) const {
  double done = 0, took = 0;
  const auto measured = [&](Place i) {
    const bool current = i == at_;
    return State{states_[i].done + (current ? part_ * fraction_ : 0),
                 states_[i].took + (current ? now - part_begin_ : 0)};
  };
  for (Place i = 0; i < phases_.size(); ++i) {
    const State one = measured(i);
    if (one.done > 0) {
      done += one.done;
      took += one.took;
    }
  }
  if (!(done > 0)) return -1;
  double left = 0;
  for (Place i = 0; i < phases_.size(); ++i) {
    const State one = measured(i);
    const double rate = one.done > 0 ? one.took / one.done : took / done;
    const double begun = i == at_ ? states_[i].done + part_ : states_[i].done;  // the current part is done to its end
    left += rate * (std::max(phases_[i].cost, begun) - one.done);
  }
  return left;
}

void Phases::report(std::string_view stage, double fraction) {
  const std::scoped_lock lock(mutex_);
  fraction_ = std::clamp(fraction, 0.0, 1.0);
  const double now = clock_(), passed = now - begin_, rest = left(now);
  const std::string& name = phases_[at_].name;
  const double share = rest < 0 || !(passed > 0) ? 0 : passed / (passed + rest);
  outer_.report(name.empty() ? stage : std::string_view(name), share);
}

}  // namespace mercer
