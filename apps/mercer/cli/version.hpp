#pragma once

#include <string>

std::string version_number();
/// Version, commit, compiler, flags: what a bug report needs.
std::string version_text();
