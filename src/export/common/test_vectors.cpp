#include "export/common/test_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "export/common/head.hpp"
#include "mercer/error.hpp"
#include "mercer/random.hpp"

namespace mercer {
namespace {

constexpr std::uint32_t vector_draws = 0x7E57;  // of `Stage::simulate`, apart from made-up processes
constexpr std::size_t most_tries = 200, tries_inside = 32;
constexpr double least_lead = 2e-3;  // of a discrete action of a lattice: twice what exported integers may be off by

// The range of an observation in tests, and how it is drawn.
struct Span {
  double low = 0, high = 0;     // edges
  double mean = 0, spread = 0;  // spread 0: uniform between the edges
  Range legal{};
};

std::vector<Span> spans_of(const Contract& contract, std::span<const Range> seen) {
  std::vector<Span> spans;
  for (std::size_t d = 0; d < contract.observation.dimensions(); ++d) {
    const Range range = contract.observation.axes[d].range;
    const bool known = std::isfinite(range.low) && std::isfinite(range.high);
    if (known || !seen.empty()) {
      const Range used = known ? range : seen[d];
      spans.push_back({used.low, used.high, 0, 0, used});
      continue;
    }
    const Normalisation& normal = contract.normalisation;
    const double mean = normal.empty() ? 0 : normal.mean[d];
    const double spread = normal.empty() ? 1 : std::sqrt(normal.variance[d] + normal.epsilon);
    spans.push_back(
        {std::max(mean - 3 * spread, range.low), std::min(mean + 3 * spread, range.high), mean, spread, range});
    if (!(spans.back().low <= spans.back().high)) {  // the statistics are not of this range
      spans.back() = {std::isfinite(range.low) ? range.low : range.high - spread,
                      std::isfinite(range.high) ? range.high : range.low + spread, 0, 0, range};
    }
  }
  return spans;
}

// The nearest number of single precision that the range holds.
double single_inside(double value, const Range& legal) {
  auto single = static_cast<float>(value);
  if (single < legal.low) single = std::nextafter(single, HUGE_VALF);
  if (single > legal.high) single = std::nextafter(single, -HUGE_VALF);
  return single;
}

class Maker {
 public:
  Maker(const Policy& policy, std::uint64_t seed, std::span<const Range> seen)
      : policy_(policy),
        spans_(spans_of(policy.contract(), seen)),
        seed_(seed),
        n_(spans_.size()),
        m_(policy.action_space().dimensions()) {
    const Contract& contract = policy.contract();
    for (std::size_t a = 0; a < m_; ++a) widths_.push_back(ControllerInterface{contract, {}}.width(a));
    // Float code finds cells and compares numbers with an error of 1e-7, integers with one of 1e-5.
    const bool steps = contract.action.is_discrete() || dynamic_cast<const LatticePolicy*>(&policy) != nullptr;
    nudge_ = std::ldexp(1.0, steps ? -14 : -20);
  }

  void add_edges(std::size_t most) {
    if (policy_.contract().observation.is_discrete()) {
      for (std::size_t s = 0; s < policy_.contract().observation.count && s < most; ++s) {
        given_.push_back(static_cast<double>(s));
      }
      return;
    }
    const auto add = [&](const std::function<double(const Span&, std::size_t)>& value) {
      std::vector<double> one;
      for (std::size_t d = 0; d < n_; ++d) one.push_back(single_inside(value(spans_[d], d), spans_[d].legal));
      if (given_.size() / n_ < most && steady(one) && clear(one)) given_.insert(given_.end(), one.begin(), one.end());
    };
    const auto middle = [](const Span& span) { return span.low + (span.high - span.low) / 2; };
    add([&](const Span& span, std::size_t) { return middle(span); });
    add([](const Span& span, std::size_t) { return span.low; });
    add([](const Span& span, std::size_t) { return span.high; });
    for (std::size_t e = 0; n_ > 1 && e < 2 * n_; ++e) {
      add([&](const Span& span, std::size_t d) {
        return d != e / 2 ? middle(span) : e % 2 == 0 ? span.low : span.high;
      });
    }
  }

  void add_random(std::size_t count) {
    for (std::size_t i = 0; given_.size() / n_ < count; ++i) {
      Random random({seed_, Stage::simulate, i, vector_draws});
      std::size_t tries = 0;
      std::vector<double> one = draw(random);
      // A limited action says little about the numbers before it: every second vector has another one, if that is
      // found.
      while (!steady(one) || (tries < tries_inside && (!clear(one) || (i % 2 == 1 && at_ends(one))))) {
        if (++tries == most_tries) {
          throw Error(ErrorCode::bad_value,
                      fmt::format("policy '{}' jumps next to {} observations in a row", policy_.name(), most_tries),
                      "Test vectors need observations around which the action changes little; use another seed, or "
                      "compare whole episodes instead");
        }
        one = draw(random);
      }
      given_.insert(given_.end(), one.begin(), one.end());
    }
  }

  // Adds it unless the policy jumps nearby or chooses by a hair; whether it did.
  bool add(std::vector<double> state) {
    if (!steady(state) || !clear(state)) return false;
    given_.insert(given_.end(), state.begin(), state.end());
    return true;
  }

  TestVectors finish() {
    TestVectors made;
    made.observations = std::move(given_);
    made.actions = answers(made.observations);
    return made;
  }

  const std::vector<double>& widths() const { return widths_; }

 private:
  std::vector<double> draw(Random& random) const {
    std::vector<double> one;
    const Space& space = policy_.contract().observation;
    if (space.is_discrete()) return {std::floor(random.uniform() * static_cast<double>(space.count))};
    for (const Span& span : spans_) {
      const double value = span.spread == 0 ? span.low + random.uniform() * (span.high - span.low)
                                            : span.mean + span.spread * random.normal();
      one.push_back(single_inside(std::clamp(value, span.legal.low, span.legal.high), span.legal));
    }
    return one;
  }

  std::vector<double> answers(const std::vector<double>& states) const {
    const std::size_t count = states.size() / n_;
    std::vector<double> columns(states.size()), rows(count * m_), out(count * m_);
    for (std::size_t i = 0; i < states.size(); ++i) columns[i % n_ * count + i / n_] = states[i];
    policy_.mean_action({columns.data(), n_, count}, {rows.data(), m_, count});
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = rows[i % m_ * count + i / m_];
    return out;
  }

  // Whether the action stays about the same next to it: each observation a little less and a little more, and all.
  bool steady(const std::vector<double>& state) const {
    if (policy_.contract().observation.is_discrete()) return true;
    std::vector<double> around = state;
    for (std::size_t e = 0; e < 2 * n_ + 2; ++e) {
      for (std::size_t d = 0; d < n_; ++d) {
        const double by = nudge_ * (spans_[d].high - spans_[d].low) * (e % 2 == 0 ? -1 : 1);
        const bool moved = e / 2 == d || e / 2 == n_;
        around.push_back(moved ? std::clamp(state[d] + by, spans_[d].legal.low, spans_[d].legal.high) : state[d]);
      }
    }
    const std::vector<double> actions = answers(around);
    for (std::size_t i = m_; i < actions.size(); ++i) {
      if (std::abs(actions[i] - actions[i % m_]) > 0.01 * widths_[i % m_]) return false;
    }
    return true;
  }

  // Whether a lattice clearly prefers its discrete action here. Where two are equally likely, rounding decides which of
  // them code takes that computes rows from coefficients.
  bool clear(const std::vector<double>& state) const {
    const auto* lattice = dynamic_cast<const LatticePolicy*>(&policy_);
    if (lattice == nullptr || !policy_.contract().action.is_discrete()) return true;
    const std::size_t row = lattice->cells().find(state.data());
    if (row == Cells::none) return true;
    std::vector<double> weights(lattice->columns());
    lattice->row(row, weights);
    const auto best = std::ranges::max_element(weights);
    const double most = std::exchange(*best, 0);
    return most - *std::ranges::max_element(weights) > least_lead;
  }

  // Whether every action is at an end of its range.
  bool at_ends(const std::vector<double>& state) const {
    const Contract& contract = policy_.contract();
    if (contract.action.is_discrete() || contract.clip.empty()) return false;
    const std::vector<double> action = answers(state);
    for (std::size_t a = 0; a < m_; ++a) {
      const double room = 0.01 * contract.clip[a].width();
      if (!std::isfinite(room)) return false;
      if (action[a] > contract.clip[a].low + room && action[a] < contract.clip[a].high - room) return false;
    }
    return true;
  }

  const Policy& policy_;
  std::vector<Span> spans_;
  std::uint64_t seed_;
  std::size_t n_, m_;
  std::vector<double> widths_, given_;
  double nudge_ = 0;
};

TestVectors described(TestVectors made, const Policy& policy, std::span<const double> widths, double tolerance,
                      std::uint64_t seed) {
  made.policy = policy.name();
  made.seed = seed;
  made.contract = policy.contract();
  for (const double width : widths)
    made.tolerance.push_back(made.contract.action.is_discrete() ? 0 : tolerance * width);
  return made;
}

// What an embedding knows about observations whose range is infinite.
std::vector<Range> known_ranges(const Embedding& embedding) {
  std::vector<Range> ranges;
  const std::size_t n = embedding.policy().observation_dimensions();
  for (std::size_t d = 0; d < n; ++d) {
    if (embedding.is_lattice()) {
      const Edges& edges = embedding.lattice().policy().cells().grid().axes[d];
      ranges.push_back({edges.values.front(), edges.values.back()});
    } else {
      ranges.push_back(embedding.continuous().code().coordinates[d].range);
    }
  }
  return ranges;
}

}  // namespace

std::size_t TestVectors::count() const {
  const std::size_t n = contract.observation.dimensions();
  return n == 0 ? 0 : observations.size() / n;
}

TestVectors make_test_vectors(const Policy& policy, std::size_t count, std::uint64_t seed, double tolerance,
                              std::span<const Range> seen) {
  require_in_range("the number of test vectors", static_cast<double>(count), 1, 1e6, "Give a number in that range");
  Maker maker(policy, seed, seen);
  maker.add_edges(policy.contract().observation.is_discrete() ? count : (count + 1) / 2);
  maker.add_random(count);
  return described(maker.finish(), policy, maker.widths(), tolerance, seed);
}

TestVectors vectors_at(const Policy& policy, std::span<const double> observations, double tolerance,
                       std::size_t& marked) {
  const std::size_t n = policy.observation_dimensions();
  std::vector<Range> seen(n, Range{HUGE_VAL, -HUGE_VAL});
  for (std::size_t i = 0; i < observations.size(); ++i) {
    seen[i % n].low = std::min(seen[i % n].low, observations[i]);
    seen[i % n].high = std::max(seen[i % n].high, observations[i]);
  }
  Maker maker(policy, 0, seen);
  std::size_t kept = 0, kept_marked = 0;
  for (std::size_t row = 0; row < observations.size() / n; ++row) {
    const auto state = observations.subspan(row * n, n);
    if (!maker.add({state.begin(), state.end()})) continue;
    ++kept;
    kept_marked += row < marked ? 1 : 0;
  }
  marked = kept_marked;
  if (kept == 0) {
    throw Error(ErrorCode::bad_value, fmt::format("policy '{}' jumps next to every observation", policy.name()),
                "A kit stores observations around which the action changes little; export without --kit");
  }
  return described(maker.finish(), policy, maker.widths(), tolerance, 0);
}

TestVectors make_test_vectors(const EmbeddingFile& file, std::size_t count, std::uint64_t seed) {
  double error = 1e-5;  // of what is not exported and may be played elsewhere
  try {
    // Twice what is stated, as the self-test of an export allows: the observations are others than it was measured on.
    error = 2 * export_c(file, {}).stated_error;
  } catch (const Error&) {
  }
  return make_test_vectors(file.embedding.policy(), count, seed, error, known_ranges(file.embedding));
}

void check_vectors(const TestVectors& vectors, const Policy& policy) {
  const std::size_t n = policy.observation_dimensions(), m = policy.action_space().dimensions(),
                    count = vectors.count();
  const Contract& own = vectors.contract;
  if (own.observation.dimensions() != n || own.action.dimensions() != m ||
      own.action.count != policy.action_space().count) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("the test vectors have {} observations and {} actions, and the embedding has {} and {}",
                            own.observation.dimensions(), own.action.dimensions(), n, m),
                "Make them from this embedding: mercer inspect FILE.mercer --test-vectors 64");
  }
  std::vector<double> columns(n * count), rows(m * count);
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i % n * count + i / n] = vectors.observations[i];
  policy.mean_action({columns.data(), n, count}, {rows.data(), m, count});
  for (std::size_t i = 0; i < vectors.actions.size(); ++i) {
    const double given = rows[i % m * count + i / m];
    if (std::abs(given - vectors.actions[i]) <= vectors.tolerance[i % m]) continue;
    throw Error(ErrorCode::bad_value,
                fmt::format("test vector {}: action '{}' is {} and the embedding gives {}; allowed difference: {:.2g}",
                            i / m, own.action.axes[i % m].name, vectors.actions[i], given, vectors.tolerance[i % m]),
                "These are the vectors of another policy; make them from this embedding: mercer inspect FILE.mercer "
                "--test-vectors 64");
  }
}

}  // namespace mercer
