#include <algorithm>
#include <cmath>

#include "export/c/fixed_plan.hpp"
#include "export/c/functions.hpp"

// Every function here has a twin in fixed_functions.cpp, in C: they must agree to the bit.
namespace mercer {
namespace {

class FixedMachine {
 public:
  FixedMachine(const ContinuousController& controller, const FixedPlan& plan)
      : c_(controller), flat_(controller.flat), plan_(plan), one_(std::int32_t{1} << plan.q) {}

  void outputs(std::span<const std::int32_t> obs, std::span<std::int32_t> out) const {
    const std::size_t d = flat_.dimensions();
    std::vector<std::int32_t> x(d), row(flat_.rows, one_);
    std::int32_t* next = row.data() + 1;
    for (std::size_t i = 0; i < d; ++i) {
      x[i] = coordinate(i, obs[i]);
      next = flat_.axes[i].periodic ? turning(x[i], flat_.axes[i].functions, next)
                                    : polynomials(x[i], flat_.axes[i].functions, next);
    }
    std::vector<std::int64_t> sums(flat_.outputs, 0);
    std::size_t at = 0;
    const auto add = [&](std::int32_t value) {
      for (std::int64_t& sum : sums) sum += std::int64_t{plan_.coefficients[at++]} * value;
    };
    for (std::size_t j = 0; j < flat_.products; ++j) {
      std::int32_t product = one_;
      for (std::size_t f = 0; f < flat_.factors_each; ++f) {
        const std::int32_t factor = row[flat_.factors[j * flat_.factors_each + f]];
        product = f == 0 ? factor : mul(product, factor);
      }
      add(product);
    }
    for (std::size_t j = 0; j < flat_.wave_count(); ++j) {
      const std::int32_t* w = plan_.waves.data() + j * (d + 1);
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < d; ++i) sum += std::int64_t{w[i]} * x[i];
      add(sine((sum >> plan_.wave_q) + w[d]));
    }
    for (std::size_t j = 0; j < flat_.ridge_count(); ++j) {
      const std::int16_t* w = flat_.ridges.data() + j * (d + 1);
      std::int64_t sum = std::int64_t{w[d]} * one_;
      for (std::size_t i = 0; i < d; ++i) sum += std::int64_t{w[i]} * x[i];
      add(bend((sum * plan_.ridge_unit.m) >> plan_.ridge_unit.s >> flat_.ridge_halving(j)) >> (30 - plan_.q));
    }
    for (std::size_t j = 0; j < flat_.rbf_count(); ++j) add(rbf(j, x));
    for (std::size_t o = 0; o < flat_.outputs; ++o) {
      const auto [m, s] = plan_.output_scale[o];
      out[o] = static_cast<std::int32_t>(((sums[o] >> plan_.sum_shift) * m) >> s);
    }
  }

  std::int32_t limited(std::int64_t u, const FixedPlan::Action& action) const {
    const std::int64_t bent = c_.squash ? (std::int64_t{bend(u)} * action.scale) >> 30 : (u * action.scale) >> plan_.q;
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(action.centre + bent, action.low, action.high));
  }

 private:
  std::int32_t mul(std::int64_t a, std::int32_t b) const { return static_cast<std::int32_t>((a * b) >> plan_.q); }

  std::int32_t coordinate(std::size_t d, std::int32_t v) const {
    const FixedPlan::Axis& axis = plan_.axes[d];
    if (!flat_.axes[d].periodic) v = std::clamp(v, axis.low, axis.high);
    const std::int64_t twice = 2 * std::int64_t{v} - axis.low - axis.high;
    auto x = (twice * axis.to_unit.m) >> axis.to_unit.s;
    if (flat_.axes[d].periodic && (x < -one_ - 16 || x > one_ + 16))
      x = ((x + one_) & (2 * std::int64_t{one_} - 1)) - one_;
    const std::vector<double>& knots = flat_.axes[d].knots;
    if (knots.empty()) return static_cast<std::int32_t>(x);
    const auto count = static_cast<std::int32_t>(knots.size()) + 1;
    std::int64_t y = 0;
    for (std::int32_t j = 0; j < count; ++j) {
      const auto number = [&](std::int32_t k) -> std::int32_t {
        return k == 0       ? 0
               : k == count ? 256
                            : static_cast<std::int32_t>(std::lround((knots[std::size_t(k - 1)] + 1) * 128));
      };
      const std::int64_t width = (std::int64_t{one_} * (number(j + 1) - number(j))) >> 7;
      const std::int64_t from = ((std::int64_t{one_} * number(j)) >> 7) - one_;
      const std::int64_t part = std::clamp<std::int64_t>(x - from, 0, width);
      y += part * 256 / (number(j + 1) - number(j));  // of 2 one_ in each piece
    }
    return static_cast<std::int32_t>(y / count) - one_;
  }

  std::int32_t* polynomials(std::int32_t x, std::size_t count, std::int32_t* row) const {
    if (flat_.family == Family::cosine) x = -sine(x >> 2);
    if (flat_.family == Family::hermite) x = 3 * x;
    std::int32_t before = one_, now = x;
    for (std::size_t k = 0; k < count; ++k) {
      *row++ = now;
      const std::int32_t a = plan_.steps[2 * k], b = plan_.steps[2 * k + 1];
      const std::int32_t next = mul(mul(a, x), now) - mul(b, before);
      before = now, now = next;
    }
    return row;
  }

  std::int32_t* turning(std::int32_t x, std::size_t count, std::int32_t* row) const {
    const std::int32_t c = sine((x >> 1) + (one_ >> 2));
    std::int32_t cosine = c, cosine_before = one_, sines = sine(x >> 1), sines_before = 0;
    for (std::size_t k = 0; k < count; k += 2) {
      *row++ = cosine;
      if (k + 1 < count) *row++ = sines;
      std::int32_t next = mul(2 * c, cosine) - cosine_before;
      cosine_before = cosine, cosine = next;
      next = mul(2 * c, sines) - sines_before;
      sines_before = sines, sines = next;
    }
    return row;
  }

  std::int32_t sine(std::int64_t turns) const { return fixed_sine(turns, plan_.q); }

  // 2^t in Q30.
  std::int64_t power(std::int64_t t) const {
    const std::int64_t n = t >> plan_.q, f = t & (one_ - 1);
    if (n < -31) return 0;
    std::int64_t sum = q30(power_polynomial.back());
    for (std::size_t i = power_polynomial.size() - 1; i-- > 0;) sum = q30(power_polynomial[i]) + ((sum * f) >> plan_.q);
    return n < 0 ? sum >> -n : sum << n;
  }

  std::int32_t bend(std::int64_t u) const {
    const std::int64_t size = std::min<std::int64_t>(u < 0 ? -u : u, 16 * std::int64_t{one_});
    const std::int64_t e = power(-((size * 387270501) >> 27)), d = (std::int64_t{1} << 30) + e;
    std::int64_t y = 1564441838 - (d >> 1);
    for (int i = 0; i < 3; ++i) y = (y * ((std::int64_t{1} << 31) - ((d * y) >> 30))) >> 30;
    const auto t = static_cast<std::int32_t>((((std::int64_t{1} << 30) - e) * y) >> 30);
    return u < 0 ? -t : t;
  }

  std::int32_t root(std::int64_t v) const {
    const std::uint64_t square = static_cast<std::uint64_t>(v) << plan_.q;
    std::uint64_t y = 0;
    for (std::uint64_t bit = std::uint64_t{1} << 25; bit > 0; bit >>= 1) {
      if ((y + bit) * (y + bit) <= square) y += bit;
    }
    return static_cast<std::int32_t>(y);
  }

  std::int32_t rbf(std::size_t j, std::span<const std::int32_t> x) const {
    const std::size_t d = flat_.dimensions();
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < d; ++i) {
      const std::int32_t cell = 2 * flat_.centres[j * d + i] + 1;
      const std::int64_t away = x[i] + one_ - ((std::int64_t{cell} << plan_.q) >> flat_.centre_bits);
      sum += (away * away) >> plan_.q;
    }
    const auto [m, s] = plan_.inverse_squares[flat_.widths.empty() ? 0 : flat_.widths[j]];
    sum = std::min((sum * m) >> s, std::int64_t{60} << plan_.q);
    if (flat_.kernel == Kernel::gaussian)
      return static_cast<std::int32_t>(power(-((sum * 96817625) >> 27)) >> (30 - plan_.q));
    const std::int64_t r = root((flat_.kernel == Kernel::matern32 ? 3 : 5) * sum);
    const std::int64_t front = one_ + r + (flat_.kernel == Kernel::matern32 ? 0 : (sum * 223696213) >> 27);
    return static_cast<std::int32_t>((front * power(-((r * 193635251) >> 27))) >> 30);
  }

  const ContinuousController& c_;
  const FlatTerms& flat_;
  const FixedPlan& plan_;
  std::int32_t one_;
};

}  // namespace

std::int32_t fixed_sine(std::int64_t turns, int q) {
  const std::int64_t one = std::int64_t{1} << q;
  std::int64_t s = 4 * (turns & (one - 1));
  s = s <= one ? s : s <= 3 * one ? 2 * one - s : s - 4 * one;
  const std::int64_t square = (s * s) >> q;
  std::int64_t sum = q30(sine_polynomial.back());
  for (std::size_t i = sine_polynomial.size() - 1; i-- > 0;) sum = q30(sine_polynomial[i]) + ((sum * square) >> q);
  return static_cast<std::int32_t>((sum * s) >> 30);
}

void fixed_outputs(const ContinuousController& controller, const FixedPlan& plan, std::span<const std::int32_t> obs,
                   std::span<std::int32_t> out) {
  FixedMachine(controller, plan).outputs(obs, out);
}

void fixed_act(const ContinuousController& controller, const FixedPlan& plan, std::span<const std::int32_t> obs,
               std::span<std::int32_t> action) {
  const FixedMachine machine(controller, plan);
  std::vector<std::int32_t> out(controller.flat.outputs);
  machine.outputs(obs, out);
  if (controller.discrete()) {
    action[0] = static_cast<std::int32_t>(std::ranges::max_element(out) - out.begin());
    return;
  }
  for (std::size_t a = 0; a < action.size(); ++a) action[a] = machine.limited(out[a], plan.actions[a]);
}

}  // namespace mercer
