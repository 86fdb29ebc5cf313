#include "export/lattice_c.hpp"

#include <algorithm>
#include <cmath>

#include "export/c_text.hpp"
#include "export/float_functions.hpp"
#include "mercer/core/error.hpp"

namespace mercer {
namespace {

// The bin is found by the same halving as Edges::bin, with the same comparisons: single-precision edges and
// observations give the same bin as in the library.
class LatticeWriter {
 public:
  LatticeWriter(const LatticeEmbedding& embedding, const Outside& outside)
      : policy_(embedding.policy()), cells_(policy_.cells()), grid_(cells_.grid()), outside_(outside) {
    if (grid_.cells() >= 4294967296.0) {
      throw Error(ErrorCode::too_large, fmt::format("a lattice of {:.3g} cells; legal: below 2^32", grid_.cells()),
                  "Take fewer bins, or the continuous route");
    }
  }

  CBody write() {
    const std::size_t d = grid_.dimensions(), m = outside_.actions(), count = cells_.size();
    nearest_ = policy_.playing().unvisited == Unvisited::nearest && static_cast<double>(count) < grid_.cells();
    uniform_ = policy_.playing().unvisited == Unvisited::uniform && static_cast<double>(count) < grid_.cells();
    write_tables();
    text_ += float_functions::unusable();
    const std::pair<std::string, std::string> places[] = {
        {"N", std::to_string(d)}, {"M", std::to_string(m)}, {"C", std::to_string(count)}, {"found", found()}};
    text_ += fill(R"(/* How many of the edges are not above the value: halving, without a branch that data decides. */
static uint32_t bin(float value, const float *inner, uint32_t count)
{
  uint32_t found = 0, half;
  while (count > 0) {
    half = (count + 1) / 2;
    found += inner[found + half - 1] <= value ? half : 0;
    count -= half;
  }
  return found;
}

)",
                  places);
    if (nearest_) write_nearest(places);
    text_ += fill(R"(void @name@_act(const float obs[@N@], float act[@M@])
{
  const float *inner = edge;
  uint32_t cell = 0, row = 0, left = @C@, half;
  int i;
  for (i = 0; i < @N@; i++) {
    if (unusable(obs[i])) {
      for (i = 0; i < @M@; i++) act[i] = safe[i];
      return;
    }
  }
  for (i = 0; i < @N@; i++) {
    cell = cell * bins[i] + bin(obs[i], inner + 1, bins[i] - 1u);
    inner += bins[i] + 1;
  }
  while (left > 1) {
    half = left / 2;
    row += key[row + half] <= cell ? half : 0;
    left -= half;
  }
@found@  for (i = 0; i < @M@; i++) act[i] = table[row][i];
}

)",
                  places);
    body_.source = text_;
    body_.code_bytes = 24 + 40 + 110 + (nearest_ ? 120 : 0);
    body_.ram_bytes = 48;
    count_operations();
    write_selftest();
    body_.stated_error = 1e-6;
    return std::move(body_);
  }

 private:
  std::string found() const {
    if (nearest_) return "  if (key[row] != cell) row = nearest(obs);\n";
    if (uniform_) return "  if (key[row] != cell) row = @C@;\n";
    return "";
  }

  std::uint32_t key(std::size_t cell) const {
    std::size_t number = 0;
    for (std::size_t d = 0; d < grid_.dimensions(); ++d) number = number * grid_.axes[d].bins() + cells_.bin(cell, d);
    return static_cast<std::uint32_t>(number);
  }

  std::vector<double> action_of(std::size_t cell) const {
    std::vector<double> centre, action(outside_.actions());
    for (std::size_t d = 0; d < grid_.dimensions(); ++d) centre.push_back(cells_.centre(cell, d));
    policy_.mean_action({centre.data(), centre.size(), 1}, {action.data(), action.size(), 1});
    return action;
  }

  void write_tables() {
    std::vector<double> edges, table;
    std::vector<std::uint32_t> bins, keys;
    for (const Edges& axis : grid_.axes) {
      edges.insert(edges.end(), axis.values.begin(), axis.values.end());
      bins.push_back(static_cast<std::uint32_t>(axis.bins()));
    }
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      keys.push_back(key(c));
      const std::vector<double> action = action_of(c);
      for (const double number : action) check(number);
      table.insert(table.end(), action.begin(), action.end());
    }
    if (uniform_) {  // one row more: every action cell equally likely
      for (std::size_t a = 0; a < outside_.actions(); ++a) {
        const Edges& axis = policy_.actions().axes[a];
        double mean = 0;
        for (std::size_t b = 0; b < axis.bins(); ++b) mean += axis.centre(b) / static_cast<double>(axis.bins());
        table.push_back(outside_.contract.action.is_discrete() ? 0 : mean);
      }
    }
    const bool narrow = keys.back() < 65536;
    text_ += c_float_table("edge", edges);
    text_ += c_whole_table("uint32_t", "bins", bins);
    text_ += c_whole_table(narrow ? "uint16_t" : "uint32_t", "key", keys);
    text_ += c_float_table("table", table, outside_.actions());
    text_ += c_float_table("safe", outside_.safe) + "\n";
    body_.table_bytes =
        4 * (edges.size() + bins.size() + table.size() + outside_.safe.size()) + (narrow ? 2 : 4) * keys.size();
  }

  static void check(double number) {
    if (std::isfinite(number)) return;
    throw Error(ErrorCode::not_finite, fmt::format("an action of the table is {}", number),
                "Make the embedding again: such a controller must not run anywhere");
  }

  void write_nearest(std::span<const std::pair<std::string, std::string>> places) {
    text_ += fill(R"(/* The row whose cell has its middle nearest, each observation in units of its range. */
static uint32_t nearest(const float obs[@N@])
{
  uint32_t row, number, best = 0;
  float least = 3e38f, distance, away;
  const float *end;
  int i;
  for (row = 0; row < @C@; row++) {
    number = key[row];
    distance = 0.0f;
    end = edge + sizeof edge / sizeof edge[0];
    for (i = @N@ - 1; i >= 0; i--) {
      const float *first = end - (bins[i] + 1);
      const uint32_t at = number % bins[i];
      number /= bins[i];
      away = (0.5f * (first[at] + first[at + 1]) - obs[i]) / (end[-1] - first[0]);
      distance += away * away;
      end = first;
    }
    best = distance < least ? row : best;
    least = distance < least ? distance : least;
  }
  return best;
}

)",
                  places);
  }

  void count_operations() {
    std::size_t halvings = 0;
    for (const Edges& axis : grid_.axes) halvings += static_cast<std::size_t>(std::ceil(std::log2(axis.bins() + 1.0)));
    halvings += static_cast<std::size_t>(std::ceil(std::log2(static_cast<double>(cells_.size()) + 1)));
    const std::size_t d = grid_.dimensions(), scan = nearest_ ? cells_.size() * d : 0;
    body_.operations = {d + 2 * scan, 2 * halvings + 3 * scan, 3 * scan, halvings + scan, halvings + scan};
  }

  // Middles of cells, so that no edge decides.
  void write_selftest() {
    std::vector<double> given, expected, limits;
    const std::size_t tests = std::min<std::size_t>(5, cells_.size());
    for (std::size_t i = 0; i < tests; ++i) {
      const std::size_t cell = i * (cells_.size() - 1) / std::max<std::size_t>(1, tests - 1);
      for (std::size_t d = 0; d < grid_.dimensions(); ++d) given.push_back(cells_.centre(cell, d));
      const std::vector<double> action = action_of(cell);
      expected.insert(expected.end(), action.begin(), action.end());
    }
    for (std::size_t a = 0; a < outside_.actions(); ++a)
      limits.push_back(outside_.contract.action.is_discrete() ? 0 : 1e-6 * outside_.width(a));
    body_.source += float_selftest(given, expected, limits, grid_.dimensions());
  }

  const LatticePolicy& policy_;
  const Cells& cells_;
  const Grid& grid_;
  const Outside& outside_;
  bool nearest_ = false, uniform_ = false;
  std::string text_;
  CBody body_;
};

}  // namespace

CBody lattice_table_body(const LatticeEmbedding& embedding, const Outside& outside, const COptions& /*options*/) {
  return LatticeWriter(embedding, outside).write();
}

}  // namespace mercer
