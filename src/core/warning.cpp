#include "mercer/warning.hpp"

#include "core/printable.hpp"

namespace mercer {
namespace {

std::function<void(const std::string&)>& receiver() {
  static std::function<void(const std::string&)> sink;
  return sink;
}

thread_local int dropping = 0;

}  // namespace

NoWarnings::NoWarnings() { ++dropping; }
NoWarnings::~NoWarnings() { --dropping; }

void set_warning_sink(std::function<void(const std::string&)> sink) { receiver() = std::move(sink); }

void warn(const std::string& sentence) {
  if (dropping == 0 && receiver()) receiver()(printable(sentence));
}

}  // namespace mercer
