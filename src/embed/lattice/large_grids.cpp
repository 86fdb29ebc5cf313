#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "embed/lattice/large_lattice.hpp"
#include "embed/lattice/lattice_grids.hpp"
#include "lattice/cell_counter.hpp"
#include "lattice/quantile_sketch.hpp"
#include "mercer/error.hpp"
#include "mercer/parallel.hpp"

namespace mercer {

EpisodePieces::EpisodePieces(std::size_t count, std::size_t horizon) : episodes(count) {
  // Steps enough to keep all threads busy, in tens of megabytes; groups few enough that a sketch of each can be held.
  constexpr std::size_t steps = std::size_t{1} << 16, most_groups = 64;
  piece = std::clamp<std::size_t>(steps / std::max<std::size_t>(horizon, 1), 16, 4096);
  const std::size_t pieces = (count + piece - 1) / piece;
  group = (pieces + most_groups - 1) / most_groups * piece;
}

void play_pieces(const Env& env, const Policy& teacher, std::uint64_t seed, const EpisodePieces& pieces,
                 const Team& team, const TakePiece& take, const Progress& progress, const char* stage) {
  const Share own = pieces.own(team);
  RolloutOptions options;
  options.episodes = pieces.episodes;
  options.seed = seed;
  const Progress inner{{}, progress.stop};  // a bar for each piece would say nothing
  ProgressCounter counter(progress, stage, own.end - own.begin);
  for (std::size_t begin = own.begin; begin < own.end; begin += pieces.piece) {
    const std::size_t end = std::min(own.end, begin + pieces.piece);
    take(begin / pieces.group, rollout_part(env, teacher, options, {begin, end}, inner));
    counter.add(end - begin);
  }
}

namespace {

// What is kept of the numbers of one dimension, to make its edges from: a sketch of their quantiles, and the numbers
// themselves as long as they are few integers.
class AxisSketch {
 public:
  // `sketch` as `QuantileSketch` takes it; up to `bins` different integers are kept.
  AxisSketch(std::size_t bins, QuantileSketch sketch) : bins_(bins), sketch_(std::move(sketch)) {}

  void add(std::span<const double> numbers);
  void merge(const AxisSketch& other);

  const QuantileSketch& sketch() const { return sketch_; }
  std::optional<Edges> integer_edges() const;

  // For another process that knows `bins`.
  std::string to_bytes() const;
  static AxisSketch from_bytes(std::size_t bins, const std::string& bytes);

 private:
  void keep(double number);

  std::size_t bins_;
  QuantileSketch sketch_;
  bool only_integers_ = true;
  std::set<double> integers_;
};

void AxisSketch::keep(double number) {
  integers_.insert(number);
  only_integers_ = std::rint(number) == number && integers_.size() <= bins_;
  if (!only_integers_) integers_.clear();
}

void AxisSketch::add(std::span<const double> numbers) {
  sketch_.add(numbers);
  for (std::size_t i = 0; i < numbers.size() && only_integers_; ++i) keep(numbers[i]);
}

void AxisSketch::merge(const AxisSketch& other) {
  sketch_.merge(other.sketch_);
  if (!other.only_integers_) {
    only_integers_ = false;
    integers_.clear();
  }
  for (const double number : other.integers_) {
    if (only_integers_) keep(number);
  }
}

std::optional<Edges> AxisSketch::integer_edges() const {
  if (!only_integers_) return std::nullopt;
  return whole_number_edges(std::vector<double>(integers_.begin(), integers_.end()), bins_);
}

// A byte, how many integers, those, the sketch.
std::string AxisSketch::to_bytes() const {
  const std::vector<double> whole(integers_.begin(), integers_.end());
  const std::uint64_t count = whole.size();
  std::string bytes(1, only_integers_ ? 1 : 0);
  bytes.append(reinterpret_cast<const char*>(&count), sizeof count);
  bytes.append(reinterpret_cast<const char*>(whole.data()), count * sizeof(double));
  return bytes + sketch_.to_bytes();
}

AxisSketch AxisSketch::from_bytes(std::size_t bins, const std::string& bytes) {
  std::uint64_t count = 0;
  constexpr std::size_t head = 1 + sizeof count;
  if (bytes.size() >= head) std::memcpy(&count, bytes.data() + 1, sizeof count);
  if (bytes.size() < head || count > (bytes.size() - head) / sizeof(double)) {
    throw Error(ErrorCode::corrupt_file, "what was seen of a dimension is damaged", "Make it again");
  }
  std::vector<double> whole(count);
  if (count > 0) std::memcpy(whole.data(), bytes.data() + head, count * sizeof(double));
  AxisSketch axis(bins, QuantileSketch::from_bytes(bytes.substr(head + count * sizeof(double))));
  axis.only_integers_ = bytes[0] != 0;
  axis.integers_.insert(whole.begin(), whole.end());
  return axis;
}

// Column `d` of row-major data.
void copy_column(const std::vector<double>& rows, std::size_t dimensions, std::size_t d, std::span<double> out) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = rows[i * dimensions + d];
}

// A dimension of observations or, where their edges need data, of actions.
struct Dimension {
  std::size_t bins;
  EdgeRule rule;
  bool action;
  std::size_t column, columns;  // in the rollouts
};

std::vector<Dimension> dimensions_of(const Policy& teacher, const LatticeOptions& options) {
  std::vector<Dimension> all;
  const std::size_t seen = teacher.observation_dimensions(), played = teacher.action_space().dimensions();
  for (std::size_t d = 0; d < seen; ++d) {
    all.push_back({bins_for(options.state_bins, d, seen, "state"), options.state_edges, false, d, seen});
  }
  for (std::size_t d = 0; d < played && !action_grid_is_fixed(teacher, options); ++d) {
    all.push_back({bins_for(options.action_bins, d, played, "action"), options.action_edges, true, d, played});
  }
  return all;
}

// What there is to know of each dimension over all episodes: sketches of the groups, merged in their order.
class Survey {
 public:
  Survey(const LargeOptions& options, const EpisodePieces& pieces, std::vector<Dimension> dimensions)
      : options_(options), pieces_(pieces), dimensions_(std::move(dimensions)), groups_(dimensions_.size()) {}

  void add(std::size_t group, const Rollouts& played) {
    for_each_block(dimensions_.size(), 1, [&](Block block) {
      const Dimension& of = dimensions_[block.index];
      std::vector<AxisSketch>& seen = groups_[block.index];
      if (group != last_group_ || seen.empty()) seen.push_back(start(block.index, group));
      std::vector<double> numbers(played.steps());
      copy_column(of.action ? played.actions : played.observations, of.columns, of.column, numbers);
      seen.back().add(numbers);
    });
    last_group_ = group;
  }

  // The whole of one dimension, in every process.
  AxisSketch merged(std::size_t dimension, const Team& team) const {
    std::string mine;
    for (const AxisSketch& one : groups_[dimension]) {
      const std::string bytes = one.to_bytes();
      const std::uint64_t size = bytes.size();
      mine.append(reinterpret_cast<const char*>(&size), sizeof size);
      mine += bytes;
    }
    AxisSketch all = start(dimension, pieces_.groups());
    for (const std::string& theirs : gather_bytes(team, std::move(mine))) {
      for (std::size_t at = 0; at < theirs.size();) {
        std::uint64_t size = 0;
        std::memcpy(&size, theirs.data() + at, sizeof size);
        all.merge(AxisSketch::from_bytes(dimensions_[dimension].bins, theirs.substr(at + sizeof size, size)));
        at += sizeof size + size;
      }
    }
    return all;
  }

 private:
  AxisSketch start(std::size_t dimension, std::size_t group) const {
    const Dimension& of = dimensions_[dimension];
    // Even bins need the ends alone, which every sketch knows.
    const std::size_t k = of.rule.kind == EdgeKind::uniform ? 8 : options_.sketch;
    return {of.bins, QuantileSketch(k, options_.seed, dimension * (pieces_.groups() + 1) + group)};
  }

  const LargeOptions& options_;
  const EpisodePieces& pieces_;
  std::vector<Dimension> dimensions_;
  std::vector<std::vector<AxisSketch>> groups_;  // of each dimension, those of this process
  std::size_t last_group_ = 0;
};

EdgeSource edges_of(std::span<const AxisSketch> axes) {
  return {
      axes.size(),
      [=](std::size_t d, std::size_t bins, const EdgeRule& rule) { return sketch_edges(axes[d].sketch(), bins, rule); },
      [=](std::size_t d, std::size_t) { return axes[d].integer_edges(); }};
}

// The worst edge of all dimensions that are not known exactly.
EdgeAccuracy accuracy_of(std::span<const AxisSketch> axes, std::span<const Dimension> dimensions) {
  constexpr double delta = 0.01;
  EdgeAccuracy worst{axes[0].sketch().count(), 0, 0};
  const auto steps = static_cast<double>(worst.steps);
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const QuantileSketch& sketch = axes[d].sketch();
    if (dimensions[d].rule.kind == EdgeKind::uniform || (!dimensions[d].action && axes[d].integer_edges())) continue;
    // Interpolated edges ask for two ranks each.
    const double likely = sketch.rank_error(delta / static_cast<double>(axes.size()), 2 * (dimensions[d].bins + 1));
    worst.rank_error = std::max(worst.rank_error, likely / steps);
    worst.certain_error = std::max(worst.certain_error, sketch.certain_rank_error() / steps);
  }
  return worst;
}

}  // namespace

LargeGrids make_large_grids(const Env& env, const Policy& teacher, const LargeOptions& options,
                            const EpisodePieces& pieces, const Team& team, const Progress& progress) {
  const std::vector<Dimension> dimensions = dimensions_of(teacher, options.lattice);
  Survey survey(options, pieces, dimensions);
  run_in_team(team, [&] {
    play_pieces(
        env, teacher, options.seed, pieces, team,
        [&](std::size_t group, const Rollouts& played) { survey.add(group, played); }, progress, "edges");
  });
  std::vector<AxisSketch> axes;
  for (std::size_t d = 0; d < dimensions.size(); ++d) axes.push_back(survey.merged(d, team));
  const std::size_t seen = teacher.observation_dimensions();
  LargeGrids grids;
  grids.states = make_state_grid(teacher, edges_of(std::span(axes).first(seen)), options.lattice);
  grids.actions = make_action_grid(teacher, edges_of(std::span(axes).subspan(seen)), options.lattice);
  grids.accuracy = accuracy_of(axes, dimensions);
  for (const Edges& axis : grids.states.axes) grids.collapsed_bins += axis.collapsed;
  for (const Edges& axis : grids.actions.axes) grids.collapsed_bins += axis.collapsed;
  return grids;
}

Cells count_large_cells(const Env& env, const Policy& teacher, const LargeOptions& options, const Grid& states,
                        const EpisodePieces& pieces, const Team& team, const Progress& progress) {
  CellCounter counter(states);
  const std::size_t seen = states.dimensions();
  std::vector<double> points;
  run_in_team(team, [&] {
    play_pieces(
        env, teacher, options.seed, pieces, team,
        [&](std::size_t, const Rollouts& played) {
          points.resize(seen * played.steps());
          const MatrixView<double> view(points.data(), seen, played.steps());
          for (std::size_t d = 0; d < seen; ++d) copy_column(played.observations, seen, d, view.row(d));
          counter.add(view);
        },
        progress, "cells");
  });
  if (team.size > 1) {
    // Each list goes as soon as it has been taken over: together they are the most memory that is ever needed.
    for (std::string& theirs : team.gather(counter.take().to_bytes())) {
      counter.add(Cells::from_bytes(states, std::exchange(theirs, {})));
    }
  }
  Cells all = counter.take();
  return options.lattice.prune == 0 ? std::move(all) : all.pruned(options.lattice.prune);
}

}  // namespace mercer
