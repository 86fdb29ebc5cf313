#include "mercer/rollout/paired.hpp"

namespace mercer {

PairedReturns paired_returns(const Env& env, const Policy& teacher, const Policy& student,
                             const RolloutOptions& options, const Progress& progress) {
  RolloutOptions returns_only = options;
  returns_only.keep_steps = false;
  Rollouts first = rollout(env, teacher, returns_only, progress);
  Rollouts second = rollout(env, student, returns_only, progress);
  return {std::move(first.returns),
          std::move(second.returns),
          std::move(first.discounted_returns),
          std::move(second.discounted_returns),
          env.return_range(options.horizon.value_or(env.task().time_limit)),
          options.seed};
}

}  // namespace mercer
