#include "mercer/version.hpp"

#define MERCER_TEXT_OF(number) #number
#define MERCER_TEXT(number) MERCER_TEXT_OF(number)

namespace mercer {

const char* version() {
  return MERCER_TEXT(MERCER_VERSION_MAJOR) "." MERCER_TEXT(MERCER_VERSION_MINOR) "." MERCER_TEXT(MERCER_VERSION_PATCH);
}

}  // namespace mercer
