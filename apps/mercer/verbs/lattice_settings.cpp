#include "verbs/lattice_settings.hpp"

#include <fmt/format.h>

#include "mercer/error.hpp"

using mercer::Error;
using mercer::ErrorCode;

void LatticeSettings::add_settings(Settings& settings) {
  settings.add_choice({"preset", "The published choices or the better ones [best]", "WHICH"}, preset,
                      {{"paper", Preset::paper}, {"best", Preset::best}});
  settings.add({"energy",
                fmt::format("Keep the fewest that hold this share of the energy; 0: half of all [preset: half or {}]",
                            mercer::TruncationOptions::usual_energy),
                "SHARE"},
               energy);
  settings.add({"state-bins", "Bins of each observation: one number or one for each [35]", "N"}, state_bins);
  settings.add({"action-bins", "Bins of each action [preset: 15 or 45]", "N"}, action_bins);
  settings.add({"state-edges", "quantile, data-quantile, uniform, kmeans or tempered:T [preset]", "RULE"}, state_edges);
  settings.add({"action-edges", "The same for actions [preset]", "RULE"}, action_edges);
  settings.add({"reach-bounds", "Action bins at the ends reach the bounds of the action [preset]", "BOOL"},
               reach_bounds);
  settings.add({"conditional-actions", "Action edges for each cell, from the actions played there [false]", "BOOL"},
               conditional_actions);
  settings.add_choice({"table", "How a row is made: density at the centre, mass of the bin, counts [preset]", "RULE"},
                      table);
  settings.add({"prune", "Leave out cells with at most this share of visits [0: only unvisited ones]", "SHARE"}, prune);
  settings.add_choice(
      {"unvisited", "What an unvisited cell does [preset]", "RULE"}, unvisited,
      {{"uniform", Unvisited::uniform}, {"nearest", Unvisited::nearest}, {"teacher", Unvisited::teacher}});
  settings.add({"noise", "Draw actions inside their bin, not its middle [preset]", "BOOL"}, noise);
  settings.add({"order", "Order of rows: lexicographic, snake, tour, mean-action; or axes [preset]", "ORDER"}, order);
  settings.add({"simplex", "Back to probabilities: clip or euclidean [clip]", "RULE"}, simplex);
}

mercer::LatticeOptions LatticeSettings::lattice() const {
  mercer::LatticeOptions options = preset == Preset::paper ? mercer::paper_lattice() : mercer::best_lattice();
  if (state_bins) options.state_bins.assign(state_bins->begin(), state_bins->end());
  if (action_bins) options.action_bins.assign(action_bins->begin(), action_bins->end());
  if (state_edges) options.state_edges = mercer::parse_edge_rule(*state_edges);
  if (action_edges) options.action_edges = mercer::parse_edge_rule(*action_edges);
  if (reach_bounds) options.reach_bounds = *reach_bounds;
  if (conditional_actions) options.conditional_actions = *conditional_actions;
  if (table) options.table = *table;
  if (prune) options.prune = *prune;
  if (noise) options.playing.noise = *noise;
  if (unvisited) {
    options.full = *unvisited == Unvisited::teacher;
    options.playing.unvisited =
        *unvisited == Unvisited::uniform ? mercer::Unvisited::uniform : mercer::Unvisited::nearest;
  }
  return options;
}

mercer::TruncationOptions LatticeSettings::truncation() const {
  mercer::TruncationOptions options;
  options.k = k;
  options.energy = energy.value_or(preset == Preset::paper ? 0 : mercer::TruncationOptions::usual_energy);
  if (k > 0 && energy) {
    throw Error(ErrorCode::bad_value, fmt::format("--k {} and --energy {} both say how much to keep", k, *energy),
                "Give one of them");
  }
  if (options.energy != 0) {
    mercer::require_in_range("--energy", options.energy, 1e-6, 1 - 1e-12, "0 keeps half of all coefficients");
  }
  options.order = preset == Preset::paper ? mercer::RowOrder::lexicographic : mercer::RowOrder::mean_action;
  if (order) options.order = *order;
  if (simplex) options.simplex = *simplex;
  if (options.simplex == mercer::SimplexRule::softmax) {
    throw Error(ErrorCode::bad_value, "--simplex softmax is for tables of log-densities, and these are probabilities",
                "Use clip or euclidean");
  }
  return options;
}
