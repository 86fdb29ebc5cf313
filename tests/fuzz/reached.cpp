#include "fuzz/reached.hpp"

#include <cstdio>
#include <cstdlib>

namespace {

const char* fuzzer_name = "";
const char* reached_what = "";
std::function<std::string()> more_to_say;
std::size_t count = 0;
std::vector<std::string> kept;

void report() {
  const char* const least = std::getenv("FUZZ_LEAST");
  const std::string more = more_to_say ? more_to_say() : std::string();
  std::fprintf(stderr, "%s: %zu inputs %s%s\n", fuzzer_name, count, reached_what, more.c_str());
  if (least != nullptr && count < std::strtoull(least, nullptr, 10)) {
    std::fprintf(stderr, "%s: fewer than %s: most inputs are refused at the first check\n", fuzzer_name, least);
    std::_Exit(3);
  }
}

}  // namespace

void count_reached(const char* fuzzer, const char* what, std::function<std::string()> more) {
  fuzzer_name = fuzzer;
  reached_what = what;
  more_to_say = std::move(more);
  std::atexit(report);
}
void reached(std::span<const std::uint8_t> input) {
  constexpr std::size_t most = 256;
  if (kept.size() < most) kept.emplace_back();
  kept[count++ % kept.size()].assign(reinterpret_cast<const char*>(input.data()), input.size());
}
const std::vector<std::string>& kept_inputs() { return kept; }
