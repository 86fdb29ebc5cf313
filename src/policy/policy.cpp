#include "mercer/policy/policy.hpp"

#include "policy/scratch.hpp"

namespace mercer {

void Policy::log_prob_many(MatrixView<const double> observation, MatrixView<const double> action,
                           MatrixView<double> out) const {
  const std::size_t each = out.cols();
  const bool shared = action.cols() == each;
  for_each_chunk(out.rows() * each, [&](std::size_t begin, std::size_t count) {
    const Scratch states(observation.rows(), count), actions(action.rows(), count), found(1, count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t pair = begin + i, column = shared ? pair % each : pair;
      for (std::size_t r = 0; r < observation.rows(); ++r) states.view()(r, i) = observation(r, pair / each);
      for (std::size_t d = 0; d < action.rows(); ++d) actions.view()(d, i) = action(d, column);
    }
    log_prob(states.view(), actions.view(), found.view().row(0));
    for (std::size_t i = 0; i < count; ++i) out((begin + i) / each, (begin + i) % each) = found.view()(0, i);
  });
}

bool Policy::cdf(MatrixView<const double>, std::size_t, MatrixView<const double>, MatrixView<double>) const {
  return false;
}

}  // namespace mercer
