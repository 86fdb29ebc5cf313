#pragma once

#include <string>
#include <vector>

#include "mercer/export.hpp"

namespace mercer {

/// Exported C as a library that projects take in: sources in src/, build files for CMake, Arduino, PlatformIO and
/// Zephyr, a README, a test that plays ten stored episodes, a program that prints one, and the deviations from MISRA
/// C:2012. docs/guide/export.md lists the files.
///
/// Tasks with a C model (pendulum, cart-pole, both mountain cars) are played in closed loop by the test. Of other tasks
/// observations are stored where the embedding went; where the task cannot be made, test vectors take their place.
///
/// `url` is the home page that Arduino asks of a library. Empty: one of example.com, which the README says to replace.
/// Throws `bad_value` unless it begins with http:// or https:// and is printable ASCII without spaces.
std::vector<ExportedFile> export_kit(const EmbeddingFile& file, const COptions& options, const CExport& made,
                                     const std::string& url = {});

}  // namespace mercer
