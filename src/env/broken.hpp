#pragma once

#include <cstddef>
#include <string>

namespace mercer {

/// Reports that the simulator of a task failed in `failed` of `episodes` episodes (`StepEnd::broken`): nothing for
/// none, a warning for a few, `not_finite` for more than one in ten, since such a simulator plays something else than
/// was asked for.
void report_broken(const std::string& task, std::size_t failed, std::size_t episodes);

}  // namespace mercer
