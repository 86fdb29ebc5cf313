#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "core/number_codes.hpp"
#include "embed/continuous/quadratic.hpp"

namespace mercer {
namespace {

// What is added to the objective of a sample so that all numbers stay where a grid of few bits can hold them: these
// times half the sum of squares of coefficients, of the ridges' numbers, and of what those have beyond `steep`.
constexpr double hold_coefficients = 1e-7, hold_numbers = 3e-7, hold_steep = 1e-4, steep = 8;

// Sums of terms whose ridges tanh(w . x + b) have real numbers for w and b while they move. The parameters are the
// coefficients, output after output, then the numbers of the ridges that are free.
class MovingRidges {
  using RowsOfBlock = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;

 public:
  MovingRidges(const Terms& terms, const Coordinates& coordinates, const Samples& samples, double hold)
      : samples_(samples),
        hold_(hold),
        values_(evaluate_features(terms, coordinates, samples)),
        trial_(values_),
        first_(terms.parts()[2]),
        numbers_(terms.dimensions() + 1),
        most_((1 << (terms.ridges.bits - 1)) - 1),
        c_(Vector::Zero(static_cast<Index>(terms.size() * samples.outputs()))) {
    for (std::size_t i = 0; i < terms.ridges.numbers.size(); ++i)
      w_.push_back(terms.ridges.numbers[i] * ridge_unit(terms.ridges, i / numbers_));
    x_.assign(numbers_ * values_.columns, 1);
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
  std::vector<std::int16_t> integers(double unit) const {
    std::vector<std::int16_t> out;
    for (const double w : w_) out.push_back(static_cast<std::int16_t>(std::nearbyint(w / unit)));
    return out;
  }

  // Levenberg and Marquardt over all parameters, or only over the coefficients.
  void descend(std::size_t steps, double tolerance, bool coefficients_only = false) {
    double damping = 1e-3;
    for (std::size_t step = 0; step < steps; ++step) {
      const Quadratic now = quadratic(values_, w_, c_, true);
      double gain = 0;
      for (int attempt = 0; attempt < 8 && !(gain > 0); ++attempt) {
        Matrix damped = now.curvature;
        const double average = damped.trace() / static_cast<double>(damped.rows());
        damped.diagonal() *= 1 + damping;
        damped.diagonal().array() += 1e-8 * average + 1e-300;
        if (coefficients_only) damped.diagonal().tail(damped.rows() - c_.size()).array() += 1e9 * average;
        const Eigen::LLT<Eigen::Ref<Matrix>> factor(damped);
        if (factor.info() == Eigen::Success) gain = try_step(parameters(w_, c_) - factor.solve(now.slope), now.value);
        damping = gain > 0 ? std::max(1e-9, damping / 5) : damping * 6;
      }
      if (!(gain > tolerance * now.value)) return;
    }
  }

  // The unit of a grid of integers for w and b with which least is lost: the coarsest cuts nothing off.
  std::uint8_t best_unit() const {
    double largest = 0;
    for (const double w : w_) largest = std::max(largest, std::abs(w));
    const Quadratic now = quadratic(values_, w_, c_, true);
    const std::uint8_t fits = to_log_scale_above(largest / most_);
    std::uint8_t best = fits;
    double least = HUGE_VAL;
    for (int finer = 0; finer <= 12 && finer < fits; finer += 2) {
      const auto code = static_cast<std::uint8_t>(fits - finer);
      const Vector off = rounded(now.curvature, from_log_scale(code), free_.size()) - parameters(w_, c_);
      const double cost = off.dot(now.curvature * off);
      if (cost < least) {
        least = cost;
        best = code;
      }
    }
    return best;
  }

  // The first `some` of those that are free go onto their grid and stay there; all others take up what that did.
  void fix(std::size_t some, double unit) {
    const Vector to = rounded(quadratic(values_, w_, c_, true).curvature, unit, some);
    put(to, w_);
    c_ = to.head(c_.size());
    free_.erase(free_.begin(), free_.begin() + static_cast<std::ptrdiff_t>(some));
    evaluate(w_, values_);
  }

 private:
  Vector rounded(const Matrix& curvature, double unit, std::size_t some) const {
    Vector units = Vector::Zero(curvature.rows());
    units.segment(c_.size(), static_cast<Index>(some * numbers_)).setConstant(unit);
    Matrix stiffer = curvature;  // what takes up must not move so far that the curvature is another one there
    stiffer.diagonal() *= 1 + 1e-3;
    return round_with_units(stiffer, parameters(w_, c_), units, most_);
  }

  // Takes the step if that lowers the objective; by how much it did.
  double try_step(const Vector& to, double value) {
    std::vector<double> w = w_;
    put(to, w);
    evaluate(w, trial_);
    const Vector c = to.head(c_.size());
    const double gain = value - quadratic(trial_, w, c, false).value;
    if (!(gain > 0)) return 0;
    c_ = c;
    w_ = std::move(w);
    std::swap(trial_, values_);
    return gain;
  }

  Vector parameters(const std::vector<double>& w, const Vector& c) const {
    Vector out(c.size() + static_cast<Index>(free_.size() * numbers_));
    out.head(c.size()) = c;
    Index at = c.size();
    for (const std::size_t r : free_) {
      for (std::size_t i = 0; i < numbers_; ++i) out[at++] = w[r * numbers_ + i];
    }
    return out;
  }
  void put(const Vector& parameters, std::vector<double>& w) const {
    Index at = c_.size();
    for (const std::size_t r : free_) {
      for (std::size_t i = 0; i < numbers_; ++i) w[r * numbers_ + i] = parameters[at++];
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

  Quadratic quadratic(const Features& values, const std::vector<double>& w, const Vector& c, bool curvature) const {
    const std::size_t size = block_size(samples_);
    const auto terms = static_cast<Index>(values.terms);
    const Vector at = parameters(w, c);
    std::vector<Quadratic> parts((values.columns + size - 1) / size);
    for_each_block(values.columns, size, [&](Block block) {
      const auto columns = static_cast<Index>(block.end - block.begin);
      const RowsOfBlock phi(values.values.data() + block.begin, terms, columns,
                            Eigen::OuterStride<>(static_cast<Index>(values.columns)));
      Quadratic& part = parts[block.index];
      Vector first(columns), weights(columns);
      if (curvature) {
        part.slope = Vector::Zero(at.size());
        part.curvature = Matrix::Zero(at.size(), at.size());
      }
      for (std::size_t o = 0; o < samples_.outputs(); ++o) {
        const Vector own = c.segment(static_cast<Index>(o) * terms, terms);
        const Vector f = phi.transpose() * own;
        part.value += judge_block(samples_, o, hold_, block, f, first, weights);
        if (!curvature) continue;
        Matrix jacobian = derivatives(phi, block, o, own, at.size());
        part.slope += jacobian * first;
        add_curvature(samples_, jacobian, weights, part.curvature);
      }
    });
    Quadratic sum = sum_of(parts, at.size(), curvature);
    add_hold(sum, at, curvature);
    return sum;
  }

  // Of output o by all parameters, at a block's samples.
  Matrix derivatives(const RowsOfBlock& phi, Block block, std::size_t o, const Vector& own, Index parameters) const {
    Matrix out = Matrix::Zero(parameters, phi.cols());
    out.middleRows(static_cast<Index>(o) * own.size(), own.size()) = phi;
    for (std::size_t r = 0; r < free_.size(); ++r) {
      const auto ridge = static_cast<Index>(first_ + free_[r]);
      const Eigen::ArrayXd slope = own[ridge] * (1 - phi.row(ridge).transpose().array().square());
      for (std::size_t i = 0; i < numbers_; ++i) {
        const Eigen::Map<const Eigen::ArrayXd> x(x_.data() + i * values_.columns + block.begin, phi.cols());
        out.row(c_.size() + static_cast<Index>(r * numbers_ + i)) = (slope * x).matrix();
      }
    }
    return out;
  }

  void add_hold(Quadratic& sum, const Vector& at, bool curvature) const {
    const double samples = static_cast<double>(samples_.size() / samples_.group());
    for (Index i = 0; i < at.size(); ++i) {
      const bool number = i >= c_.size();
      const double beyond = number ? std::copysign(std::max(0.0, std::abs(at[i]) - steep), at[i]) : 0;
      const double weight = samples * (number ? hold_numbers : hold_coefficients), more = samples * hold_steep;
      sum.value += 0.5 * weight * at[i] * at[i] + 0.5 * more * beyond * beyond;
      if (!curvature) continue;
      sum.slope[i] += weight * at[i] + more * beyond;
      sum.curvature(i, i) += weight + (beyond == 0 ? 0 : more);
    }
  }

  const Samples& samples_;
  double hold_;
  Features values_, trial_;
  std::vector<double> x_;  // coordinates by row, and a row of ones
  std::size_t first_, numbers_;
  int most_;
  std::vector<double> w_;
  Vector c_;
  std::vector<std::size_t> free_;
};

}  // namespace

Terms move_ridges(Terms terms, const Coordinates& coordinates, const Samples& samples,
                  std::vector<double>& coefficients, const Polish& options) {
  const std::size_t steps = options.ridge_steps;
  if (samples.head() == Head::logits || terms.ridge_count() == 0 || steps == 0) return terms;
  constexpr std::size_t stages = 8;
  // Coefficients begin anew: those of least squares are often large and cancel, and then nothing can move.
  MovingRidges ridges(terms, coordinates, samples, options.hold);
  ridges.descend(1, options.tolerance, true);
  ridges.descend(steps, options.tolerance);
  terms.ridges.unit = ridges.best_unit();
  terms.ridges.halvings.clear();
  const double unit = ridge_unit(terms.ridges, 0);
  for (std::size_t stage = 0, fixed = 0; stage < stages; ++stage) {
    const std::size_t upto = ridges.count() * (stage + 1) / stages;
    if (upto > fixed) ridges.fix(upto - fixed, unit);
    fixed = upto;
    ridges.descend(1 + steps / 15, options.tolerance);  // in the end only coefficients are left
  }
  terms.ridges.numbers = ridges.integers(unit);
  coefficients.assign(ridges.coefficients().data(), ridges.coefficients().data() + ridges.coefficients().size());
  return terms;
}

}  // namespace mercer
