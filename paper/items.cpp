#include "item.hpp"

namespace mercer::paper {

std::vector<Item> all_items() {
  return {turntable(),     bandit(), mountain_car(), pendulum_gaussian(), pendulum_boltzmann(),
          return_spread(), pruned(), stationary(),   discretisation(),    chain(),
          binning(),       polar(),  complexity(),   additions()};
}

}  // namespace mercer::paper
