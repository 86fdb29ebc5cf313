#pragma once

#include <cstddef>

#include "mercer/core/progress.hpp"

/// Columns of the terminal on standard error, 80 where it is none.
std::size_t terminal_width();

/// True where block characters can be shown: the locale says UTF-8.
bool terminal_is_unicode();

/// A progress sink that watches for Ctrl-C and, on a terminal and unless `quiet`, draws a bar with the time left.
mercer::Progress terminal_progress(bool quiet);
