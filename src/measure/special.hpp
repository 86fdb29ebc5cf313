#pragma once

namespace mercer {

/// Regularised incomplete beta function I_x(a, b), the distribution function of a Beta(a, b) variable; a, b > 0 and x
/// in [0, 1]. Relative error below 1e-14 for a + b up to 1e6; about 1 us.
double incomplete_beta(double a, double b, double x);

/// The x with I_x(a, b) = p, p in [0, 1]. About 7 us.
double inverse_incomplete_beta(double a, double b, double p);

/// The t with P(T <= t) = p for Student's distribution; p in (0, 1], infinite at 1; degrees > 0.
double student_t_quantile(double p, double degrees);

/// Regularised lower incomplete gamma function P(a, x), the distribution function of a Gamma(a, 1) variable; a > 0,
/// x >= 0.
double incomplete_gamma(double a, double x);

/// The x with P(X <= x) = p for the chi-square distribution; p in (0, 1], infinite at 1; degrees > 0.
double chi_square_quantile(double p, double degrees);

/// P(Z <= z) for a standard normal variable, and the z with P(Z <= z) = p, p in (0, 1).
double normal_probability(double z);
double normal_quantile(double p);

}  // namespace mercer
