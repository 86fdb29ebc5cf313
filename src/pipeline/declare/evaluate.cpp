#include "pipeline/declare/parts.hpp"

namespace mercer {

using namespace declare;

OptionList options_of(EvaluateRequest& request) {
  OptionList list(request.given);
  add_task(list, request.task, &request.episodes, "Episodes to play", {text_of(RolloutOptions{}.act)});
  add_policy(list, request.policy, "Policy to play: " + policy_help);
  list.in(Group::policy)
      .add({.name = "against",
            .value = "POLICY",
            .help = "Second policy: measure what --policy loses against it",
            .choices = {"uniform", "tabular:"},
            .used_first = true},
           request.against.policy);
  list.in(Group::output)
      .add({.name = "rollouts", .value = "FILE", .help = "Measure the return of rollouts in a file instead of playing"},
           request.rollouts);
  list.add({.name = "behaviour",
            .help = "Also measure how actions move, how many episodes fail, and the distance from --against"},
           request.behaviour);
  add_seed(list, request);
  return list;
}

}  // namespace mercer
