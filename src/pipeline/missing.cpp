#include "pipeline/missing.hpp"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mercer/error.hpp"

namespace mercer {
namespace {

struct Needed {
  const char* option;
  bool given;
};

void require_all(const char* verb, std::vector<Needed> needed, const char* example) {
  const std::size_t all = needed.size();
  std::erase_if(needed, [](const Needed& one) { return one.given; });
  if (needed.size() < 2) return;
  std::vector<std::string> words;
  for (const Needed& one : needed) words.emplace_back(one.option);
  const std::string last = words.back();
  words.pop_back();
  throw Error(ErrorCode::missing_option,
              fmt::format("'mercer {}' {}needs {} and {}", verb, needed.size() < all ? "also " : "",
                          fmt::join(words, ", "), last),
              fmt::format("For example: 'mercer {} {}'; 'mercer list' shows tasks and policies", verb, example));
}

bool named(const TaskRequest& task) { return !task.env.empty() || task.object || task.player; }
bool named(const PolicyRequest& policy) { return !policy.policy.empty() || policy.object; }

}  // namespace

void require_named(const TrainRequest& request) {
  require_all("train", {{"--env TASK", !request.env.empty()}, {"--out DIR", !request.out.empty()}},
              "--env pendulum --out run");
}

void require_named(const RolloutRequest& request) {
  require_all("rollout",
              {{"--env TASK", named(request.task)},
               {"--policy POLICY", named(request.policy)},
               {"--out FILE.npz", !request.out.empty()}},
              "--env pendulum --policy uniform --out rollouts.npz");
}

void require_named(const EvaluateRequest& request) {
  if (!request.rollouts.empty()) return;
  require_all("evaluate", {{"--env TASK", named(request.task)}, {"--policy POLICY", named(request.policy)}},
              "--env pendulum --policy actor.onnx");
}

void require_named(const EmbedRequest& request) {
  require_all("embed",
              {{"--env TASK", named(request.task)},
               {"--policy POLICY", named(request.teacher)},
               {"--out FILE.mercer", !request.out.empty()}},
              "--env pendulum --policy actor.onnx --basis dct --k 500 --out small.mercer");
}

void require_named(const CompressRequest& request) {
  require_all("compress",
              {{"--env TASK", named(request.task)},
               {"--policy POLICY", named(request.teacher)},
               {"--out FILE.mercer", !request.out.empty()}},
              "--env pendulum --policy actor.onnx --max-loss 1% --out small.mercer");
}

}  // namespace mercer
