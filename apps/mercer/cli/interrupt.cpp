#include "cli/interrupt.hpp"

#include <csignal>
#include <thread>

#include <unistd.h>

#include "io/file.hpp"

namespace {

std::stop_source& source() {
  static std::stop_source stop;
  return stop;
}

}  // namespace

void catch_interrupts() {
  // Signals are blocked in every thread and waited for in one, where requesting a stop is as safe as anywhere.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
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
