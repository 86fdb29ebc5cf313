#include "pipeline/declare/parts.hpp"

namespace mercer {

using namespace declare;

OptionList options_of(RolloutRequest& request) {
  OptionList list(request.given);
  add_task(list, request.task, &request.episodes, "Episodes to play", {text_of(RolloutOptions{}.act)});
  add_policy(list, request.policy, "Policy to play: " + policy_help);
  add_out(list, request.out, "FILE", "File to write: .npz or .csv");
  add_seed(list, request);
  return list;
}

}  // namespace mercer
