#include "verbs/sweep_stages.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "cli/program.hpp"
#include "explorer/report.hpp"
#include "mercer/error.hpp"

namespace fs = std::filesystem;

using mercer::Error;
using mercer::ErrorCode;
using json = nlohmann::ordered_json;

namespace {

struct Kind {
  mercer::SweepStage stage;
  void (*add)(Program&);
  std::string product;  // what later stages take; a training makes several files, of which the last counts
};

// What a stage takes unless it is told otherwise. The policy at the top of the file is the teacher.
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = [] {
    std::vector<Kind> made;
    made.push_back({{"train", {}, {}, {}, true, true}, add_train, ""});
    made.push_back({{"rollout", {}, {}, {{"policy", {"train"}}}}, add_rollout, "rollouts.npz"});
    made.push_back({{"embed", {}, {}, {{"policy", {"train"}}, {"from", {"rollout"}}}}, add_embed, "embedding.mercer"});
    made.push_back({{"compress", {}, {}, {{"policy", {"train"}}}}, add_compress, "embedding.mercer"});
    made.push_back({{"certify", {}, {}, {{"policy", {"train"}, "policy"}, {"file", {"compress", "embed"}}}},
                    add_certify,
                    "embedding.mercer"});
    made.push_back(
        {{"evaluate", {}, {}, {{"policy", {"compress", "embed", "train"}}, {"against", {"train"}, "policy"}}, false},
         add_evaluate,
         ""});
    return made;
  }();
  return all;
}

const Kind& kind_of(const std::string& stage) {
  return *std::ranges::find(kinds(), stage, [](const Kind& kind) -> const std::string& { return kind.stage.name; });
}

// Where results go and what is told is the sweep's business; the rest of these changes no result.
const std::set<std::string> not_swept{"out",    "json",  "quiet", "log-level",          "threads", "config",
                                      "plugin", "force", "batch", "checkpoint-seconds", "dry-run"};

fs::path product_of(const Kind& kind, const fs::path& folder) {
  if (!kind.product.empty()) return folder / kind.product;
  fs::path last;
  for (const auto& file : fs::directory_iterator(folder)) {
    if (file.path().extension() == ".safetensors" && file.path() > last) last = file.path();
  }
  return last;
}

std::map<std::string, std::string> complete(const mercer::SweepJob& job,
                                            const std::map<std::string, mercer::SweepProduct>& taken,
                                            const fs::path& folder) {
  std::map<std::string, std::string> settings = job.settings;
  for (auto& [setting, value] : settings) {
    if (!value.starts_with("@")) continue;
    const std::size_t colon = std::min(value.find(':'), value.size());
    const std::string stage = value.substr(1, colon - 1);
    value = product_of(kind_of(stage), taken.at(stage).folder).string() + value.substr(colon);
  }
  const Kind& kind = kind_of(job.stage);
  if (job.stage == "certify") {
    // The certificate is written into the embedding, and what another job made must not change.
    const std::string made = (folder / kind.product).string();
    if (settings.contains("file") && settings["file"].ends_with(".mercer")) {
      fs::copy_file(settings["file"], made, fs::copy_options::overwrite_existing);
      settings["file"] = made;
    }
  } else if (job.stage == "train") {
    settings["out"] = folder.string();
  } else if (!kind.product.empty()) {
    settings["out"] = (folder / kind.product).string();
  }
  settings["json"] = settings["quiet"] = "true";
  return settings;
}

// What differs from one run of the same job to the next.
void strip(json& value) {
  if (value.is_object()) {
    for (const char* key : {"seconds", "file", "files", "resumed_from"}) value.erase(key);
  }
  if (value.is_structured()) {
    for (json& inner : value) strip(inner);
  }
}

}  // namespace

std::vector<mercer::SweepStage> sweep_stages() {
  std::vector<mercer::SweepStage> stages;
  for (const Kind& kind : kinds()) {
    Program program;
    kind.add(program);
    mercer::SweepStage stage = kind.stage;
    for (const Setting& setting : program.verbs().front()->settings->all()) {
      if (not_swept.contains(setting.name)) continue;
      stage.settings.push_back(setting.name);
      if (setting.value == "FILE" || setting.value == "POLICY" || setting.value == "TASK") {
        stage.files.push_back(setting.name);
      }
    }
    stages.push_back(std::move(stage));
  }
  return stages;
}

void check_sweep_values(const mercer::SweepPlan& plan) {
  std::set<std::string> seen;
  for (const mercer::SweepJob& job : plan.jobs) {
    std::map<std::string, std::string> fresh;
    for (const auto& [setting, value] : job.settings) {
      if (seen.insert(fmt::format("{}.{}={}", job.stage, setting, value)).second) fresh[setting] = value;
    }
    if (fresh.empty()) continue;
    Program program;
    kind_of(job.stage).add(program);
    program.fill(job.stage, fresh);
  }
}

std::string run_sweep_job(const mercer::SweepJob& job, const std::map<std::string, mercer::SweepProduct>& taken,
                          const fs::path& folder, const mercer::Progress& progress) {
  progress.check();
  Program program;
  kind_of(job.stage).add(program);
  const Verb& verb = program.fill(job.stage, complete(job, taken, folder));
  JsonCatch caught;
  try {
    verb.run();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_met || caught.document.is_null()) throw;
    caught.document["met"] = false;
  }
  for (const char* left_over : {"checkpoint.safetensors", ".lock"}) fs::remove(folder / left_over);
  strip(caught.document);
  return caught.document.dump(2) + "\n";
}
