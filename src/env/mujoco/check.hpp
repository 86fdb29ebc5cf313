#pragma once

#include <string>
#include <string_view>

#include <mujoco/mujoco.h>

namespace mercer {

/// Throws `too_large` if MJCF text has more than 1,000 bodies, with the line of the first that is too many, and
/// `bad_format` if there is no text. Cheap, where compiling 10,000 bodies takes half a minute; `file` names the text.
void check_text(const std::string& file, std::string_view text);

/// Throws where Mercer cannot simulate a model: `bad_format` without actuators, `too_large` beyond 1,000 bodies, 4,000
/// positions and velocities or 256 MB of mjData, `out_of_range` for a time step outside 1e-6 to 1 s or a mass above
/// 1e10 kg, `not_finite` when the first 10 steps without control are unstable.
void check_model(const std::string& file, const mjModel& model);

}  // namespace mercer
