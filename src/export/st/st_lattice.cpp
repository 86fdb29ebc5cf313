#include <algorithm>
#include <cmath>

#include "export/c/c_text.hpp"
#include "export/st/st.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

using Places = std::vector<std::pair<std::string, std::string>>;

// The bin is found with the comparisons of Edges::bin: single-precision edges and observations give the same bin as in
// the library.
class StLatticeWriter {
 public:
  explicit StLatticeWriter(const LatticeController& controller)
      : c_(controller), grid_(controller.states()), discrete_(controller.discrete()) {
    if (grid_.cells() >= 2147483648.0) {
      throw Error(ErrorCode::too_large, fmt::format("a lattice of {:.3g} cells; legal: below 2^31", grid_.cells()),
                  "Take fewer bins, or the continuous route");
    }
    const Unvisited unvisited = c_.model->policy().playing().unvisited;
    nearest_ = !c_.full() && unvisited == Unvisited::nearest;
    uniform_ = !c_.full() && unvisited == Unvisited::uniform;
  }

  StBody write() {
    write_tables();
    body_.variables.variables("place, cell, sought, count, found, half", "DINT", 6);
    body_.statements =
        fill(R"((* The bin of each observation: how many of the inner edges are not above it, by halving. *)
cell := 0;
place := 0;
FOR i := 0 TO @N-1@ DO
  count := @bins@ - 1;
  found := 0;
  WHILE count > 0 DO
    half := (count + 1) / 2;
    IF edges[place + found + half] <= x[i] THEN
      found := found + half;
    END_IF;
    count := count - half;
  END_WHILE;
  cell := cell * @bins@ + found;
  place := place + @bins@ + 1;
END_FOR;
(* The row of the cell. *)
sought := 0;
count := @C@;
WHILE count > 1 DO
  half := count / 2;
  IF @key@ <= cell THEN
    sought := sought + half;
  END_IF;
  count := count - half;
END_WHILE;
@found@@act@)",
             Places{{"found", found()},
                    {"act", discrete_ ? fmt::format("best := {};\n", to_dint(table_type_, "rows[sought]"))
                                      : "FOR i := 0 TO @M-1@ DO\n  act[i] := rows[@M@ * sought + i];\n"
                                        "END_FOR;\n"},
                    {"key", to_dint(key_type_, "keys[sought + half]")},
                    {"own_key", to_dint(key_type_, "keys[sought]")},
                    {"bins", to_dint(bins_type_, "bins[i]")},
                    {"number", to_dint(key_type_, "keys[j]")},
                    {"N-1", std::to_string(grid_.dimensions() - 1)},
                    {"M", std::to_string(c_.outside.actions())},
                    {"M-1", std::to_string(c_.outside.actions() - 1)},
                    {"C", std::to_string(c_.rows())},
                    {"C-1", std::to_string(c_.rows() - 1)},
                    {"E", std::to_string(edges_)}});
    body_.computation = fmt::format(
        "A table of {} cells, each with its action, found by the bins of the observations. What lies outside "
        "the bins counts as the one at that end; {}.",
        c_.rows(),
        nearest_   ? "a cell that is not in the table acts as the nearest one"
        : uniform_ ? "a cell that is not in the table has an action of its own"
                   : "every cell is there");
    body_.stated_error = 1e-6;
    count_operations();
    write_cases();
    return std::move(body_);
  }

 private:
  static std::string to_dint(const std::string& type, const std::string& value) {
    return type == "DINT" ? value : fmt::format("{}_TO_DINT({})", type, value);
  }

  std::string found() {
    if (uniform_) return "IF @own_key@ <> cell THEN\n  sought := @C@;\nEND_IF;\n";
    if (!nearest_) return "";
    body_.variables.variables("j, number", "DINT", 2);
    body_.variables.variables("distance, least, away", "REAL", 3);
    return R"((* A cell that is not there: the one whose middle is nearest, in units of the ranges. *)
IF @own_key@ <> cell THEN
  least := REAL#3.0E38;
  FOR j := 0 TO @C-1@ DO
    number := @number@;
    distance := REAL#0.0;
    place := @E@;
    FOR i := @N-1@ TO 0 BY -1 DO
      place := place - @bins@ - 1;
      found := place + number MOD @bins@;
      number := number / @bins@;
      away := (REAL#0.5 * (edges[found] + edges[found + 1]) - x[i]) / (edges[place + @bins@] - edges[place]);
      distance := distance + away * away;
    END_FOR;
    IF distance < least THEN
      least := distance;
      sought := j;
    END_IF;
  END_FOR;
END_IF;
)";
  }

  void write_tables() {
    std::vector<double> edges, table;
    std::vector<std::int64_t> bins, keys;
    for (const Edges& axis : grid_.axes) {
      edges.insert(edges.end(), axis.values.begin(), axis.values.end());
      bins.push_back(static_cast<std::int64_t>(axis.bins()));
    }
    for (std::size_t row = 0; row < c_.rows() + (uniform_ ? 1 : 0); ++row) {
      if (row < c_.rows()) keys.push_back(static_cast<std::int64_t>(c_.key(row)));
      const std::vector<double> action = c_.action(row);
      table.insert(table.end(), action.begin(), action.end());
    }
    edges_ = edges.size();
    body_.constants.reals("edges", edges);
    bins_type_ = body_.constants.whole("bins", bins);
    key_type_ = body_.constants.whole("keys", keys);
    if (discrete_) {
      table_type_ = body_.constants.whole("rows", std::vector<std::int64_t>(table.begin(), table.end()));
    } else {
      body_.constants.reals("rows", table);
    }
  }

  void count_operations() {
    std::size_t halvings = 0;
    for (const Edges& axis : grid_.axes)
      halvings += static_cast<std::size_t>(std::ceil(std::log2(static_cast<double>(axis.bins()) + 1)));
    halvings += static_cast<std::size_t>(std::ceil(std::log2(static_cast<double>(c_.rows()) + 1)));
    const std::size_t d = grid_.dimensions(), scan = nearest_ ? c_.rows() * d : 0;
    body_.operations = {d + 2 * scan, 3 * halvings + 8 * scan, halvings + 3 * scan, halvings + scan,
                        halvings + 3 * d + 8 * scan};
  }

  // Middles of cells, so that no edge decides.
  void write_cases() {
    for (const std::size_t row : c_.test_rows()) {
      for (std::size_t d = 0; d < grid_.dimensions(); ++d) body_.given.push_back(c_.cells().centre(row, d));
      const std::vector<double> action = c_.action(row);
      body_.expected.insert(body_.expected.end(), action.begin(), action.end());
    }
  }

  const LatticeController& c_;
  const Grid& grid_;
  bool discrete_, nearest_ = false, uniform_ = false;
  std::size_t edges_ = 0;
  std::string bins_type_, key_type_, table_type_;
  StBody body_;
};

}  // namespace

StBody st_lattice_body(const LatticeController& controller) { return StLatticeWriter(controller).write(); }

}  // namespace mercer
