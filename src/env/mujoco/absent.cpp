#include <fmt/format.h>

#include "env/mujoco/tasks.hpp"
#include "mercer/error.hpp"

namespace mercer {

std::unique_ptr<Env> make_mujoco(const std::string& name, Params&) {
  throw Error(ErrorCode::missing_option,
              fmt::format("task '{}' needs MuJoCo, and this Mercer was built without it", name),
              "Install the package libmujoco-dev and build Mercer again: cmake finds it");
}

std::vector<Parameter> mujoco_parts(const std::string&, std::string_view) { return {}; }

}  // namespace mercer
