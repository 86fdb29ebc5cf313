#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "mercer/error.hpp"
#include "run/store.hpp"
#include "run/sweep.hpp"

namespace mercer {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_cells = 1'000'000;

// The stage of "@train" or "@train:kind=greedy"; empty for any other value.
std::string reference_of(const std::string& value) {
  if (!value.starts_with("@")) return "";
  return value.substr(1, value.find(':') - 1);
}

class Planner {
 public:
  Planner(const fs::path& file, const std::vector<SweepStage>& known, const fs::path& from)
      : file_(read_sweep_file(file, known)),
        name_(file.string()),
        base_(fs::absolute(file).parent_path()),
        from_(fs::absolute(from)) {
    for (const std::string& name : file_.stages) {
      stages_.push_back(&*std::ranges::find(known, name, &SweepStage::name));
    }
    plan_.stages = file_.stages;
    plan_.varied = file_.varied;
  }

  SweepPlan make() {
    std::size_t cells = 1;
    for (const SweepAxis& axis : file_.axes) {
      cells *= axis.steps;
      if (cells <= most_cells) continue;
      throw Error(ErrorCode::too_large, fmt::format("'{}' has more than {} cells", name_, most_cells),
                  "Give fewer values, or make several sweeps of it");
    }
    for (std::size_t cell = 0; cell < cells; ++cell) add_cell(cell);
    return std::move(plan_);
  }

 private:
  void add_cell(std::size_t number) {
    std::map<std::string, std::string> chosen;  // by key
    for (const auto& [key, values] : file_.values) chosen[key] = values.front();
    for (std::size_t a = file_.axes.size(); a-- > 0;) {
      const SweepAxis& axis = file_.axes[a];
      for (const std::string& key : axis.keys) chosen[key] = file_.values.at(key)[number % axis.steps];
      number /= axis.steps;
    }
    SweepCell cell;
    for (const std::string& key : plan_.varied) cell.values.push_back(chosen.at(key));
    std::map<std::string, std::size_t> made;  // jobs of this cell by stage
    for (const SweepStage* stage : stages_) {
      cell.jobs.push_back(add_job(*stage, chosen, made));
      made[stage->name] = cell.jobs.back();
    }
    plan_.cells.push_back(std::move(cell));
  }

  std::size_t add_job(const SweepStage& stage, const std::map<std::string, std::string>& chosen,
                      const std::map<std::string, std::size_t>& made) {
    SweepJob job;
    job.stage = stage.name;
    job.resumes = stage.resumes;
    for (const std::string& setting : stage.settings) {
      const auto own = chosen.find(stage.name + "." + setting), top = chosen.find(setting);
      if (own != chosen.end()) {
        job.settings[setting] = own->second;
      } else if (const std::string taken = taken_by(stage, setting, chosen, job); !taken.empty()) {
        job.settings[setting] = taken;
      } else if (top != chosen.end()) {
        job.settings[setting] = top->second;
      }
    }
    nlohmann::json all{{"stage", job.stage}, {"settings", nlohmann::json::object()}};
    for (auto& [setting, value] : job.settings) {
      if (const std::string other = reference_of(value); !other.empty()) {
        job.takes[other] = referred(stage, setting, other, made);
        all["takes"][other] = plan_.jobs[job.takes[other]].id;
      } else if (has_name(stage.files, setting)) {
        value = locate(value, job.files);
      }
      all["settings"][setting] = value;
    }
    job.id = sha256(all.dump()).substr(0, 32);
    const auto [known, fresh] = jobs_.emplace(job.id, plan_.jobs.size());
    if (fresh) plan_.jobs.push_back(std::move(job));
    return known->second;
  }

  // What an earlier stage fills in. A stage does not take one thing in two places: a teacher against itself.
  std::string taken_by(const SweepStage& stage, const std::string& setting,
                       const std::map<std::string, std::string>& chosen, const SweepJob& job) const {
    for (const SweepTake& take : stage.takes) {
      if (take.setting != setting) continue;
      std::string value;
      for (const std::string& other : take.stages) {
        if (value.empty() && has_name(plan_.stages, other)) value = "@" + other;
      }
      if (value.empty() && !take.top.empty() && chosen.contains(take.top)) value = chosen.at(take.top);
      const bool twice = std::ranges::any_of(job.settings, [&](const auto& one) { return one.second == value; });
      return twice ? "" : value;
    }
    return "";
  }

  std::size_t referred(const SweepStage& stage, const std::string& setting, const std::string& other,
                       const std::map<std::string, std::size_t>& made) const {
    std::vector<std::string> earlier;
    for (const SweepStage* one : stages_) {
      if (one == &stage) break;
      if (one->makes) earlier.push_back(one->name);
    }
    if (!has_name(earlier, other)) {
      throw_unknown(fmt::format("earlier stage in '{}' for {}.{}", name_, stage.name, setting), other, earlier);
    }
    return made.at(other);
  }

  // A value may be FILE, FILE:more or kind:FILE. What is no file there is left as it is.
  std::string locate(const std::string& value, std::vector<std::string>& files) const {
    std::vector<std::pair<std::size_t, std::size_t>> parts{{0, value.size()}};
    if (const std::size_t colon = value.find(':'); colon != std::string::npos) {
      parts.insert(parts.end(), {{0, colon}, {colon + 1, value.size()}});
    }
    for (const auto& [begin, end] : parts) {
      const fs::path path = base_ / value.substr(begin, end - begin);
      if (begin == end || !fs::is_regular_file(path)) continue;
      const std::string seen = path.lexically_normal().lexically_relative(from_.lexically_normal()).string();
      files.push_back(seen);
      // Settings of a network may be in a file next to it.
      const fs::path beside = fs::path(path).replace_extension(".toml");
      if (fs::is_regular_file(beside)) files.push_back(fs::path(seen).replace_extension(".toml").string());
      return value.substr(0, begin) + seen + value.substr(end);
    }
    return value;
  }

  SweepFile file_;
  std::string name_;
  fs::path base_, from_;
  std::vector<const SweepStage*> stages_;
  std::map<std::string, std::size_t> jobs_;  // by id
  SweepPlan plan_;
};

}  // namespace

SweepPlan plan_sweep(const fs::path& file, const std::vector<SweepStage>& known, const fs::path& from) {
  return Planner(file, known, from).make();
}

}  // namespace mercer
