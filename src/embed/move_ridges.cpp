#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Cholesky>

#include "core/log_scale.hpp"
#include "embed/quadratic.hpp"
#include "mercer/core/error.hpp"
#include "mercer/core/parallel.hpp"

namespace mercer {
namespace {

// A sum of terms whose ridges tanh(w . x + b) have real numbers for w and b while they move.
class MovingRidges {
 public:
  MovingRidges(const Terms& terms, const Coordinates& coordinates, const Samples& samples, std::vector<double> c)
      : samples_(samples), values_(evaluate_features(terms, coordinates, samples)), x_(samples.points().cols()) {
    const std::vector<std::size_t> parts = terms.parts();
    first_ = parts[2];
    numbers_ = terms.dimensions() + 1;
    unit_ = from_log_scale(terms.ridges.unit);
    most_ = (1 << (terms.ridges.bits - 1)) - 1;
    for (const std::int16_t number : terms.ridges.numbers) w_.push_back(number * unit_);
    c_ = Eigen::Map<const Vector>(c.data(), static_cast<Index>(c.size()));
    x_.resize(numbers_ * values_.columns, 1);
    for (std::size_t d = 0; d + 1 < numbers_; ++d) {
      for (std::size_t i = 0; i < values_.columns; ++i) {
        x_[d * values_.columns + i] = coordinates[d].apply(samples.points()(d, i));
      }
    }
    for (std::size_t r = 0; r < count(); ++r) free_.push_back(r);
    evaluate(w_, values_);
  }

  std::size_t count() const { return w_.size() / numbers_; }
  const Vector& coefficients() const { return c_; }
  std::vector<std::int16_t> whole_numbers() const {
    std::vector<std::int16_t> out;
    for (const double w : w_) out.push_back(static_cast<std::int16_t>(std::nearbyint(w / unit_)));
    return out;
  }

  // Levenberg and Marquardt over the coefficients and the numbers of all ridges that are free.
  void descend(std::size_t steps) {
    Features trial = values_;
    double damping = 1e-3;
    for (std::size_t step = 0; step < steps; ++step) {
      const Quadratic now = quadratic();
      bool helped = false;
      for (int attempt = 0; attempt < 8 && !helped; ++attempt, damping *= 6) {
        Matrix damped = now.curvature;
        const double average = damped.trace() / static_cast<double>(damped.rows());
        damped.diagonal() *= 1 + damping;
        damped.diagonal().array() += 1e-9 * average + 1e-300;
        const Vector to = parameters() - damped.ldlt().solve(now.slope);
        std::vector<double> w = w_;
        put(to, w);
        evaluate(w, trial);
        const Vector c = to.head(c_.size());
        if (!(quadratic_of(trial, samples_, c, 0, false).value < now.value)) continue;
        c_ = c;
        w_ = std::move(w);
        std::swap(trial, values_);
        helped = true;
        damping /= 30;
      }
      if (!helped) return;
    }
  }

  // The first `round` of those that are free go onto their grid and stay there; all others take up what that did.
  void fix(std::size_t round) {
    const Quadratic now = quadratic();
    Vector unit = Vector::Zero(now.slope.size());
    unit.segment(c_.size(), static_cast<Index>(round * numbers_)).setConstant(unit_);
    const Vector to = round_with_units(now.curvature, parameters(), unit, most_);
    put(to, w_);
    c_ = to.head(c_.size());
    free_.erase(free_.begin(), free_.begin() + static_cast<std::ptrdiff_t>(round));
    evaluate(w_, values_);
  }

 private:
  Vector parameters() const {
    Vector out(c_.size() + static_cast<Index>(free_.size() * numbers_));
    out.head(c_.size()) = c_;
    Index at = c_.size();
    for (const std::size_t r : free_) {
      for (std::size_t i = 0; i < numbers_; ++i) out[at++] = w_[r * numbers_ + i];
    }
    return out;
  }
  void put(const Vector& parameters, std::vector<double>& w) const {
    Index at = c_.size();
    for (const std::size_t r : free_) {
      for (std::size_t i = 0; i < numbers_; ++i) {
        w[r * numbers_ + i] = std::clamp(parameters[at++], -most_ * unit_, most_ * unit_);
      }
    }
  }

  void evaluate(const std::vector<double>& w, Features& out) const {
    const std::size_t columns = out.columns;
    for_each_block(count(), 4, [&](Block block) {
      for (std::size_t r = block.begin; r < block.end; ++r) {
        double* row = out.values.data() + (first_ + r) * columns;
        std::fill_n(row, columns, 0.0);
        for (std::size_t i = 0; i < numbers_; ++i) {
          for (std::size_t j = 0; j < columns; ++j) row[j] += w[r * numbers_ + i] * x_[i * columns + j];
        }
        for (std::size_t j = 0; j < columns; ++j) row[j] = std::tanh(row[j]);
      }
    });
  }

  // The derivatives by w and b stand below the terms, with coefficients of zero: the sum is the same, and slope and
  // curvature are those of all numbers together (Gauss and Newton).
  Quadratic quadratic() const {
    const std::size_t columns = values_.columns, terms = values_.terms;
    Features all{terms + free_.size() * numbers_, columns, values_.values};
    all.values.resize(all.terms * columns);
    for_each_block(free_.size(), 4, [&](Block block) {
      for (std::size_t f = block.begin; f < block.end; ++f) {
        const double* value = all.values.data() + (first_ + free_[f]) * columns;
        const double c = c_[static_cast<Index>(first_ + free_[f])];
        for (std::size_t i = 0; i < numbers_; ++i) {
          double* row = all.values.data() + (terms + f * numbers_ + i) * columns;
          for (std::size_t j = 0; j < columns; ++j) row[j] = c * (1 - value[j] * value[j]) * x_[i * columns + j];
        }
      }
    });
    Vector c = Vector::Zero(static_cast<Index>(all.terms));
    c.head(c_.size()) = c_;
    return quadratic_of(all, samples_, c, 0, true);
  }

  const Samples& samples_;
  Features values_;
  std::vector<double> x_;  // coordinates by row, and a row of ones
  std::size_t first_ = 0, numbers_ = 0;
  double unit_ = 1;
  int most_ = 0;
  std::vector<double> w_;
  Vector c_;
  std::vector<std::size_t> free_;
};

}  // namespace

Terms move_ridges(Terms terms, const Coordinates& coordinates, const Samples& samples,
                  std::vector<double>& coefficients, std::size_t steps) {
  if (samples.outputs() != 1 || terms.ridge_count() == 0 || steps == 0) return terms;
  constexpr std::size_t stages = 4;
  MovingRidges ridges(terms, coordinates, samples, coefficients);
  ridges.descend(steps);
  for (std::size_t stage = 0, fixed = 0; stage < stages; ++stage) {
    const std::size_t upto = ridges.count() * (stage + 1) / stages;
    if (upto > fixed) ridges.fix(upto - fixed);
    fixed = upto;
    if (stage + 1 < stages) ridges.descend(1 + steps / 8);
  }
  terms.ridges.numbers = ridges.whole_numbers();
  coefficients.assign(ridges.coefficients().data(), ridges.coefficients().data() + ridges.coefficients().size());
  return terms;
}

}  // namespace mercer
