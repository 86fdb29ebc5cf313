#include "pipeline/declare/parts.hpp"

namespace mercer::declare {

void add_continuous(OptionList& list, ContinuousOptions& options) {
  list.in(Group::continuous).of(Route::continuous);
  DictionaryOptions& dictionary = options.dictionary;
  list.add({.name = "degree", .value = "N", .help = "Degree of products of functions", .range = {0, 16}},
           dictionary.degree);
  list.add_name({.name = "index-set", .value = "SET", .help = "Products by total degree or hyperbolic cross"},
                dictionary.rule);
  list.add({.name = "degree-limits", .value = "N,N,...", .help = "Largest degree along each observation"},
           dictionary.limits);
  list.add_name({.name = "format", .value = "FORMAT", .help = "Number format of coefficients"}, options.format);
  list.add_choice<bool>({.name = "through", .value = "HOW", .help = "What limits the mean action"}, options.squash,
                        {{"tanh", true}, {"clip", false}});
  list.add({.name = "fit-states", .value = "N", .help = "States of the teacher that the fit sees", .range = {1, 1e6}},
           options.states);
  list.add({.name = "rounds",
            .value = "N",
            .help = "Fits, each with the states that the last one visited",
            .range = {1, 1000}},
           options.rounds);
  list.add({.name = "knots", .value = "N", .help = "Bends of each axis, by where states are", .range = {0, 15}},
           dictionary.knots);
  list.add({.name = "temper", .value = "T", .help = "How far the bends follow the states", .range = share_range},
           dictionary.temper);
  list.add(
      {.name = "candidates", .value = "N", .help = "Ridges, centres or features to choose from", .range = {1, 65536}},
      dictionary.candidates);
  list.add({.name = "ridge-bits",
            .value = "N",
            .help = "Bits of each number of a ridge; centres have one more",
            .range = {3, 8}},
           dictionary.bits);
  list.add({.name = "ridge-steps",
            .value = "N",
            .help = "Steps in which the chosen ridges move; 0 leaves them",
            .range = {0, 1e5}},
           options.polish.ridge_steps);
  list.add({.name = "length",
            .value = "L",
            .help = "Length of kernels, in half ranges of the observations; 0 chooses",
            .range = {0, 1e6}},
           dictionary.length);
  list.of(std::nullopt);
}

}  // namespace mercer::declare
