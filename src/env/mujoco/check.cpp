#include "env/mujoco/check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "io/limits.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

constexpr int most_bodies = limits::model_bodies, most_coordinates = limits::model_coordinates;
constexpr double most_megabytes = limits::model_data;

void require_at_most(const std::string& file, std::string_view things, double count, double most) {
  if (count <= most) return;
  throw Error(ErrorCode::too_large, fmt::format("'{}' has {} {}; legal: at most {}", file, count, things, most),
              "Simplify the model");
}

/// Calls `visit` with the offset of each <body of the text that no comment hides, until it returns false.
template <class Visit>
void each_body(std::string_view text, Visit visit) {
  constexpr std::string_view tag = "<body", comment = "<!--";
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with(comment)) {
      at = text.find("-->", at);
      if (at == std::string_view::npos) return;
    } else if (rest.starts_with(tag) && rest.size() > tag.size() &&
               std::string_view(" \t\r\n/>").find(rest[tag.size()]) != std::string_view::npos) {
      if (!visit(at)) return;
    }
  }
}

std::string name_of(const mjModel& model, mjtObj type, int index) {
  const char* const name = mj_id2name(&model, type, index);
  return name && *name ? fmt::format("'{}'", name) : fmt::format("{}", index);
}

void check_masses(const std::string& file, const mjModel& model) {
  for (int body = 0; body < model.nbody; ++body) {
    const mjtNum* const inertia = model.body_inertia + 3 * body;
    for (const double value : {model.body_mass[body], inertia[0], inertia[1], inertia[2]}) {
      require_in_range(fmt::format("'{}': mass or inertia of body {}", file, name_of(model, mjOBJ_BODY, body)), value,
                       0, mjMAXVAL, "Use kilograms and metres");
    }
  }
}

void check_steps(const std::string& file, const mjModel& model) {
  const std::unique_ptr<mjData, void (*)(mjData*)> data(mj_makeData(&model), mj_deleteData);
  const double bytes = data ? data->nbuffer + 8.0 * data->nstack : std::numeric_limits<double>::infinity();
  require_at_most(file, "MB of simulation data", std::ceil(bytes / (1024 * 1024)), most_megabytes);
  for (int step = 0; step < 10; ++step) {
    try {
      mj_step(&model, data.get());
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("'{}': {}", file, error.problem()), error.remedy());
    }
    for (const int bad : {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC}) {
      const mjWarningStat& warning = data->warning[bad];
      if (warning.number == 0) continue;
      throw Error(ErrorCode::not_finite,
                  fmt::format("'{}' is unstable from the start: {}", file, mju_warningText(bad, warning.lastinfo)),
                  "Use a smaller time step, or check masses and forces");
    }
  }
}

}  // namespace

void check_text(const std::string& file, std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw Error(ErrorCode::bad_format, fmt::format("'{}' is empty", file), "Give an MJCF file");
  }
  int count = 0;
  each_body(text, [&](std::size_t at) {
    if (++count <= most_bodies) return true;
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    throw Error(
        ErrorCode::too_large,
        fmt::format("'{}', line {}: more than {} bodies; legal: at most {}", file, line, most_bodies, most_bodies),
        "Simplify the model");
  });
}

void check_model(const std::string& file, const mjModel& model) {
  require_at_most(file, "bodies", model.nbody, most_bodies);
  require_at_most(file, "positions and velocities", model.nq + model.nv, most_coordinates);
  if (model.nu == 0) {
    throw Error(ErrorCode::bad_format, fmt::format("'{}' has no actuator", file),
                "Add a motor to the section <actuator>; a URDF has none: write it as MJCF first");
  }
  require_in_range(fmt::format("'{}': timestep", file), model.opt.timestep, 1e-6, 1, "Change it in <option>");
  check_masses(file, model);
  check_steps(file, model);
}

}  // namespace mercer
