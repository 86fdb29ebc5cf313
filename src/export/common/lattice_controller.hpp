#pragma once

#include "embed/lattice/truncate_table.hpp"
#include "embed/payload/lattice_code.hpp"
#include "export/common/head.hpp"

namespace mercer {

/// A lattice embedding for a writer of C.
struct LatticeController {
  LatticeCode code;
  TableLayout layout;
  ControllerInterface outside;
  const LatticeEmbedding* model = nullptr;

  const Grid& states() const { return code.states; }
  const Cells& cells() const { return model->policy().cells(); }
  std::size_t rows() const { return code.cells(); }
  bool discrete() const { return code.discrete; }
  /// Every cell of the grid has a row.
  bool full() const { return static_cast<double>(rows()) >= code.states.cells(); }
  /// Number of row `row`'s cell in the grid.
  std::uint64_t key(std::size_t row) const;
  /// Of a visited cell; `rows()` for that of unvisited ones where all actions are equally likely there.
  std::vector<double> action(std::size_t row) const;
  /// Rows for a self-test, apart from each other.
  std::vector<std::size_t> test_rows() const;
  /// By how much the likeliest of discrete actions is likelier than the next one in a row. Where that is 0, rounding
  /// decides which of them code takes that computes rows from coefficients.
  double lead(std::size_t row) const;
};

/// Throws `too_large` for a lattice of 2^64 cells or more.
LatticeController lattice_controller(const LatticeEmbedding& embedding, ControllerInterface outside);

/// Observations of a lattice in fixed point: the q of each axis.
std::vector<int> lattice_obs_q(const LatticeController& controller);

/// C that finds the row of an observation: tables, functions and what they cost, appended to `text` and `body`.
///
/// `static int find(const T obs[N], uint32_t *row)` is 0 where the observation is not usable (float only). A row is
/// that of the cell, of the nearest visited one, or rows() where all actions are equally likely.
void write_lattice_find(const LatticeController& controller, const COptions& options, std::string& text, CBody& body);

CBody lattice_table_body(const LatticeController& controller, const COptions& options);
/// Throws `bad_value` for what has no coefficients: mixtures, counts and action edges of single cells.
CBody lattice_coefficient_body(const LatticeController& controller, const COptions& options);

/// The self-test of states in the middle of cells, macros of fixed point included. Of discrete actions only rows are
/// tested that lead by more than `least_lead`; if there are none, all actions pass that may come out in the first row.
void write_lattice_selftest(const LatticeController& controller, const COptions& options, std::span<const int> action_q,
                            CBody& body, double least_lead = 0);

}  // namespace mercer
