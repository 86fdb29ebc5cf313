// Every rung of the ladder for embeddings of seven tasks in four bases with several K: what was measured stays below
// every rigorous, exact and statistical bound, and what was solved in a model below every bound there. Prints a table
// for docs/guide/guarantees.md; ends with 1 if a bound fails.
//
//     mercer_sweep_ladder FOLDER_OF_POLICIES [paired episodes, default 300]

#include <chrono>
#include <cstdlib>
#include <set>

#include <fmt/core.h>

#include "support/ladder_sweep.hpp"

namespace {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::string cell(const mercer::LadderTally& own) {
  std::string text = own.least <= own.most ? fmt::format("{:.2g} to {:.2g}", own.least, own.most) : "not measured";
  if (own.vacuous == own.rows) return text + ", vacuous";
  return own.vacuous == 0 ? text : text + fmt::format(", {}/{} vacuous", own.vacuous, own.rows);
}

}  // namespace

using mercer::Level;

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "mercer_sweep_ladder FOLDER_OF_POLICIES [paired episodes]\n");
    return 2;
  }
  mercer::LadderSweepOptions options;
  if (argc > 2) options.episodes = std::strtoull(argv[2], nullptr, 10);
  const double begin = seconds();
  std::size_t broken = 0, embeddings = 0;
  for (const mercer::LadderTask& task : mercer::ladder_tasks(argv[1])) {
    mercer::LadderTallies tallies;
    mercer::sweep_ladder(task, options, [&](const std::string&, const mercer::Certificate& made) {
      mercer::tally(tallies, made);
      ++embeddings;
    });
    fmt::print("\n| {}: bound | level | slack | largest measured / bound | least |\n", task.name);
    fmt::print("| --- | --- | --- | --- | --- |\n");
    for (const Level level : {Level::statistical, Level::rigorous, Level::model, Level::exact, Level::paper}) {
      for (const auto& [term, own] : tallies) {
        if (own.level != level) continue;
        broken += own.level == Level::paper ? 0 : own.violations;
        const std::string fails = own.violations > 0 ? fmt::format(", below the truth {} times", own.violations) : "";
        fmt::print("| {} | {} | {}{} | {:.2g} | {} |\n", term, name(level), cell(own), fails, own.worst, own.wins);
      }
    }
  }
  fmt::print("\n{} embeddings, {:.0f} s; violations of statistical, rigorous, model and exact rows: {}\n", embeddings,
             seconds() - begin, broken);
  return broken == 0 ? 0 : 1;
}
