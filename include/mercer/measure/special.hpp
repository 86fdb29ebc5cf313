#pragma once

namespace mercer {

/// Regularised incomplete beta function I_x(a, b), the distribution function of a Beta(a, b) variable; a, b > 0 and x
/// in [0, 1]. Continued fraction, relative error below 1e-14 + 4e-15 (a + b).
double incomplete_beta(double a, double b, double x);

/// The x with I_x(a, b) = p, p in [0, 1]. Bisection to the last bit.
double inverse_incomplete_beta(double a, double b, double p);

/// The t with P(T <= t) = p for Student's distribution; p in (0, 1), degrees > 0.
double student_t_quantile(double p, double degrees);

}  // namespace mercer
