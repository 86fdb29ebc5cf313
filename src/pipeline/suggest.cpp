#include "pipeline/suggest.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "env/spec.hpp"
#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "mercer/warning.hpp"
#include "pipeline/teacher.hpp"

namespace mercer {

namespace {

namespace fs = std::filesystem;

// What stands in the place of an embedding, by its first bytes; empty where its reader should say.
std::string content_words(const std::string& file) {
  std::error_code none;
  if (fs::is_directory(file, none)) return "a folder";
  if (!fs::is_regular_file(file, none)) return {};
  std::array<char, 512> start{};
  std::ifstream stream(file, std::ios::binary);
  const auto count = static_cast<std::size_t>(stream.read(start.data(), start.size()).gcount());
  if (stream.bad()) return {};
  if (count == 0) return "an empty file";
  constexpr std::size_t head = 8;  // bytes of its length, before the JSON that every embedding begins with
  if (count > head && start[head] == '{' && start[head - 1] == '\0') return {};
  const bool text = std::ranges::none_of(std::span(start).first(count), [](char c) {
    return (c >= 0 && c < ' ' && c != '\n' && c != '\r' && c != '\t') || c == 127;
  });
  return text ? "a text file" : "neither an embedding nor a policy that Mercer reads";
}

}  // namespace

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

bool is_task(const std::string& name) {
  std::error_code none;
  return !name.ends_with(".json") && !fs::exists(name, none) && knows_env(name);
}

void require_embedding(const std::string& file, const std::string& verb, const std::string& flags) {
  const std::string then = flags.empty() ? "" : " " + flags;
  if (is_task(file)) {
    const std::string made = split_spec(file).name + ".mercer";
    throw Error(
        ErrorCode::bad_format, fmt::format("'{}' is a task, and an embedding (.mercer) is needed", file),
        fmt::format("Make one with 'mercer compress --env {} --policy FILE --max-loss 1% --out {}', then run 'mercer "
                    "{} {}{}'",
                    file, made, verb, made, then));
  }
  const std::string words = policy_file_words(file);
  if (words.empty() && !file.ends_with(".mercer")) {
    const std::string other = content_words(file);
    if (other.empty()) return;
    throw Error(ErrorCode::bad_format, fmt::format("'{}' is {}, and an embedding (.mercer) is needed", file, other),
                other == "a folder" ? "Name a .mercer file in it"
                                    : "Name a .mercer file, which 'mercer compress' and 'mercer embed' write");
  }
  if (words.empty()) return;
  const std::string made = fs::path(file).replace_extension(".mercer").filename().string();
  throw Error(
      ErrorCode::bad_format, fmt::format("'{}' is {}, and an embedding (.mercer) is needed", file, words),
      fmt::format(
          "Make one with 'mercer compress --env TASK --policy {} --max-loss 1% --out {}', then run 'mercer {} {}{}'",
          file, made, verb, made, then));
}

Error with_fitting_tasks(const Error& mismatch, const PolicyRequest& request) {
  const NoWarnings attempts;
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
