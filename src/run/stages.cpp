#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "io/file.hpp"
#include "io/limits.hpp"
#include "mercer/error.hpp"
#include "pipeline/documents.hpp"
#include "pipeline/options.hpp"
#include "run/sweep.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;
using Settings = std::map<std::string, std::string>;

template <class R>
R filled(const Settings& settings) {
  R request;
  OptionList options = options_of(request);
  for (const auto& [name, value] : settings) options.fill(name, value, "--" + name);
  return request;
}

template <class R>
std::vector<Option> options_for() {
  R request;
  return options_of(request).all();
}

struct Kind {
  SweepStage stage;
  std::string product;  // what later stages take; a training makes several files, of which the last counts
  std::vector<Option> (*options)();
  void (*check)(const Settings&);
  json (*run)(const Settings&, const Progress&);
};

template <class R>
void check_settings(const Settings& settings) {
  filled<R>(settings);
}

template <class R, class Work>
Kind kind(SweepStage stage, std::string product, Work) {
  static_assert(std::is_empty_v<Work>);
  return {std::move(stage), std::move(product), options_for<R>, check_settings<R>,
          [](const Settings& settings, const Progress& progress) {
            return document(Work{}(filled<R>(settings), progress));
          }};
}

// What a stage takes unless its table says otherwise. The policy at the top of the file is the teacher.
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = [] {
    std::vector<Kind> made;
    made.push_back(
        kind<TrainRequest>({"train", {}, {}, {}, true, true}, "",
                           [](const auto& request, const Progress& progress) { return train(request, progress); }));
    made.push_back(
        kind<RolloutRequest>({"rollout", {}, {}, {{"policy", {"train"}}}}, "rollouts.npz",
                             [](const auto& request, const Progress& progress) { return rollout(request, progress); }));
    made.push_back(
        kind<EmbedRequest>({"embed", {}, {}, {{"policy", {"train"}}, {"from", {"rollout"}}}}, "embedding.mercer",
                           [](const auto& request, const Progress& progress) { return embed(request, progress); }));
    made.push_back(kind<CompressRequest>(
        {"compress", {}, {}, {{"policy", {"train"}}}}, "embedding.mercer",
        [](const auto& request, const Progress& progress) { return compress(request, {}, progress); }));
    made.push_back(kind<CertifyRequest>(
        {"certify", {}, {}, {{"policy", {"train"}, "policy"}, {"file", {"compress", "embed"}}}}, "embedding.mercer",
        [](const auto& request, const Progress& progress) { return certify(request, progress); }));
    made.push_back(kind<EvaluateRequest>(
        {"evaluate", {}, {}, {{"policy", {"compress", "embed", "train"}}, {"against", {"train"}, "policy"}}, false}, "",
        [](const auto& request, const Progress& progress) { return evaluate(request, progress); }));
    return made;
  }();
  return all;
}

const Kind& kind_of(const std::string& stage) {
  return *std::ranges::find(kinds(), stage, [](const Kind& one) -> const std::string& { return one.stage.name; });
}

// Where results go is the sweep's business; the rest changes no result.
const std::set<std::string> not_swept{"out", "force", "batch", "checkpoint-seconds", "dry-run", "results"};

fs::path product_of(const Kind& kind, const fs::path& folder) {
  if (!kind.product.empty()) return folder / kind.product;
  fs::path last;
  for (const auto& file : fs::directory_iterator(folder)) {
    if (file.path().extension() == ".safetensors" && file.path() > last) last = file.path();
  }
  return last;
}

Settings complete(const SweepJob& job, const std::map<std::string, SweepProduct>& taken, const fs::path& folder) {
  Settings settings = job.settings;
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
      const std::vector<std::byte> bytes = read_file(settings["file"], limits::embedding_bytes);
      write_atomically(made, [&](std::ostream& out) {
        out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
      });
      settings["file"] = made;
    }
  } else if (job.stage == "train") {
    settings["out"] = folder.string();
  } else if (!kind.product.empty()) {
    settings["out"] = (folder / kind.product).string();
  }
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

std::vector<SweepStage> sweep_stages() {
  std::vector<SweepStage> stages;
  for (const Kind& kind : kinds()) {
    SweepStage stage = kind.stage;
    for (const Option& option : kind.options()) {
      if (not_swept.contains(option.name)) continue;
      stage.settings.push_back(option.name);
      if (option.value == "FILE" || option.value == "POLICY" || option.value == "TASK")
        stage.files.push_back(option.name);
    }
    stages.push_back(std::move(stage));
  }
  return stages;
}

void check_sweep_values(const SweepPlan& plan) {
  std::set<std::string> seen;
  for (const SweepJob& job : plan.jobs) {
    Settings fresh;
    for (const auto& [setting, value] : job.settings) {
      if (seen.insert(fmt::format("{}.{}={}", job.stage, setting, value)).second) fresh[setting] = value;
    }
    if (!fresh.empty()) kind_of(job.stage).check(fresh);
  }
}

std::string run_sweep_job(const SweepJob& job, const std::map<std::string, SweepProduct>& taken, const fs::path& folder,
                          const Progress& progress) {
  progress.check();
  json result = kind_of(job.stage).run(complete(job, taken, folder), progress);
  for (const char* left_over : {"checkpoint.safetensors", ".lock"}) fs::remove(folder / left_over);
  strip(result);
  return result.dump(2) + "\n";
}

}  // namespace mercer
