#include "cli/terminal.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <typeinfo>

#include <cxxabi.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "core/printable.hpp"
#include "core/time_left.hpp"
#include "io/coded.hpp"
#include "io/file.hpp"
#include "mercer/error.hpp"

namespace {

std::stop_source& source() {
  static std::stop_source stop;
  return stop;
}

using Clock = std::chrono::steady_clock;

// Redraws one line, at most ten times a second; erased when the work is done.
class Bar {
 public:
  ~Bar() { erase_live(); }
  void draw(std::string_view stage, double fraction) {
    const std::optional<double> left = left_.at(fraction);
    const auto now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    constexpr std::size_t width = 30;
    const auto full = static_cast<std::size_t>(std::clamp(fraction, 0.0, 1.0) * width);
    show_live({fmt::format("[{}{}] {:3.0f}%  {:>5} left  {}", std::string(full, '='), std::string(width - full, ' '),
                           100 * fraction, left ? duration_text(*left) : "?", stage)});
  }

 private:
  mercer::TimeLeft left_;
  Clock::time_point last_ = Clock::now();
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

void catch_lack_of_memory() {
  // Compilers may end the process before the exception counts as caught, and its type is not known then.
  static thread_local bool memory_ran_out = false;
  std::set_new_handler([] {
    memory_ran_out = true;
    throw std::bad_alloc();
  });
  static const std::terminate_handler before = std::set_terminate([] {
    const std::type_info* const what = abi::__cxa_current_exception_type();
    if (what == nullptr ? !memory_ran_out : *what != typeid(std::bad_alloc)) return before();
    mercer::remove_unfinished_files();
    constexpr int code = static_cast<int>(mercer::ErrorCode::too_large) / 100;
    for (const char* text : {"mercer: error E208: ", mercer::no_memory, ". ", mercer::no_memory_remedy, ".\n"}) {
      [[maybe_unused]] const ssize_t written = ::write(2, text, std::strlen(text));
    }
    ::_exit(code);
  });
}

std::stop_token interrupt_token() { return source().get_token(); }

void open_standard_streams() {
  for (const auto& [stream, flags] : {std::pair{0, O_RDONLY}, {1, O_RDONLY}, {2, O_WRONLY}}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    const int opened = ::open("/dev/null", flags);  // takes the lowest free number: this one
    if (opened < 0) return;
  }
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

std::string duration_text(double seconds) {
  const long whole = std::lround(seconds);
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

mercer::Progress terminal_progress(bool quiet, Notes notes) {
  mercer::Progress progress;
  progress.stop = interrupt_token();
  const bool seen = !quiet && screen_is_live();
  progress.note = [shown = seen && notes == Notes::shown](const std::string& sentence) {
    const std::string text = mercer::printable(sentence);
    shown ? tell("{}\n", text) : spdlog::info("{}", text);
  };
  if (seen) {
    progress.report = [bar = std::make_shared<Bar>()](std::string_view stage, double fraction) {
      bar->draw(stage, fraction);
    };
  }
  return progress;
}
