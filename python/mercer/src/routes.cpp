#include "routes.hpp"

namespace {

// A basis by its text.
template <class Basis>
void read_text(Fields& fields, const char* name, Basis& place) {
  fields.read_as(name, place, [](const std::string& text) { return Basis(text); });
}

}  // namespace

void read_dictionary(Fields& fields, mercer::DictionaryOptions& options) {
  read_text(fields, "basis", options.basis);
  fields.read("degree", options.degree);
  fields.read("index_set", options.rule);
  fields.read("degree_limits", options.limits);
  fields.read("knots", options.knots);
  fields.read("temper", options.temper);
  fields.read("candidates", options.candidates);
  fields.read("ridge_bits", options.bits);
  fields.read("length", options.length);
}

mercer::LatticeOptions read_lattice(Fields& fields) {
  std::string preset = "best";
  fields.read("preset", preset);
  mercer::LatticeOptions options = choose<mercer::LatticeOptions>(
      "preset", preset, {{"best", mercer::best_lattice()}, {"paper", mercer::paper_lattice()}});
  const auto bins = [&](const char* name, std::vector<std::size_t>& place) {
    pybind11::object given = pybind11::none();
    fields.read(name, given);
    if (given.is_none()) return;
    place = pybind11::isinstance<pybind11::int_>(given) ? std::vector{given.cast<std::size_t>()}
                                                        : given.cast<std::vector<std::size_t>>();
  };
  bins("state_bins", options.state_bins);
  bins("action_bins", options.action_bins);
  fields.read_as("state_edges", options.state_edges, mercer::parse_edge_rule);
  fields.read_as("action_edges", options.action_edges, mercer::parse_edge_rule);
  fields.read("reach_bounds", options.reach_bounds);
  fields.read("conditional_actions", options.conditional_actions);
  fields.read("table", options.table);
  fields.read("prune", options.prune);
  fields.read("noise", options.playing.noise);
  std::optional<std::string> unvisited;
  fields.read("unvisited", unvisited);
  if (unvisited) {
    options.full = *unvisited == "teacher";
    options.playing.unvisited = choose<mercer::Unvisited>("rule for unvisited cells", *unvisited,
                                                          {{"uniform", mercer::Unvisited::uniform},
                                                           {"nearest", mercer::Unvisited::nearest},
                                                           {"teacher", mercer::Unvisited::nearest}});
  }
  return options;
}

mercer::TruncationOptions read_truncation(Fields& fields, bool paper) {
  mercer::TruncationOptions options;
  options.basis = "dct";
  read_text(fields, "basis", options.basis);
  fields.read("k", options.k);
  options.energy = paper ? 0 : mercer::TruncationOptions::usual_energy;
  fields.read("energy", options.energy);
  options.order = paper ? mercer::RowOrder::lexicographic : mercer::RowOrder::mean_action;
  fields.read("order", options.order);
  fields.read("simplex", options.simplex);
  return options;
}
