#include "pipeline/suggest.hpp"

#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "pipeline/teacher.hpp"

namespace mercer {

std::string policy_file_words(const std::string& file) {
  constexpr std::pair<const char*, const char*> kinds[] = {
      {".onnx", "an ONNX network"},
      {".zip", "an agent of Stable-Baselines3"},
      {".safetensors", "a file of tensors, such as 'mercer train' writes"},
      {".pt", "a file of torch"},
      {".pth", "a file of torch"},
      {".cleanrl_model", "a model of CleanRL"},
      {".msgpack", "a file of flax"},
      {".npz", "a file of arrays"},
      {".json", "a JSON document"}};
  for (const auto& [ending, words] : kinds) {
    if (file.ends_with(ending)) return words;
  }
  return {};
}

void require_embedding(const std::string& file, const std::string& verb, const std::string& flags) {
  const std::string words = policy_file_words(file);
  if (words.empty()) return;
  const std::string made = std::filesystem::path(file).replace_extension(".mercer").filename().string();
  throw Error(
      ErrorCode::bad_format, fmt::format("'{}' is {}, and an embedding (.mercer) is needed", file, words),
      fmt::format(
          "Make one with 'mercer compress --env TASK --policy {} --max-loss 1% --out {}', then run 'mercer {} {}{}{}'",
          file, made, verb, made, flags.empty() ? "" : " ", flags));
}

Error with_fitting_tasks(const Error& mismatch, const PolicyRequest& request) {
  std::vector<std::string> fitting;
  for (const EnvEntry& entry : known_envs()) {
    try {
      const auto env = make_env(entry.name);
      make_policy(request.policy, env->task(), request.settings);
      fitting.push_back("--env " + entry.name);
    } catch (const Error&) {
      continue;  // it needs a file, it is not in this build, or the policy is not for it
    }
  }
  const std::string inspect =
      fmt::format("'mercer inspect {}' shows what the policy takes and gives", named_file(request.policy));
  const std::string remedy =
      fitting.empty()
          ? fmt::format("It fits no built-in task. {}; Python plays it in any Gymnasium environment", inspect)
          : fmt::format("It fits {}; {}", fmt::join(fitting, ", "), inspect);
  return {mismatch.code(), mismatch.problem(), remedy};
}

}  // namespace mercer
