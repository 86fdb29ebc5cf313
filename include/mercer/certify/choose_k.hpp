#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "mercer/certify/certify.hpp"

namespace mercer {

/// One K that was tried on split 1.
struct KPoint {
  std::size_t k = 0;
  double loss_percent = 0;              ///< measured
  std::optional<double> upper_percent;  ///< promised, were it the only one tried
  double upper_return = 0;
  bool met = false;
};

struct KChoice {
  std::vector<KPoint> curve;  ///< by rising K, split 1: what was tried
  std::size_t k = 0;          ///< chosen
  bool met = false;           ///< its certificate keeps the budget
  Certificate certificate;    ///< of the chosen K, on split 2; where nothing met, of the best that was tried
};

/// Makes the student with K coefficients: what will act, decoded.
using StudentOfK = std::function<std::shared_ptr<const Policy>(std::size_t k)>;

/// The smallest K in [least, most] whose certified loss keeps the budget of `options` (`max_loss` or
/// `max_loss_return`).
///
/// Split 1 (seed `options.seed`) finds it: the certified loss at `most`, then halving on a scale of ratios between a K
/// that fails and one that keeps, then the last four values one by one, since losses need not fall with K. Split 2
/// (the seed after it) certifies the K found; should it fail there, a K larger by a seventh is tried, up to `attempts`
/// times, the j-th of them spending (1 - confidence) / (j (j + 1)). So the certificate holds although K was
/// chosen by data. The teacher is played once on each split. Throws `missing_option` without a budget.
KChoice choose_k(const Env& env, const Policy& teacher, const StudentOfK& student, std::size_t least, std::size_t most,
                 const CertifyOptions& options, std::size_t attempts = 3, const Progress& progress = {});

}  // namespace mercer
