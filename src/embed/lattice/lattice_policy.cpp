#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "embed/lattice/action_rows.hpp"
#include "embed/lattice/cell_finder.hpp"
#include "mercer/embedding.hpp"
#include "mercer/error.hpp"
#include "policy/batch.hpp"

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <Named Choice>
Choice choice(const PolicySetting& setting) {
  if (const std::optional<Choice> found = find_name<Choice>(setting.value)) return *found;
  throw_unknown(fmt::format("'{}' in {}", setting.key, setting.source), setting.value, names<Choice>());
}

std::size_t count(const PolicySetting& setting) {
  std::size_t number = 0;
  const char* const end = setting.value.data() + setting.value.size();
  const auto read = std::from_chars(setting.value.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) {
    throw Error(ErrorCode::bad_value,
                fmt::format("{}: {}={} is not an integer", setting.source, setting.key, setting.value),
                "Give a number such as 64");
  }
  return number;
}

}  // namespace

LatticePolicy::LatticePolicy(std::string name, Contract contract, std::shared_ptr<const Cells> cells, Grid actions,
                             PolicyTable table, LatticePlay playing, OwnEdges own, const Acting& acting)
    : Policy(std::move(name), std::move(contract)),
      cells_(std::move(cells)),
      actions_(std::move(actions)),
      own_(std::move(own)),
      playing_(playing) {
  // A map of all cells takes at most as much memory as the table and its sums do.
  prepare(table.pi.size() == table.rows * table.cols ? table.rows : 0, table.cols, 4 * table.pi.size());
  rows_ = decoded_rows(std::move(table), acting, cells_->counts());
}

LatticePolicy::LatticePolicy(std::string name, Contract contract, std::shared_ptr<const Cells> cells, Grid actions,
                             CoefficientTable table, LatticePlay playing, OwnEdges own, const Acting& acting)
    : Policy(std::move(name), std::move(contract)),
      cells_(std::move(cells)),
      actions_(std::move(actions)),
      own_(std::move(own)),
      playing_(playing) {
  prepare(table.place.size(), table.columns, 0);
  rows_ = coefficient_rows(std::move(table), acting, cells_->counts());
}

void LatticePolicy::prepare(std::size_t rows, std::size_t columns, std::size_t most_mapped) {
  const std::size_t seen = cells_->grid().dimensions();
  columns_ = static_cast<std::size_t>(actions_.cells());
  if (rows != cells_->size() || columns != columns_ || seen != observation_dimensions() ||
      actions_.dimensions() != action_space().dimensions() || rows == 0) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("policy '{}': a table of {} x {} for {} cells of {} observations and {} action cells of {} "
                            "dimensions",
                            name(), rows, columns, cells_->size(), seen, columns_, actions_.dimensions()),
                "Give a row for each visited cell and a column for each action cell");
  }
  own_.check(rows, actions_);
  if (action_space().is_discrete()) playing_.noise = false;
  for (std::size_t d = 0; d < actions_.dimensions(); ++d) {
    for (std::size_t a = 0; a < columns_; ++a) {
      middles_.push_back(actions_.axes[d].centre(actions_.bin(a, d)));
      widths_.push_back(actions_.axes[d].width(actions_.bin(a, d)));
    }
  }
  finder_ = std::make_shared<const CellFinder>(cells_, playing_.unvisited == Unvisited::nearest, most_mapped);
}

bool LatticePolicy::has_table() const { return rows_->table() != nullptr; }

const PolicyTable& LatticePolicy::table() const {
  if (!has_table()) {
    throw Error(ErrorCode::missing_option, fmt::format("policy '{}' acts from coefficients and has no table", name()),
                "Decode it with RowsFrom::decoded, or ask for rows");
  }
  return *rows_->table();
}

void LatticePolicy::row(std::size_t cell, std::span<double> out) const { rows_->read(cell, out); }

double LatticePolicy::probability(std::size_t row, std::size_t cell) const {
  return row == uniform_row ? 1 / static_cast<double>(columns_) : rows_->probability(row, cell);
}

double LatticePolicy::middle(std::size_t row, std::size_t cell, std::size_t dimension) const {
  const Grid& grid = own_.of(row, actions_);
  return &grid == &actions_ ? middles_[dimension * columns_ + cell]
                            : grid.axes[dimension].centre(grid.bin(cell, dimension));
}

std::size_t LatticePolicy::draw_cell(std::size_t cell, Random& random) const { return rows_->draw(cell, random); }

void LatticePolicy::place_action(std::size_t cell, std::size_t action_cell, Random& random, double* action,
                                 std::size_t stride) const {
  const Grid& grid = own_.of(cell, actions_);
  const bool common = &grid == &actions_;
  for (std::size_t d = 0; d < actions_.dimensions(); ++d) {
    double value = middle(cell, action_cell, d);
    if (playing_.noise) {
      const double width = common ? widths_[d * columns_ + action_cell] : grid.axes[d].width(grid.bin(action_cell, d));
      value += width * (random.uniform() - 0.5);
    }
    action[d * stride] = value;
  }
}

// Views are read here, field by field, and not handed on: to copy one just written costs as much as a draw does.
void LatticePolicy::sample(MatrixView<const double> observation, const Draws& draws, MatrixView<double> action) const {
  for (std::size_t i = 0; i < action.cols(); ++i) {
    const std::size_t row = finder_->find(&observation(0, i), observation.stride());
    Random random = draws.random(i);
    const std::size_t cell =
        row == uniform_row
            ? std::min(static_cast<std::size_t>(random.uniform() * static_cast<double>(columns_)), columns_ - 1)
            : rows_->draw(row, random);
    place_action(row, cell, random, &action(0, i), action.stride());
  }
}

void LatticePolicy::mean_action(MatrixView<const double> observation, MatrixView<double> action) const {
  const Scratch scratch(1, columns_);
  const std::span<double> own = scratch.view().row(0);
  for (std::size_t i = 0; i < action.cols(); ++i) {
    const std::size_t row = finder_->find(&observation(0, i), observation.stride());
    if (row == uniform_row) {
      std::ranges::fill(own, 1 / static_cast<double>(columns_));
    } else {
      rows_->read(row, own);
    }
    if (action_space().is_discrete()) {
      action(0, i) = static_cast<double>(std::ranges::max_element(own) - own.begin());
      continue;
    }
    for (std::size_t d = 0; d < action.rows(); ++d) {
      double mean = 0;
      for (std::size_t a = 0; a < columns_; ++a) mean += own[a] * middle(row, a, d);
      action(d, i) = mean;
    }
  }
}

void LatticePolicy::log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                             std::span<double> out) const {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t row = finder_->find(&observation(0, i), observation.stride());
    const Grid& grid = own_.of(row, actions_);
    std::size_t cell = 0;
    double log_volume = 0;
    bool possible = true;
    for (std::size_t d = 0; d < action.rows(); ++d) {
      const Edges& axis = grid.axes[d];
      const double a = action(d, i);
      const std::size_t bin = axis.bin(a);
      cell = cell * axis.bins() + bin;
      if (playing_.noise) {
        possible = possible && a >= axis.values.front() && a <= axis.values.back();
        log_volume += std::log(axis.width(bin));
      } else {
        possible = possible && a == axis.centre(bin);
      }
    }
    out[i] = possible ? std::log(probability(row, cell)) - log_volume : -infinity;
  }
}

Acting parse_acting(std::span<const PolicySetting> settings) {
  static const std::vector<std::string> keys{"from", "draw", "proposals", "proposal"};
  Acting acting;
  for (const PolicySetting& setting : settings) {
    if (setting.key == "from") {
      acting.from = choice<RowsFrom>(setting);
    } else if (setting.key == "draw") {
      acting.draw = choice<DrawRule>(setting);
    } else if (setting.key == "proposals") {
      acting.proposals = count(setting);
    } else if (setting.key == "proposal") {
      acting.proposal = choice<Proposal>(setting);
    } else {
      throw_unknown("setting of an embedding", setting.key, keys);
    }
  }
  return acting;
}

}  // namespace mercer
