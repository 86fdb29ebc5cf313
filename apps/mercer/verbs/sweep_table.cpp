#include "verbs/sweep_table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/terminal.hpp"

namespace {

std::string clock_text(double seconds) {
  const long whole = std::lround(seconds);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace

SweepTable::SweepTable(const mercer::SweepPlan& plan, bool quiet)
    : plan_(plan), quiet_(quiet), terminal_(screen_is_live()), rows_(plan.stages.size()) {
  for (const mercer::SweepJob& job : plan.jobs) {
    ++rows_[static_cast<std::size_t>(std::ranges::find(plan.stages, job.stage) - plan.stages.begin())].total;
  }
}

// The last state stays on the screen.
SweepTable::~SweepTable() {
  if (!quiet_ && terminal_ && latest_.total > 0) print_text(fmt::format("{}\n", fmt::join(lines(latest_), "\n")));
}

void SweepTable::show(const mercer::SweepState& state, const mercer::SweepOutcome* outcome) {
  if (state.ended && outcome) {
    const auto stage = std::ranges::find(plan_.stages, plan_.jobs[*state.ended].stage) - plan_.stages.begin();
    Row& row = rows_[static_cast<std::size_t>(stage)];
    row.done += outcome->state == mercer::SweepOutcome::State::done;
    row.failed += outcome->state == mercer::SweepOutcome::State::failed;
    row.skipped += outcome->state == mercer::SweepOutcome::State::skipped;
    if (!terminal_ && !quiet_) tell_line(state, *outcome);
  }
  latest_ = state;
  if (quiet_ || !terminal_ || state.seconds - last_ < 0.1) return;
  last_ = state.seconds;
  show_live(lines(state));
}

std::size_t SweepTable::running(const mercer::SweepState& state, std::size_t stage) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      state.running, [&](std::size_t job) { return plan_.jobs[job].stage == plan_.stages[stage]; }));
}

nlohmann::ordered_json SweepTable::document(const mercer::SweepState& state) const {
  auto out = nlohmann::ordered_json::array();
  for (std::size_t s = 0; s < rows_.size(); ++s) {
    out.push_back({{"stage", plan_.stages[s]},
                   {"done", rows_[s].done},
                   {"failed", rows_[s].failed},
                   {"skipped", rows_[s].skipped},
                   {"running", running(state, s)},
                   {"total", rows_[s].total}});
  }
  return out;
}

std::vector<std::string> SweepTable::lines(const mercer::SweepState& state) const {
  constexpr auto row = "{:<10} {:>7} {:>7} {:>7} {:>7} {:>7}";
  std::vector<std::string> out{fmt::format(row, "stage", "done", "failed", "skipped", "running", "of")};
  for (std::size_t s = 0; s < rows_.size(); ++s) {
    out.push_back(fmt::format(row, plan_.stages[s], rows_[s].done, rows_[s].failed, rows_[s].skipped, running(state, s),
                              rows_[s].total));
  }
  out.push_back(
      fmt::format("{} elapsed, {} left", clock_text(state.seconds), state.left ? clock_text(*state.left) : "?"));
  return out;
}

void SweepTable::tell_line(const mercer::SweepState& state, const mercer::SweepOutcome& outcome) {
  const mercer::SweepJob& job = plan_.jobs[*state.ended];
  std::string line = fmt::format("{}/{} {}", state.done + state.failed + state.skipped, state.total, job.stage);
  for (const std::string& key : plan_.varied) {
    const std::size_t dot = key.find('.');
    const bool own = dot != std::string::npos && key.substr(0, dot) == job.stage;
    const std::string setting = dot == std::string::npos ? key : key.substr(dot + 1);
    const auto value = job.settings.find(setting);
    if ((own || dot == std::string::npos) && value != job.settings.end()) {
      line += fmt::format(" {}={}", setting, value->second);
    }
  }
  if (outcome.state != mercer::SweepOutcome::State::done) {
    tell("{}: {}: {}\n", line, to_string(outcome.state), outcome.text);
  } else {
    tell("{}: {}, {} left\n", line, outcome.found ? "found" : fmt::format("{:.2f} s", outcome.seconds),
         state.left ? clock_text(*state.left) : "?");
  }
}
