#include <fmt/format.h>

#include "basis/functions/term_tile.hpp"
#include "mercer/error.hpp"
#include "mercer/functions.hpp"

namespace mercer {
namespace {

constexpr std::size_t most_outputs = 256;

template <class Number, class Body>
[[gnu::always_inline]] inline void run_tile(const TermPlan& plan, MatrixView<const double> states, std::size_t begin,
                                            std::size_t count, Body body) {
  TermTile<Number> tile;
  tile.fill(plan, states, begin, count);
  body(tile, begin, count);
}

// Eight columns at a time; one that is left alone costs less by itself, and its result is the same.
template <class Body>
[[gnu::noinline]] void for_each_tile_of_many(const TermPlan& plan, MatrixView<const double> states, Body body) {
  std::size_t begin = 0;
  for (; begin + 1 < states.cols(); begin += lane_count) {
    run_tile<Lanes>(plan, states, begin, std::min(lane_count, states.cols() - begin), body);
  }
  if (begin < states.cols()) run_tile<double>(plan, states, begin, 1, body);
}
template <class Body>
[[gnu::always_inline]] inline void for_each_tile(const TermPlan& plan, MatrixView<const double> states, Body body) {
  if (states.cols() == 1) return run_tile<double>(plan, states, 0, 1, body);
  for_each_tile_of_many(plan, states, body);
}

// Sums up the outputs of a tile, then hands each to `put`.
template <class Number, class Put>
[[gnu::always_inline]] inline void sum_tile(const TermPlan& plan, const TermTile<Number>& tile,
                                            const std::vector<double>& coefficients, std::size_t outputs, Put put) {
  constexpr std::size_t together = TermTile<Number>::together;
  if (outputs == 1) return put(0, tile.weighted_sum(plan, coefficients.data()));
  const std::size_t count = plan.place.size();
  std::array<Number, together> part;
  std::array<Number, most_outputs> sums;
  std::fill_n(sums.begin(), outputs, all<Number>(0));
  for (std::size_t from = 0; from < count; from += together) {
    const std::size_t to = std::min(count, from + together);
    tile.evaluate(plan, from, to, part.data());
    for (std::size_t o = 0; o < outputs; ++o) {
      const double* c = coefficients.data() + o * count + from;
      Number sum = sums[o];
      for (std::size_t t = 0; t < to - from; ++t) sum = fused(part[t], c[t], sum);
      sums[o] = sum;
    }
  }
  for (std::size_t o = 0; o < outputs; ++o) put(o, sums[o]);
}

}  // namespace

TermFunction::TermFunction(const Terms& terms, const Coordinates& coordinates, std::span<const double> coefficients)
    : plan_(std::make_shared<const TermPlan>(make_plan(terms, coordinates))) {
  *this = with(coefficients);
}

std::size_t TermFunction::dimensions() const { return plan_->dimensions(); }
std::size_t TermFunction::size() const { return plan_->place.size(); }

TermFunction TermFunction::with(std::span<const double> coefficients) const {
  const std::size_t count = size();
  if (coefficients.empty() || coefficients.size() % count != 0 || coefficients.size() / count > most_outputs) {
    throw Error(ErrorCode::shape_mismatch, fmt::format("{} coefficients for {} terms", coefficients.size(), count),
                "Give one for each term, for each of 1 to 256 outputs");
  }
  TermFunction made = *this;
  made.outputs_ = coefficients.size() / count;
  made.coefficients_.resize(coefficients.size());
  for (std::size_t o = 0; o < made.outputs_; ++o) {
    for (std::size_t t = 0; t < count; ++t)
      made.coefficients_[o * count + t] = coefficients[o * count + plan_->place[t]] * plan_->norm[t];
  }
  return made;
}

void TermFunction::operator()(MatrixView<const double> states, MatrixView<double> out) const {
  for_each_tile(*plan_, states, [&](const auto& tile, std::size_t begin, std::size_t count) {
    sum_tile(*plan_, tile, coefficients_, outputs_,
             [&](std::size_t o, auto value) { store(value, &out(o, begin), count); });
  });
}

void TermFunction::act(MatrixView<const double> states, bool squash, std::span<const double> centre,
                       std::span<const double> scale, std::span<const Range> clip, MatrixView<double> out) const {
  for_each_tile(*plan_, states, [&](const auto& tile, std::size_t begin, std::size_t count) {
    sum_tile(*plan_, tile, coefficients_, outputs_, [&](std::size_t o, auto value) {
      const auto action = fused(squash ? tanh_of(value) : value, scale[o], all<decltype(value)>(centre[o]));
      store(clamped(action, clip[o].low, clip[o].high), &out(o, begin), count);
    });
  });
}

bool TermFunction::acts_alone() const { return plan_->plain_chebyshev && outputs_ == 1; }

double TermFunction::act_alone(const double* state, std::size_t stride, bool squash, double centre, double scale,
                               Range clip) const {
  TermTile<double> tile;
  tile.fill_plain(*plan_, {state, plan_->dimensions(), 1, stride}, 0, 1);
  const double value = tile.weighted_sum(*plan_, coefficients_.data());
  return clamped(fused(squash ? tanh_of(value) : value, scale, centre), clip.low, clip.high);
}

void TermFunction::features(MatrixView<const double> states, MatrixView<double> out) const {
  for_each_tile(*plan_, states, [&]<class Number>(const TermTile<Number>& tile, std::size_t begin, std::size_t count) {
    constexpr std::size_t together = TermTile<Number>::together;
    std::array<Number, together> part;
    for (std::size_t from = 0; from < size(); from += together) {
      const std::size_t to = std::min(size(), from + together);
      tile.evaluate(*plan_, from, to, part.data());
      for (std::size_t t = from; t < to; ++t)
        store(part[t - from] * plan_->norm[t], &out(plan_->place[t], begin), count);
    }
  });
}

}  // namespace mercer
