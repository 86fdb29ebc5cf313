#include "cli/screen.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace {

std::mutex& guard() {
  static std::mutex mutex;
  return mutex;
}

std::size_t live_lines = 0;  // below the text that stays; the cursor is at the end of the last

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

// From the first live line to the end of the screen.
std::string erasing() {
  if (live_lines == 0) return "";
  const std::string up = live_lines > 1 ? fmt::format("\x1b[{}A", live_lines - 1) : "";
  live_lines = 0;
  return "\r" + up + "\x1b[J";
}

void put(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

bool screen_is_live() {
  const char* kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) != 0 && (kind == nullptr || std::string_view(kind) != "dumb");
}

bool screen_has_colour() { return screen_is_live() && !is_set("NO_COLOR"); }

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

void print_text(const std::string& text) {
  const std::scoped_lock lock(guard());
  put(erasing() + text);
}

void show_live(std::vector<std::string> lines) {
  if (!screen_is_live() || lines.empty()) return;
  const std::size_t most = terminal_width() - 1;  // a full line would move the cursor to the next
  for (std::string& line : lines) line.resize(std::min(line.size(), most));
  const std::scoped_lock lock(guard());
  const std::string before = erasing();
  put(fmt::format("{}{}", before, fmt::join(lines, "\n")));
  live_lines = lines.size();
}

void erase_live() {
  const std::scoped_lock lock(guard());
  if (live_lines > 0) put(erasing());
}
