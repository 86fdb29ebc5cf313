#pragma once

#include <span>

namespace mercer {

/// What stays allowed when Landlock takes everything else.
struct LandlockKeeps {
  bool read = false;                  ///< reading files anywhere, or
  std::span<const int> folders = {};  ///< below these open folders
  bool listen = false;                ///< binding TCP sockets
};

/// Gives up for good, for this thread and all that it starts from now on: writing, creating, removing and executing
/// files (but /dev/null), TCP connections to others, and what `keeps` does not name. What is open stays open. Needs
/// Linux 5.13; the network 6.7. No library is needed, and it may be called between fork and exec.
///
/// Returns whether the kernel does it. Sets "no new privileges", which Landlock requires, in any case.
bool landlock(const LandlockKeeps& keeps);

}  // namespace mercer
