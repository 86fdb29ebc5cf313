#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "run/sweep.hpp"

/// Shows where a sweep is: on a terminal a table by stage that is drawn anew, elsewhere a line for each job that ends.
class SweepTable {
 public:
  SweepTable(const mercer::SweepPlan& plan, bool quiet);
  ~SweepTable();
  SweepTable(const SweepTable&) = delete;
  SweepTable& operator=(const SweepTable&) = delete;
  void show(const mercer::SweepState& state, const mercer::SweepOutcome* outcome);
  /// The rows as JSON, for those who watch from elsewhere.
  nlohmann::ordered_json document(const mercer::SweepState& state) const;

 private:
  struct Row {
    std::size_t done = 0, failed = 0, skipped = 0, total = 0;
  };
  std::size_t running(const mercer::SweepState& state, std::size_t stage) const;
  std::vector<std::string> lines(const mercer::SweepState& state) const;
  void tell_line(const mercer::SweepState& state, const mercer::SweepOutcome& outcome);

  const mercer::SweepPlan& plan_;
  bool quiet_, terminal_;
  std::vector<Row> rows_;
  double last_ = -1;
  mercer::SweepState latest_;
};
