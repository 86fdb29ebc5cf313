#include <cmath>

#include "paper/rules/rules.hpp"
#include "paper/trials.hpp"

namespace mercer::paper {

Curves rate_curves(const Rows& rows, const std::string& domain, const std::string& norm) {
  Curves curves;
  const Rows own = rows.where("domain", domain).where("norm", norm);
  for (const double seed : own.distinct("seed")) {
    curves.x.push_back(own.where("seed", seed).numbers("k"));
    curves.y.push_back(own.where("seed", seed).numbers("error"));
  }
  return curves;
}

Rules rates_rules(const Tables& tables) {
  constexpr double part = 0.9;  // of a printed exponent, which is one of the limit
  const Rows all(tables.at("rates"));
  const auto rate = [&](const std::string& name, const std::string& says, const char* domain, const char* norm,
                        double exponent) {
    const Curves curves = rate_curves(all, domain, norm);
    return steeper(name, says, curves, part * exponent, Seeds(curves.x.size(), 1e-12));
  };
  const auto slope_at = [&](const std::string& name, const char* domain, const char* norm, double centre) {
    Seeds slopes;
    const Curves curves = rate_curves(all, domain, norm);
    for (std::size_t i = 0; i < curves.x.size(); ++i) slopes.push_back(log_line(curves.x[i], curves.y[i]).slope);
    return within(name, "slope of the logarithms", slopes, centre, 0.1 * std::abs(centre) + 0.1);
  };
  const std::string l1 = "L1 error falls as K^-0.9 or faster", kl = "KL falls with exponent -0.9 or faster";
  return {{rate("L1, steps", l1, "step", "l1", -1), rate("L1, hats", l1, "hat", "l1", -1),
           rate("L1, analytic", l1, "analytic", "l1", -1),
           rate("supremum, hats", "supremum falls as K^-2.7 or faster", "hat", "sup", -3),
           rate("supremum, smooth hats", "supremum falls as K^-4.5 or faster", "smooth hat", "sup", -5),
           rate("turntable", l1, "turntable", "l1", -1), rate("chain", l1, "chain", "l1", -1),
           rate("pendulum", l1, "pendulum", "l1", -1), rate("mixtures in K", kl, "mixture", "kl over k", -1),
           rate("mixtures in n", kl, "mixture", "kl over n", -1), slope_at("sampling", "sampling", "rms", -0.5)},
          {slope_at("hats have m = 1", "hat", "sup", -1), slope_at("smooth hats have m = 2", "smooth hat", "sup", -2),
           slope_at("it is the squared error", "hat", "l2 squared", -3),
           slope_at("noise has no rate", "chain", "l1", -0.5)}};
}

}  // namespace mercer::paper
