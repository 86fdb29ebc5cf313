#pragma once

/// The version of these headers. CMake reads it from here, so it is spelled nowhere else.
#define MERCER_VERSION_MAJOR 0
#define MERCER_VERSION_MINOR 2
#define MERCER_VERSION_PATCH 0

namespace mercer {

/// The version of the library that is linked, such as "0.2.0".
const char* version();

}  // namespace mercer
