#include "embed/payload/lattice_code.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

#include "io/file.hpp"
#include "io/limits.hpp"

namespace mercer {
namespace {

constexpr std::uint8_t version = 1, lattice_route = 1;
constexpr std::size_t most_dimensions = limits::lattice_dimensions, most_bins = limits::lattice_bins,
                      most_cells = limits::lattice_cells;

// Writes numbers in few bytes: integers seven bits a byte, floats as they are (little-endian).
class ByteWriter {
 public:
  void byte(std::uint8_t value) { bytes_.push_back(value); }
  template <class Integer>
  void integer(Integer value) {
    while (value >= 128) {
      byte(static_cast<std::uint8_t>(value & 127) | 128);
      value >>= 7;
    }
    byte(static_cast<std::uint8_t>(value));
  }
  void real(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) byte(static_cast<std::uint8_t>(bits >> shift));
  }
  void text(std::string_view value) {
    integer(value.size());
    bytes_.insert(bytes_.end(), value.begin(), value.end());
  }
  // Numbers of `bits` bits each (1 to 32), one after the other.
  void packed(std::span<const std::size_t> numbers, unsigned bits) {
    std::uint64_t held = 0;
    unsigned filled = 0;
    for (const std::size_t number : numbers) {
      held |= std::uint64_t{number} << filled;
      for (filled += bits; filled >= 8; filled -= 8, held >>= 8) byte(static_cast<std::uint8_t>(held));
    }
    if (filled > 0) byte(static_cast<std::uint8_t>(held));
  }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
};

// Reads them back. Running past the end, or a number beyond its legal range, is a `corrupt_file` error
// naming `where`: nothing is allocated for a count that the remaining bytes could not hold.
class ByteReader {
 public:
  ByteReader(std::span<const std::uint8_t> bytes, std::string where) : bytes_(bytes), where_(std::move(where)) {}

  std::uint8_t byte() {
    if (place_ >= bytes_.size()) throw_corrupt(where_, "ends before the payload does");
    return bytes_[place_++];
  }
  // At most `most`.
  template <class Integer>
  Integer integer(Integer most) {
    Integer value = 0;
    for (unsigned shift = 0; shift < 8 * sizeof(Integer); shift += 7) {
      const std::uint8_t next = byte();
      value |= static_cast<Integer>(next & 127) << shift;
      if (next < 128) {
        if (value > most) break;
        return value;
      }
    }
    throw_corrupt(where_, "holds a number beyond its legal range");
  }
  // A count of things that take at least `bytes_each` each.
  std::size_t count(std::size_t most, std::size_t bytes_each) {
    const auto value = static_cast<std::size_t>(integer<std::uint64_t>(most));
    if (value > (bytes_.size() - place_) / bytes_each) throw_corrupt(where_, "announces more than it holds");
    return value;
  }
  float real() {
    std::uint32_t bits = 0;
    for (int shift = 0; shift < 32; shift += 8) bits |= static_cast<std::uint32_t>(byte()) << shift;
    return std::bit_cast<float>(bits);
  }
  std::string text(std::size_t most) {
    const std::size_t size = count(most, 1);
    std::string value(size, '\0');
    std::memcpy(value.data(), bytes_.data() + place_, size);
    place_ += size;
    return value;
  }
  std::vector<std::size_t> packed(std::size_t count, unsigned bits) {
    if (count > (bytes_.size() - place_) * 8 / bits) throw_corrupt(where_, "announces more than it holds");
    std::vector<std::size_t> numbers(count);
    std::uint64_t held = 0;
    unsigned filled = 0;
    for (std::size_t& number : numbers) {
      for (; filled < bits; filled += 8) held |= std::uint64_t{byte()} << filled;
      number = static_cast<std::size_t>(held & ((std::uint64_t{1} << bits) - 1));
      held >>= bits;
      filled -= bits;
    }
    return numbers;
  }
  void finish() const {
    if (place_ != bytes_.size()) throw_corrupt(where_, "goes on after its payload");
  }
  const std::string& where() const { return where_; }

 private:
  std::span<const std::uint8_t> bytes_;
  std::string where_;
  std::size_t place_ = 0;
};

void write_grid(ByteWriter& out, const Grid& grid) {
  out.integer(grid.dimensions());
  for (const Edges& axis : grid.axes) {
    out.integer(axis.values.size());
    for (const double edge : axis.values) out.real(static_cast<float>(edge));
  }
}

Edges read_edges(ByteReader& in, std::size_t count) {
  Edges axis;
  for (std::size_t i = 0; i < count; ++i) {
    axis.values.push_back(in.real());
    const bool rises = i == 0 || axis.values[i] > axis.values[i - 1];
    if (!std::isfinite(axis.values[i]) || !rises) throw_corrupt(in.where(), "has edges that do not rise");
  }
  return axis;
}

Grid read_grid(ByteReader& in) {
  Grid grid;
  const std::size_t dimensions = in.count(most_dimensions, 1);
  for (std::size_t d = 0; d < dimensions; ++d) {
    const std::size_t edges = in.count(most_bins + 1, 4);
    if (edges < 2) throw_corrupt(in.where(), "has a dimension without bins");
    grid.axes.push_back(read_edges(in, edges));
  }
  return grid;
}

// The number of a cell as a difference to the one before: visited cells lie close together.
template <class KeyOf>
void write_cells(ByteWriter& out, std::size_t count, const KeyOf& key_of) {
  out.integer(count);
  Key128 before = 0;
  for (std::size_t c = 0; c < count; ++c) {
    const Key128 key = key_of(c);
    out.integer(key - before);
    before = key;
  }
}

void read_cells(ByteReader& in, LatticeCode& code) {
  if (code.states.axes.empty() || code.states.cells() > 0x1p127)
    throw_corrupt(in.where(), "has too many cells to number");
  const std::size_t count = in.count(most_cells, 1), dimensions = code.states.dimensions();
  code.bins.resize(count * dimensions);
  Key128 key = 0;
  for (std::size_t c = 0; c < count; ++c) {
    const auto step = in.integer<Key128>(~Key128{0} >> 1);
    if (c > 0 && step == 0) throw_corrupt(in.where(), "names a cell twice");
    key += step;
    Key128 rest = key;
    for (std::size_t d = dimensions; d-- > 0;) {
      code.bins[c * dimensions + d] = static_cast<std::uint32_t>(rest % code.states.axes[d].bins());
      rest /= code.states.axes[d].bins();
    }
    if (rest != 0) throw_corrupt(in.where(), "names a cell outside its lattice");
  }
}

// A bit for each row says whether it has its own edges, which follow.
void write_own_edges(ByteWriter& out, const OwnEdges& own) {
  std::vector<std::size_t> has;
  for (const std::size_t place : own.places) has.push_back(place == OwnEdges::none ? 0 : 1);
  out.packed(has, 1);
  for (const std::size_t place : own.places) {
    if (place == OwnEdges::none) continue;
    for (const Edges& axis : own.grids[place].axes) {
      for (const double edge : axis.values) out.real(static_cast<float>(edge));
    }
  }
}

OwnEdges read_own_edges(ByteReader& in, std::size_t rows, const Grid& common) {
  OwnEdges own{in.packed(rows, 1), {}};
  for (std::size_t& place : own.places) {
    if (place == 0) {
      place = OwnEdges::none;
      continue;
    }
    place = own.grids.size();
    Grid grid;
    for (const Edges& axis : common.axes) grid.axes.push_back(read_edges(in, axis.values.size()));
    own.grids.push_back(std::move(grid));
  }
  return own;
}

// How actions are coded. Older files have only the first two.
enum class ActionKind : std::uint8_t { box, discrete, box_and_own_edges };

unsigned bits_for(std::size_t count) { return std::max(1U, static_cast<unsigned>(std::bit_width(count - 1))); }

// Everything but the numbers.
template <class KeyOf>
void write_head(ByteWriter& out, const LatticeCode& code, std::size_t cells, const KeyOf& key_of) {
  out.byte(version);
  out.byte(lattice_route);
  write_grid(out, code.states);
  const ActionKind kind = code.discrete      ? ActionKind::discrete
                          : code.own.empty() ? ActionKind::box
                                             : ActionKind::box_and_own_edges;
  out.byte(static_cast<std::uint8_t>(kind));
  if (code.discrete) {
    out.integer(static_cast<std::size_t>(code.actions.cells()));
  } else {
    write_grid(out, code.actions);
  }
  out.byte(static_cast<std::uint8_t>(code.play.unvisited));
  out.byte(code.play.noise ? 1 : 0);
  out.byte(static_cast<std::uint8_t>(code.simplex));
  write_cells(out, cells, key_of);
  if (kind == ActionKind::box_and_own_edges) write_own_edges(out, code.own);
  out.byte(static_cast<std::uint8_t>(code.order));
  if (code.order == RowOrder::mean_action) out.packed(code.rows, bits_for(cells));
  out.text(to_text(code.basis));
  out.integer(code.k);
  out.integer(code.kept.size());
  std::size_t before = 0;
  for (const std::size_t index : code.kept) {
    out.integer(index - before);
    before = index;
  }
}

}  // namespace

std::vector<std::uint8_t> encode(const LatticeCode& code) {
  ByteWriter out;
  write_head(out, code, code.cells(), [&](std::size_t c) {
    Key128 key = 0;
    for (std::size_t d = 0; d < code.states.dimensions(); ++d) {
      key = key * code.states.axes[d].bins() + code.bins[c * code.states.dimensions() + d];
    }
    return key;
  });
  out.integer(code.numbers.size());
  for (const float number : code.numbers) out.real(number);
  return out.take();
}

std::vector<std::uint8_t> encode_head(const LatticeCode& code, const Cells& cells, std::size_t numbers) {
  ByteWriter out;
  write_head(out, code, cells.size(), [&](std::size_t c) { return cells.key(c); });
  out.integer(numbers);
  return out.take();
}

LatticeCode decode_lattice(std::span<const std::uint8_t> payload, const std::string& where) {
  ByteReader in(payload, where);
  const auto choice = [&](std::uint8_t most) {
    const std::uint8_t value = in.byte();
    if (value > most) throw_corrupt(where, "holds a choice that this version does not know");
    return value;
  };
  if (in.byte() != version || in.byte() != lattice_route)
    throw_corrupt(where, "has a payload of another version or kind");
  LatticeCode code;
  code.states = read_grid(in);
  const auto kind = static_cast<ActionKind>(choice(2));
  code.discrete = kind == ActionKind::discrete;
  code.actions = code.discrete ? discrete_action_grid(in.integer<std::uint64_t>(most_bins)) : read_grid(in);
  code.play.unvisited = static_cast<Unvisited>(choice(1));
  code.play.noise = choice(1) == 1;
  code.simplex = static_cast<SimplexRule>(choice(2));
  read_cells(in, code);
  if (kind == ActionKind::box_and_own_edges) code.own = read_own_edges(in, code.cells(), code.actions);
  code.order = static_cast<RowOrder>(choice(4));
  if (code.order == RowOrder::mean_action)
    code.rows = in.packed(code.cells(), bits_for(std::max<std::size_t>(code.cells(), 1)));
  code.basis = in.text(256);
  code.k = static_cast<std::size_t>(in.integer<std::uint64_t>(std::uint64_t{1} << 40));
  code.kept.resize(in.count(std::size_t{1} << 40, 1));
  std::size_t index = 0;
  for (std::size_t i = 0; i < code.kept.size(); ++i) {
    const auto step = static_cast<std::size_t>(in.integer<std::uint64_t>(std::uint64_t{1} << 40));
    if (i > 0 && step == 0) throw_corrupt(where, "names a coefficient twice");
    code.kept[i] = index += step;
  }
  code.numbers.resize(in.count(std::size_t{1} << 40, 4));
  for (float& number : code.numbers) {
    number = in.real();
    if (!std::isfinite(number)) throw_corrupt(where, "holds a coefficient that is no number");
  }
  in.finish();
  return code;
}

}  // namespace mercer
