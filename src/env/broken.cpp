#include "env/broken.hpp"

#include <fmt/format.h>

#include "mercer/error.hpp"
#include "mercer/warning.hpp"

namespace mercer {

void report_broken(const std::string& task, std::size_t failed, std::size_t episodes) {
  if (failed == 0) return;
  const std::string counted = fmt::format(
      "the simulator of task '{}' failed in {} of {} episodes: its state was not finite", task, failed, episodes);
  if (failed > 1 && 10 * failed > episodes) {
    throw Error(ErrorCode::not_finite, counted,
                "Make the simulation steadier: a shorter time step, smaller forces, or start states that it can have");
  }
  warn(counted + "; they ended there");
}

}  // namespace mercer
