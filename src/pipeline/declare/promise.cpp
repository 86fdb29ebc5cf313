#include <fmt/format.h>

#include "pipeline/declare/parts.hpp"

namespace mercer::declare {

void add_limits(OptionList& list, std::optional<double>& max_loss, std::optional<double>& max_loss_return,
                double& confidence) {
  list.in(Group::promise)
      .add_share({.name = "max-loss",
                  .value = "SHARE",
                  .help = "Allowed loss as a share of the teacher's return: 1% or 0.01; 100% and more need the %",
                  .range = {.low = 0},
                  .standard = max_loss ? fmt::format("{:g}%", 100 * *max_loss) : "",
                  .used_first = true},
                 max_loss);
  list.add({.name = "max-loss-return", .value = "X", .help = "Allowed loss in units of return"}, max_loss_return);
  list.add_share({.name = "confidence",
                  .value = "SHARE",
                  .help = "Confidence of the promise, such as 95% or 0.95",
                  .range = confidence_range,
                  .used_first = true},
                 confidence);
}

void add_keep(OptionList& list, KeepRequest& keep) {
  const Keeps usual = keeps_of(Keep::behaviour);
  list.add_name({.name = "keep",
                 .value = "WHAT",
                 .help = fmt::format("What must be kept besides the loss: behaviour (roughness at most {:g} times the "
                                     "teacher's + {:g}%, failures at most the teacher's + {:g}%) or the return alone",
                                     usual.roughness->factor, 100 * usual.roughness->plus, 100 * usual.failures->plus),
                 .used_first = true},
                keep.keep);
  list.add_share(
      {.name = "max-roughness",
       .value = "SHARE",
       .help = "Largest mean change of the action per step, as a share of its range (discrete: share of steps "
               "with another action)",
       .range = share_range},
      keep.max_roughness);
  list.add_share(
      {.name = "max-distance",
       .value = "SHARE",
       .help = "Largest mean distance from the teacher's actions, as a share of their range (discrete: share "
               "of states where they differ), in states of either",
       .range = share_range},
      keep.max_distance);
  list.add_share({.name = "max-failures",
                  .value = "SHARE",
                  .help = "Largest share of episodes that fail, in tasks that say what a failure is",
                  .range = share_range},
                 keep.max_failures);
}

void add_perturb(OptionList& list, std::string& perturb, std::size_t& grid) {
  list.add(
      {.name = "perturb",
       .value = "BOX",
       .help =
           "Perturb the task in every episode, such as \"m=0.8..1.2; noise=0..0.05; delay=0..1\"; 'mercer list TASK' "
           "shows what a task has"},
      perturb);
  list.add({.name = "grid",
            .value = "N",
            .help = "With --perturb: also certify the points of a grid with N values of each parameter",
            .range = {1, 1000}},
           grid);
}

void add_method(OptionList& list, LossMethod& method, bool& all_episodes) {
  list.add_name({.name = "method",
                 .value = "METHOD",
                 .help = "Bound on the mean of paired differences; student_t is an estimate, no guarantee"},
                method);
  list.add({.name = "all-episodes", .help = "Play all certifying episodes, even where fewer decide the limits"},
           all_episodes);
}

}  // namespace mercer::declare
