#pragma once

#include <functional>
#include <string>

#include "io/limits.hpp"

namespace mercer {

/// What a process of its own may use.
struct ApartLimits {
  double seconds = limits::model_seconds;   ///< from start to end, and of CPU time
  double megabytes = limits::model_memory;  ///< beyond what this process has; not with sanitizers, whose shadow is
                                            ///< larger than any limit
};

/// What `work` returns in a copy of this process, so that a crash, an exit or a loop inside it leaves this one alone.
/// Throws the `Error` that `work` throws, `too_large` beyond a limit, `bad_format` after a crash or an exit; `what`
/// names the work in these: "'robot.xml'". The copy has no other threads: hold the locks that `work` needs.
std::string run_apart(const std::string& what, const ApartLimits& limits, const std::function<std::string()>& work);

}  // namespace mercer
