#pragma once

#include <cstdlib>

namespace mercer {

/// Whether fault 1 to 8 is planted, to show that tests/certify finds it: docs/guide/guarantees.md lists them. In the
/// library and the program none ever is. The tests build `mercer_faulty` with MERCER_PLANT_FAULTS; there the
/// environment variable PLANTED_FAULT names one (the program refuses any MERCER_* that it does not know).
#ifdef MERCER_PLANT_FAULTS
[[maybe_unused]] static bool planted(int fault) {
  static const char* const asked = std::getenv("PLANTED_FAULT");
  return asked != nullptr && std::atoi(asked) == fault;
}
#else
[[maybe_unused]] static constexpr bool planted(int) { return false; }
#endif

}  // namespace mercer
