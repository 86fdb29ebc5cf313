#include <algorithm>
#include <cmath>

#include "export/c/c_text.hpp"
#include "export/c/fixed_plan.hpp"
#include "export/c/functions.hpp"
#include "export/common/lattice_controller.hpp"

namespace mercer {
namespace {

// Edges that are at equal distances in single precision.
bool even(const Edges& axis) {
  const double first = axis.values.front(), width = axis.values.back() - first;
  const double room = 2e-7 * std::max({width, std::abs(first), std::abs(axis.values.back())});
  for (std::size_t i = 0; i < axis.values.size(); ++i) {
    const double wanted = first + width * static_cast<double>(i) / static_cast<double>(axis.bins());
    if (std::abs(axis.values[i] - wanted) > room) return false;
  }
  return true;
}

class FindWriter {
 public:
  FindWriter(const LatticeController& controller, const COptions& options, std::string& text, CBody& body)
      : c_(controller),
        fixed_(options.numbers == CNumbers::fixed),
        even_(std::ranges::all_of(controller.states().axes, even)),
        text_(text),
        body_(body) {
    const std::size_t count = c_.rows();
    wide_ = c_.states().cells() >= 0x1p32;
    nearest_ = c_.code.play.unvisited == Unvisited::nearest && !c_.full();
    places_ = {{"N", std::to_string(c_.states().dimensions())},
               {"C", std::to_string(count)},
               {"type", fixed_ ? "int32_t" : "float"},
               {"cell", wide_ ? "uint64_t" : "uint32_t"}};
  }

  void write() {
    write_tables();
    if (!fixed_) text_ += float_functions::unusable(), body_.code_bytes += 24;
    if (even_) {
      write_even();
    } else {
      write_search();
    }
    if (nearest_) write_nearest();
    write_find();
    count_operations();
  }

 private:
  template <class T>
  void add(const std::string& type, std::size_t bytes, const std::string& name, const std::vector<T>& numbers,
           std::size_t columns = 0) {
    body_.table_bytes += add_integer_table(text_, type, bytes, name, numbers, columns);
  }

  void write_tables() {
    const std::vector<int> q = lattice_obs_q(c_);
    std::vector<std::uint32_t> bins;
    std::vector<double> numbers;
    for (std::size_t d = 0; d < q.size(); ++d) {
      const Edges& axis = c_.states().axes[d];
      bins.push_back(static_cast<std::uint32_t>(axis.bins()));
      if (even_) {
        numbers.push_back(axis.values.front());
        numbers.push_back((axis.values.back() - axis.values.front()) / static_cast<double>(axis.bins()));
      } else {
        numbers.insert(numbers.end(), axis.values.begin(), axis.values.end());
      }
    }
    const bool many = *std::ranges::max_element(bins) > 65535;
    add(many ? "uint32_t" : "uint16_t", many ? 4 : 2, "bins", bins);
    if (fixed_) {
      write_fixed_tables(q);
    } else {
      text_ += even_ ? "/* the first edge and the width of a bin */\n" : "";
      text_ += c_float_table("edge", numbers, even_ ? 2 : 0);
      body_.table_bytes += 4 * numbers.size();
    }
    if (c_.full()) return;
    std::vector<std::uint64_t> keys;
    for (std::size_t row = 0; row < c_.rows(); ++row) keys.push_back(c_.key(row));
    const std::size_t bytes = keys.back() < 65536 ? 2 : wide_ ? 8 : 4;
    std::vector<std::string> numbers_of_cells;
    for (const std::uint64_t key : keys) numbers_of_cells.push_back(fmt::format("{}u{}", key, wide_ ? "ll" : ""));
    text_ += "/* the cells that have a row, by their number */\n";
    text_ += c_table(fmt::format("uint{}_t", 8 * bytes), "key", numbers_of_cells);
    body_.table_bytes += bytes * keys.size();
  }

  void write_fixed_tables(const std::vector<int>& q) {
    std::vector<std::int32_t> edges, scales;
    for (std::size_t d = 0; d < q.size(); ++d) {
      const Edges& axis = c_.states().axes[d];
      const double width = std::ldexp(axis.values.back() - axis.values.front(), q[d]);
      const auto whole = [&](double value) { return static_cast<std::int32_t>(std::llround(std::ldexp(value, q[d]))); };
      if (even_) {
        const Ratio32 to_bin = ratio32(static_cast<double>(axis.bins()) / width);
        const Ratio32 to_range = ratio32(std::ldexp(0.5 / width, 20));
        const auto half = static_cast<std::int32_t>(std::llround(width / static_cast<double>(axis.bins())));
        edges.insert(edges.end(), {whole(axis.values.front()), half, to_bin.m, to_bin.s});
        scales.insert(scales.end(), {to_range.m, to_range.s});
      } else {
        for (const double edge : axis.values) edges.push_back(whole(edge));
        const Ratio32 to_range = ratio32(std::ldexp(0.5 / width, 20));
        scales.insert(scales.end(), {to_range.m, to_range.s});
      }
    }
    text_ += even_ ? "/* the first edge, the width of a bin and its inverse: a factor and a shift */\n" : "";
    add("int32_t", 4, "edge", edges, even_ ? 4 : 0);
    if (nearest_) add("int32_t", 4, "per_range", scales, 2);
  }

  void write_even() {
    text_ += fixed_ ? R"(/* The bin of a value on an even axis. */
static uint32_t bin(int32_t value, const int32_t axis[4], uint32_t count)
{
  const int64_t place = (((int64_t)value - axis[0]) * axis[2]) >> axis[3];
  return place < 0 ? 0 : place >= (int64_t)count ? count - 1 : (uint32_t)place;
}

)"
                    : R"(/* The bin of a value on an even axis. */
static uint32_t bin(float value, const float axis[2], uint32_t count)
{
  const float place = (value - axis[0]) / axis[1];
  return place < 0.0f ? 0 : place >= (float)count ? count - 1 : (uint32_t)place;
}

)";
    body_.code_bytes += 44;
  }

  void write_search() {
    text_ += fill(R"(/* How many inner edges are not above the value: halving, without a branch that data decides. */
static uint32_t bin(@type@ value, const @type@ *inner, uint32_t count)
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
                  places_);
    body_.code_bytes += 40;
  }

  // Twice the middle of a bin, or the middle for float.
  void write_nearest() {
    Places places = places_;
    places.emplace_back("first", even_ ? "" : "    first -= bins[i] + 1;\n");
    if (fixed_) {
      places.emplace_back("middle", even_ ? "2 * (int64_t)edge[i][0] + (2 * (int64_t)at + 1) * edge[i][1]"
                                          : "(int64_t)first[at] + first[at + 1]");
      places.emplace_back("square", R"(      away = @middle@ - 2 * (int64_t)obs[i];
      away = (away * per_range[i][0]) >> per_range[i][1];
      away = away < -most ? -most : away > most ? most : away;
)");
      places.emplace_back("declare",
                          "  const int64_t most = (int64_t)1 << 27;\n  int64_t least = INT64_MAX, distance, away;\n");
      places.emplace_back("zero", "0");
    } else {
      places.emplace_back(
          "middle", even_ ? "edge[i][0] + ((float)at + 0.5f) * edge[i][1]" : "0.5f * (first[at] + first[at + 1])");
      places.emplace_back("square", even_ ? "      away = (@middle@ - obs[i]) / (edge[i][1] * (float)bins[i]);\n"
                                          : "      away = (@middle@ - obs[i]) / (first[bins[i]] - first[0]);\n");
      places.emplace_back("declare", "  float least = 3e38f, distance, away;\n");
      places.emplace_back("zero", "0.0f");
    }
    places.emplace_back("pointer", even_ ? "" : "  const @type@ *first;\n");
    places.emplace_back("start", even_ ? "" : "    first = edge + sizeof edge / sizeof edge[0];\n");
    places.emplace_back("step", even_ ? "" : "      first -= bins[i] + 1;\n");
    std::string text = R"(/* The row whose cell has its middle nearest, each observation in units of its range. */
static uint32_t nearest(const @type@ obs[@N@])
{
@declare@@pointer@  @cell@ number, at;
  uint32_t row, best = 0;
  int i;
  for (row = 0; row < @C@; row++) {
    number = key[row];
    distance = @zero@;
@start@    for (i = @N@ - 1; i >= 0; i--) {
@step@      at = number % bins[i];
      number /= bins[i];
@square@      distance += away * away;
    }
    best = distance < least ? row : best;
    least = distance < least ? distance : least;
  }
  return best;
}

)";
    for (int i = 0; i < 2; ++i) text = fill(std::move(text), places);  // what is filled in has places of its own
    text_ += text;
    body_.code_bytes += fixed_ ? 200 : 120;
  }

  void write_find() {
    Places places = places_;
    places.emplace_back("usable", fixed_ ? "" : "    if (unusable(obs[i]) != 0) return 0;\n");
    places.emplace_back("inner", even_ ? "edge[i], bins[i]" : "inner + 1, bins[i] - 1u");
    places.emplace_back("pointer", even_ ? "" : fill("  const @type@ *inner = edge;\n", places_));
    places.emplace_back("next", even_ ? "" : "    inner += bins[i] + 1;\n");
    const std::string missed = nearest_ ? "  *row = key[first] == cell ? first : nearest(obs);\n"
                                        : "  *row = key[first] == cell ? first : @C@;\n";
    places.emplace_back("rows", c_.full() ? "  *row = (uint32_t)cell;\n" : R"(  while (left > 1) {
    half = left / 2;
    first += key[first + half] <= cell ? half : 0;
    left -= half;
  }
)" + fill(missed, places_));
    places.emplace_back("counters", c_.full() ? "" : fill("  uint32_t first = 0, left = @C@, half;\n", places_));
    text_ += fill(R"(/* The row of an observation; 0 if it is not usable. */
static int find(const @type@ obs[@N@], uint32_t *row)
{
@pointer@  @cell@ cell = 0;
@counters@  int i;
  for (i = 0; i < @N@; i++) {
@usable@    cell = cell * bins[i] + bin(obs[i], @inner@);
@next@  }
@rows@  return 1;
}

)",
                  places);
    body_.code_bytes += 110;
    body_.ram_bytes += 48;
  }

  void count_operations() {
    const std::size_t d = c_.states().dimensions();
    std::size_t halvings = 0;
    for (const Edges& axis : c_.states().axes)
      halvings += even_ ? 1 : static_cast<std::size_t>(std::ceil(std::log2(static_cast<double>(axis.bins()))));
    if (!c_.full()) halvings += static_cast<std::size_t>(std::ceil(std::log2(static_cast<double>(c_.rows()) + 1)));
    const std::size_t scan = nearest_ ? c_.rows() * d : 0;
    body_.operations += {d + 2 * scan,        2 * halvings + 3 * scan, (even_ ? d : 0) + 3 * scan,
                         halvings + 2 * scan, halvings + 2 * scan,     0};
  }

  const LatticeController& c_;
  bool fixed_, even_, wide_ = false, nearest_ = false;
  Places places_;
  std::string& text_;
  CBody& body_;
};

}  // namespace

void write_lattice_find(const LatticeController& controller, const COptions& options, std::string& text, CBody& body) {
  FindWriter(controller, options, text, body).write();
}

}  // namespace mercer
