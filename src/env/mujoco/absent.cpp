#include <fmt/format.h>

#include "env/mujoco/tasks.hpp"
#include "mercer/error.hpp"

namespace mercer {

std::unique_ptr<Env> make_mujoco(const std::string& name, Params&) {
  throw Error(ErrorCode::missing_option,
              fmt::format("task '{}' needs MuJoCo, which this build of Mercer does not have", name),
              "Install libmujoco-dev and build again with -DMERCER_MUJOCO=ON");
}

std::vector<Parameter> mujoco_parts(const std::string&, std::string_view) { return {}; }

}  // namespace mercer
