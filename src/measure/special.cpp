#include "measure/special.hpp"

#include <cassert>
#include <cmath>
#include <numbers>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>

namespace mercer {
namespace {

// Boost computes in long double and rounds once. A quantile beyond all doubles is infinite, not an exception: an
// interval at such a level has no end.
namespace policies = boost::math::policies;
using NoThrow = policies::policy<policies::overflow_error<policies::ignore_error>>;

// At exactly 1/2, Boost 1.74 inverts the beta function through Student's distribution, a search that fails next to
// p = 0 and p = 1. The neighbour of 1/2 in long double takes the general way to the same double.
long double shape(double a) { return a == 0.5 ? std::nextafter(0.5L, 1.0L) : a; }

}  // namespace

double incomplete_beta(double a, double b, double x) {
  assert(a > 0 && b > 0 && x >= 0 && x <= 1);
  return boost::math::ibeta(a, b, x, NoThrow());
}

double inverse_incomplete_beta(double a, double b, double p) {
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  return static_cast<double>(boost::math::ibeta_inv(shape(a), shape(b), static_cast<long double>(p), NoThrow()));
}

double student_t_quantile(double p, double degrees) {
  assert(p > 0 && p <= 1 && degrees > 0);
  return quantile(boost::math::students_t_distribution<double, NoThrow>(degrees), p);
}

double incomplete_gamma(double a, double x) {
  assert(a > 0 && x >= 0);
  return boost::math::gamma_p(a, x, NoThrow());
}

double chi_square_quantile(double p, double degrees) {
  assert(p > 0 && p <= 1 && degrees > 0);
  return quantile(boost::math::chi_squared_distribution<double, NoThrow>(degrees), p);
}

double normal_probability(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

double normal_quantile(double p) {
  assert(p > 0 && p < 1);
  return quantile(boost::math::normal_distribution<double, NoThrow>(), p);
}

}  // namespace mercer
