#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "ratio.hpp"

namespace {

std::vector<Ratio>& ratios() {
  static std::vector<Ratio> all;
  return all;
}

// Prints the aggregates and remembers nanoseconds per item of every repetition.
class RatioReporter : public benchmark::ConsoleReporter {
 public:
  RatioReporter() : ConsoleReporter(::isatty(1) != 0 ? OO_Defaults : OO_Tabular) {}  // colours only on a terminal

  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> aggregates;
    std::ranges::copy_if(runs, std::back_inserter(aggregates),
                         [](const Run& run) { return run.run_type == Run::RT_Aggregate; });
    if (!aggregates.empty()) ConsoleReporter::ReportRuns(aggregates);
    for (const Run& run : runs) {
      const auto items = run.counters.find("items_per_second");
      if (run.run_type != Run::RT_Iteration || run.error_occurred || items == run.counters.end()) continue;
      const std::string& arguments = run.run_name.args;
      nanoseconds_[run.run_name.function_name + (arguments.empty() ? "" : "/" + arguments)].push_back(1e9 /
                                                                                                      items->second);
    }
  }

  // Returns how many ratios were missed.
  int print_ratios() {
    int missed = 0;
    for (const Ratio& ratio : ratios()) {
      const double subject = median(ratio.subject);
      const double reference = median(ratio.reference);
      if (subject == 0 || reference == 0) continue;  // filtered out
      const bool met = reference / subject >= ratio.at_least;
      missed += met ? 0 : 1;
      fmt::print("{}: {:.3g} ns against {:.3g} ns an item, {:.2f} times as fast (asked: {:.3g}) {}\n", ratio.what,
                 subject, reference, reference / subject, ratio.at_least, met ? "met" : "MISSED");
    }
    return missed;
  }

 private:
  double median(const std::string& name) {
    std::vector<double>& values = nanoseconds_[name];
    if (values.empty()) return 0;
    std::ranges::sort(values);
    return values[values.size() / 2];
  }
  std::map<std::string, std::vector<double>> nanoseconds_;
};

// What bench/table.py reads beside the times: the ratios that are asked for, and what compiled them.
void add_context() {
  nlohmann::json asked = nlohmann::json::array();
  for (const Ratio& ratio : ratios()) {
    asked.push_back({{"what", ratio.what},
                     {"subject", ratio.subject},
                     {"reference", ratio.reference},
                     {"at_least", ratio.at_least}});
  }
  benchmark::AddCustomContext("mercer_ratios", asked.dump());
  benchmark::AddCustomContext("mercer_compiler", MERCER_BENCH_COMPILER);
  benchmark::AddCustomContext("mercer_flags", MERCER_BENCH_FLAGS);
}

}  // namespace

bool declare_ratio(Ratio ratio) {
  ratios().push_back(std::move(ratio));
  return true;
}

int main(int argc, char** argv) {
  // Neighbours on a shared machine come and go: interleaved repetitions meet the same weather.
  std::vector<char*> arguments(argv, argv + argc);
  std::string repetitions = "--benchmark_repetitions=9";
  std::string interleaving = "--benchmark_enable_random_interleaving=true";
  arguments.insert(arguments.begin() + 1, {repetitions.data(), interleaving.data()});
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  const bool writes = std::ranges::any_of(std::span(argv, argc),
                                          [](std::string_view word) { return word.starts_with("--benchmark_out="); });
  if (writes) add_context();  // a person does not want to read it
  RatioReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return reporter.print_ratios() == 0 ? 0 : 1;
}
