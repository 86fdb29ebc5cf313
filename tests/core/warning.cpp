#include "mercer/warning.hpp"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace mercer {
namespace {

TEST(Warnings, of_attempts_are_dropped_on_their_thread) {
  std::vector<std::string> seen;
  set_warning_sink([&](const std::string& sentence) { seen.push_back(sentence); });
  warn("before");
  {
    const NoWarnings outer;
    {
      const NoWarnings inner;
      warn("twice dropped");
    }
    warn("dropped");
    std::thread([] { warn("of another thread"); }).join();
  }
  warn("after");
  set_warning_sink({});
  EXPECT_EQ(seen, (std::vector<std::string>{"before", "of another thread", "after"}));
}

}  // namespace
}  // namespace mercer
