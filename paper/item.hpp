#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "frame.hpp"
#include "stages.hpp"
#include "verdict.hpp"

namespace mercer::paper {

/// One figure or table of the publication, or one that we add.
struct Item {
  std::size_t number = 0;
  std::string id;                 ///< such as "turntable"
  std::string title;              ///< one line
  std::string claim;              ///< what the publication says, in our words
  std::vector<std::string> open;  ///< settings that it leaves open, and what we chose
  std::vector<Teacher> teachers;  ///< that must be trained first
  bool seeded = true;             ///< measured for each seed; otherwise once
  double seconds = 1;             ///< of processor time for one seed of a quick run, about
  double more = 4;                ///< times that for a full run
  std::function<Tables(const Bench&)> measure = {};
  std::function<Rules(const Tables&)> rules = {};  ///< of the tables of all seeds; see paper/rules
  std::function<Told(const Tables&)> tell = {};
  /// Environments that the tables hold side by side; the first one's verdict is the item's. Empty: one.
  std::vector<std::string> envs = {};
  bool needs_policies = false;  ///< of the repository: `ReproduceOptions::policies`
};

/// One verdict for each environment, or one.
struct Judged {
  std::string env;  ///< empty: the item has one
  Verdict verdict;
};
std::vector<Judged> judge(const Item& item, const Tables& tables);

Item turntable();
Item bandit();
Item mountain_car();
Item pendulum_gaussian();
Item pendulum_boltzmann();
Item return_spread();
Item pruned();
Item stationary();
Item discretisation();
Item chain();
Item binning();
Item polar();
Item complexity();
Item additions();
Item real_size();
Item rates();
Item kernels();
Item printed();
Item mixtures();
Item variance_lemma();

/// All of them, by number.
std::vector<Item> all_items();

}  // namespace mercer::paper
