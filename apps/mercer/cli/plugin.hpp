#pragma once

#include <string>

/// Loads shared libraries (names separated by ':') whose tasks register themselves. Throws `bad_plugin`.
void load_plugins(const std::string& files);
