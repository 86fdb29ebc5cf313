#include <fmt/format.h>

#include "pipeline/declare/parts.hpp"

namespace mercer::declare {
namespace {

// What the presets come to: one text where they agree. A lattice is the same under printed and paper.
template <class Text>
std::string by_preset(Text text) {
  LatticeRequest best, paper;
  best.preset = LatticeRequest::Preset::best;
  paper.preset = LatticeRequest::Preset::paper;
  const std::string first(text(best)), second(text(paper));
  return first == second ? first : fmt::format("best: {}, paper: {}", first, second);
}
// The same of a field of `LatticeOptions`.
template <class Field>
std::string by_preset(Field LatticeOptions::*field) {
  return by_preset([field](const LatticeRequest& request) { return option_text(request.lattice().*field); });
}

std::string unvisited_text(const LatticeRequest& request) {
  const LatticeOptions options = request.lattice();
  if (options.full) return "teacher";
  return options.playing.unvisited == Unvisited::uniform ? "uniform" : "nearest";
}

}  // namespace

void add_lattice(OptionList& list, LatticeRequest& lattice) {
  using Preset = LatticeRequest::Preset;
  using Unvisited = LatticeRequest::Unvisited;
  list.in(Group::lattice).of(Route::lattice);
  list.add_choice<Preset>(
      {.name = "preset",
       .value = "WHICH",
       .help = "The published pseudocode to the letter (paper, and basis fourier:printed), the published choices, "
               "or better ones"},
      lattice.preset, {{"printed", Preset::printed}, {"paper", Preset::paper}, {"best", Preset::best}});
  list.add_share({.name = "energy",
                  .value = "SHARE",
                  .help = "Keep the fewest coefficients that hold this share of the energy; 0: half of all",
                  .range = share_range,
                  .standard = by_preset([](const LatticeRequest& of) { return option_text(of.truncation(0).energy); })},
                 lattice.energy);
  list.add({.name = "state-bins",
            .value = "N",
            .help = "Bins of each observation: one number, or one for each",
            .standard = by_preset(&LatticeOptions::state_bins)},
           lattice.state_bins);
  list.add({.name = "action-bins",
            .value = "N",
            .help = "Bins of each action",
            .standard = by_preset(&LatticeOptions::action_bins)},
           lattice.action_bins);
  list.add({.name = "state-edges",
            .value = "RULE",
            .help = "Edges of state bins: quantile, data-quantile, uniform, kmeans or tempered:T",
            .standard = by_preset([](const LatticeRequest& of) { return to_text(of.lattice().state_edges); })},
           lattice.state_edges);
  list.add({.name = "action-edges",
            .value = "RULE",
            .help = "Edges of action bins, by the same rules",
            .standard = by_preset([](const LatticeRequest& of) { return to_text(of.lattice().action_edges); })},
           lattice.action_edges);
  list.add({.name = "reach-bounds",
            .value = "BOOL",
            .help = "Outer action bins reach the bounds of the action",
            .standard = by_preset(&LatticeOptions::reach_bounds)},
           lattice.reach_bounds);
  list.add({.name = "conditional-actions",
            .value = "BOOL",
            .help = "Action edges for each cell, from the actions played there",
            .standard = by_preset(&LatticeOptions::conditional_actions)},
           lattice.conditional_actions);
  list.add_name({.name = "table",
                 .value = "RULE",
                 .help = "Row of a cell: density at the centre, mass of the bin, or counts",
                 .standard = by_preset([](const LatticeRequest& of) { return name(of.lattice().table); })},
                lattice.table);
  list.add_share({.name = "prune",
                  .value = "SHARE",
                  .help = "Leave out cells with at most this share of visits",
                  .range = share_range,
                  .standard = by_preset(&LatticeOptions::prune)},
                 lattice.prune);
  list.add_choice<Unvisited>(
      {.name = "unvisited",
       .value = "RULE",
       .help = "What an unvisited cell does",
       .standard = by_preset(unvisited_text)},
      lattice.unvisited,
      {{"uniform", Unvisited::uniform}, {"nearest", Unvisited::nearest}, {"teacher", Unvisited::teacher}});
  list.add({.name = "noise",
            .value = "BOOL",
            .help = "Draw actions inside their bin, not at its middle",
            .standard = by_preset([](const LatticeRequest& of) { return option_text(of.lattice().playing.noise); })},
           lattice.noise);
  list.add_name(
      {.name = "order", .value = "ORDER", .help = "Order of rows", .standard = by_preset([](const LatticeRequest& of) {
                                                                     return name(of.truncation(0).order);
                                                                   })},
      lattice.order);
  list.add_name({.name = "simplex",
                 .value = "RULE",
                 .help = "Back to probabilities; softmax: logits are embedded",
                 .standard = by_preset([](const LatticeRequest& of) { return name(of.truncation(0).simplex); })},
                lattice.simplex);
  list.add({.name = "scratch",
            .value = "DIR",
            .help = "Keep the table in files of this folder; basis svd",
            .shapes_result = false},
           lattice.scratch);
  list.add({.name = "sketch",
            .value = "N",
            .help = "With --scratch: size of the sketches that edges come from",
            .range = {8, 16777216},
            .standard = fmt::format("{}", LargeOptions{}.sketch)},
           lattice.sketch);
  list.of(std::nullopt);
}

}  // namespace mercer::declare
