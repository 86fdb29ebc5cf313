#include "series.hpp"

#include <chrono>
#include <cstdio>
#include <ctime>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "mercer/parallel.hpp"
#include "mercer/random.hpp"

double processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<double> normals(std::size_t count, std::uint64_t seed) {
  std::vector<double> out(count);
  constexpr std::size_t together = 4096;
  mercer::for_each_block(count, together, [&](mercer::Block block) {
    mercer::Random random({seed, mercer::Stage::simulate, block.index, 0});
    for (std::size_t i = block.begin; i < block.end; ++i) out[i] = random.normal();
  });
  return out;
}

void print(const Record& record) {
  nlohmann::json line{{"axis", record.axis}, {"part", record.part},       {"theory", record.theory},
                      {"size", record.size}, {"seconds", record.seconds}, {"operations", record.operations}};
  if (!record.clock.empty()) line["clock"] = record.clock;
  if (record.peak_gib > 0) line["peak_gib"] = record.peak_gib;
  fmt::print("{}\n", line.dump());
  std::fflush(stdout);
}

void measure(const Series& series, std::size_t repeats) {
  constexpr double least_seconds = 0.05;
  const mercer::ThreadLimit limit(1);  // threads that wait for each other would take time that is not work
  struct Work {
    std::function<void()> call;
    std::size_t calls = 1;
    std::vector<double> seconds{};
  };
  std::vector<Work> all;
  for (const Point& point : series.points) {
    Work& work = all.emplace_back(Work{point.prepare()});
    work.call();
    const auto timed = [&] {
      const double begin = processor_seconds();
      for (std::size_t i = 0; i < work.calls; ++i) work.call();
      return processor_seconds() - begin;
    };
    while (timed() < least_seconds) work.calls *= 2;
  }
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    for (Work& work : all) {
      const double begin = processor_seconds();
      for (std::size_t i = 0; i < work.calls; ++i) work.call();
      work.seconds.push_back((processor_seconds() - begin) / static_cast<double>(work.calls));
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Point& point = series.points[i];
    print({series.axis, series.part, series.theory, point.size, point.operations, all[i].seconds});
  }
}
