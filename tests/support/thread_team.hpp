#pragma once

#include <barrier>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "mercer/parallel.hpp"

namespace mercer {

/// Runs `body` on as many threads as the team has processes, each with a team of its own that gathers over the threads.
inline void run_team(std::size_t size, const std::function<void(const Team&)>& body) {
  std::vector<std::string> given(size);
  std::barrier<> meeting(static_cast<std::ptrdiff_t>(size));
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      body({rank, size, [&, rank](const std::string& mine) {
              given[rank] = mine;
              meeting.arrive_and_wait();
              std::vector<std::string> all = given;
              meeting.arrive_and_wait();
              return all;
            }});
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace mercer
