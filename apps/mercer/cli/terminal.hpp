#pragma once

#include <cstddef>
#include <cstdio>
#include <stop_token>

#include <fmt/format.h>

#include "mercer/parallel.hpp"

/// Prints a message on standard error. A failure to print (the stream is closed, the disk is full) is ignored.
template <class... Arguments>
void tell(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  std::fputs(fmt::format(format, std::forward<Arguments>(arguments)...).c_str(), stderr);
}

/// Gives the program standard streams where it was started without: files it opens must not take their places. Writing
/// to a standard output that was closed is then an error, as it should be.
void open_standard_streams();

/// Columns of the terminal on standard error; 80 if it is not a terminal.
std::size_t terminal_width();

/// True where block characters can be shown: the locale says UTF-8.
bool terminal_is_unicode();

/// A progress sink that watches for Ctrl-C and, on a terminal and unless `quiet`, draws a bar with the time left.
mercer::Progress terminal_progress(bool quiet);

/// From now on Ctrl-C (or a polite kill) asks the running work to stop, and a second one ends the program at once. To
/// be called before any thread is started.
void catch_interrupts();

/// What long work should watch.
std::stop_token interrupt_token();
