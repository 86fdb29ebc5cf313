#include <fmt/format.h>

#include "env/mujoco/built_in.hpp"
#include "env/mujoco/mujoco_env.hpp"
#include "env/mujoco/tasks.hpp"
#include "io/file.hpp"
#include "io/limits.hpp"
#include "io/ordinary.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

struct LoadedRobot {
  std::string name;
  Robot robot;
  ModelPointer model;
};

LoadedRobot load(const std::string& name, Params& params) {
  const auto choose = [&](const std::string& key, bool standard) {
    const std::string value = params.text(key, standard ? "true" : "false");
    if (value == "true" || value == "false") return value == "true";
    throw Error(ErrorCode::bad_value, fmt::format("task '{}': {} is '{}'", name, key, value), "Give true or false");
  };
  if (name != "mujoco") {
    const std::string file = name + ".toml";
    return {name, read_robot(built_in_text(file), file, choose), built_in_model(name)};
  }
  const std::filesystem::path file = params.text("file", "");
  if (file.empty()) {
    throw Error(ErrorCode::missing_option, "task 'mujoco' needs a file",
                "Write 'mujoco:FILE.toml'; docs/guide/robots.md shows such a file");
  }
  Robot robot = read_robot(read_text(file, limits::toml_bytes), file.string(), choose);
  const std::filesystem::path path = file.parent_path() / robot.model;
  if (!is_ordinary_file(path)) {
    throw Error(ErrorCode::cannot_open,
                fmt::format("'{}' line {}: there is no file '{}'", file.string(), robot.model_line, path.string()),
                "Give the model's name relative to this file");
  }
  ModelPointer model = load_model(path);
  return {file.stem().string(), std::move(robot), std::move(model)};
}

std::vector<Factor> all_factors(const mjModel& model) {
  std::vector<Factor> all = whole_factors();
  std::ranges::move(part_factors(model), std::back_inserter(all));
  return all;
}

std::vector<Parameter> parameters_of(const std::vector<Factor>& factors) {
  std::vector<Parameter> all;
  for (const Factor& factor : factors) all.push_back(factor.parameter);
  return all;
}

}  // namespace

std::unique_ptr<Env> make_mujoco(const std::string& name, Params& params) {
  LoadedRobot loaded = load(name, params);
  Plan plan = make_plan(*loaded.model, loaded.robot, loaded.name);
  std::vector<Factor> factors = all_factors(*loaded.model);
  DrawnParameters drawn = read_physics(parameters_of(factors), params, plan.rows.drawn);
  return std::make_unique<MujocoEnv>(std::move(loaded.model), std::move(plan), std::move(factors), std::move(drawn));
}

std::vector<Parameter> mujoco_parts(const std::string& name, std::string_view settings) {
  Params params("task '" + name + "'", settings, 0);
  if (name == "mujoco" && !params.has("file")) return {};
  const ModelPointer model = load(name, params).model;
  return parameters_of(part_factors(*model));
}

}  // namespace mercer
