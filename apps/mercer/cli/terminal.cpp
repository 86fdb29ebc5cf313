#include "cli/terminal.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/printable.hpp"
#include "io/file.hpp"

namespace {

std::stop_source& source() {
  static std::stop_source stop;
  return stop;
}

using Clock = std::chrono::steady_clock;

std::string duration_text(double seconds) {
  const long whole = std::lround(seconds);
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

// Redraws one line, at most ten times a second; erased when the work is done.
class Bar {
 public:
  ~Bar() {
    if (drawn_) tell("\r\x1b[K");
  }
  void draw(std::string_view stage, double fraction) {
    const auto now = Clock::now();
    if (!first_) first_ = fraction;
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    const double passed = std::chrono::duration<double>(now - start_).count();
    constexpr std::size_t width = 30;
    const auto full = static_cast<std::size_t>(fraction * width);
    tell("\r{} [{}{}] {:3.0f}%  {} left\x1b[K", stage, std::string(full, '='), std::string(width - full, ' '),
         100 * fraction, left(passed, fraction));
    drawn_ = true;
  }

 private:
  // Work that was taken up again did not begin at zero.
  std::string left(double passed, double fraction) const {
    return fraction > *first_ ? duration_text(passed * (1 - fraction) / (fraction - *first_)) : "?";
  }

  std::optional<double> first_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
  bool drawn_ = false;
};

}  // namespace

void catch_interrupts() {
  // Signals are blocked in every thread and waited for in one, where requesting a stop is as safe as anywhere.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit is then an error of writing, like a full disk
  source();
  std::thread([signals] {
    int number = 0;
    sigwait(&signals, &number);
    source().request_stop();
    sigwait(&signals, &number);
    mercer::remove_unfinished_files();
    ::_exit(130);
  }).detach();
}

std::stop_token interrupt_token() { return source().get_token(); }

void open_standard_streams() {
  for (const auto& [stream, flags] : {std::pair{0, O_RDONLY}, {1, O_RDONLY}, {2, O_WRONLY}}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    const int opened = ::open("/dev/null", flags);  // takes the lowest free number: this one
    if (opened < 0) return;
  }
}

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

bool terminal_is_unicode() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') continue;
    std::string text(value);
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text.find("utf-8") != std::string::npos || text.find("utf8") != std::string::npos;
  }
  return false;
}

mercer::Progress terminal_progress(bool quiet) {
  mercer::Progress progress;
  progress.stop = interrupt_token();
  progress.note = [](const std::string& sentence) { spdlog::info("{}", mercer::printable(sentence)); };
  if (!quiet && ::isatty(STDERR_FILENO) != 0) {
    progress.report = [bar = std::make_shared<Bar>()](std::string_view stage, double fraction) {
      bar->draw(stage, fraction);
    };
  }
  return progress;
}
