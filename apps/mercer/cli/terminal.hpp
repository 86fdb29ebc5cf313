#pragma once

#include <stop_token>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include "cli/screen.hpp"
#include "core/printable.hpp"
#include "mercer/parallel.hpp"

/// A text that stands within a message, which somebody else may have chosen: a name must not erase the screen or add
/// lines. Numbers stay.
template <class T>
decltype(auto) within_a_message(T&& value) {
  if constexpr (std::is_convertible_v<T, std::string_view>) {
    return mercer::printable(std::string_view(value));
  } else {
    return std::forward<T>(value);
  }
}

/// Prints a message for people on standard error, above the bar if there is one. Its arguments are shown escaped; pages
/// and tables of several lines go to `print_text`.
template <class... Arguments>
void tell(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  print_text(fmt::vformat(format, fmt::make_format_args(within_a_message(std::forward<Arguments>(arguments))...)));
}

/// Gives the program standard streams where it was started without: files it opens must not take their places. Writing
/// to a standard output that was closed is then an error, as it should be.
void open_standard_streams();

/// True where block characters can be shown: the locale says UTF-8.
bool terminal_is_unicode();

/// What becomes of a sentence that the work has to say: it is logged at level `info`, or, by work that takes minutes,
/// printed where somebody looks on.
enum class Notes { logged, shown };

/// A progress sink that watches for Ctrl-C and, on a terminal and unless `quiet`, draws a bar with the time left.
mercer::Progress terminal_progress(bool quiet, Notes notes = Notes::logged);

/// "0:07", "12:34" or "1:02:03"
std::string duration_text(double seconds);

/// From now on Ctrl-C (or a polite kill) asks the running work to stop, and a second one ends the program at once. To
/// be called before any thread is started.
void catch_interrupts();

/// Where memory runs out in a function that may not fail, as destructors in libraries do, the process ends with the
/// error for that and leaves no temporary file.
void catch_lack_of_memory();

/// What long work should watch.
std::stop_token interrupt_token();
