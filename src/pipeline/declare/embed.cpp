#include <fmt/format.h>

#include "pipeline/declare/parts.hpp"

namespace mercer {

using namespace declare;

OptionList options_of(EmbedRequest& request) {
  OptionList list(request.given);
  EmbedRequest best, paper, printed, on_disk, continuous;  // what the defaults in words follow from
  paper.lattice.preset = LatticeRequest::Preset::paper;
  printed.lattice.preset = LatticeRequest::Preset::printed;
  on_disk.lattice.scratch.emplace();
  continuous.route = Route::continuous;
  add_task(list, request.task, &request.episodes, "Episodes that measure the result",
           {fmt::format("{}; continuous: {}", text_of(RolloutOptions{}.act), text_of(ContinuousOptions{}.act)),
            fmt::format("the task's; of a promise: {}", CertifyOptions{}.gamma)});
  add_policy(list, request.teacher, "Teacher: " + policy_help);
  list.in(Group::search)
      .add_name({.name = "route", .value = "ROUTE", .help = "How the policy is embedded", .used_first = true},
                request.route);
  list.add({.name = "basis",
            .value = "BASIS",
            .help = "A basis of the route; 'mercer list' shows them",
            .standard = fmt::format("best: {}, paper: {}, printed: {}; with --scratch: {}; continuous: {}",
                                    best.usual_basis(), paper.usual_basis(), printed.usual_basis(),
                                    on_disk.usual_basis(), continuous.usual_basis()),
            .used_first = true},
           request.basis);
  list.add({.name = "k",
            .value = "K",
            .help = fmt::format("Coefficients, rank (svd), components or draws per row (gmm, mle), or terms; 0: by "
                                "--energy, continuous: {}",
                                continuous.continuous.k),
            .range = {0, 1e9},
            .used_first = true},
           request.k);
  list.add({.name = "rollouts",
            .value = "N",
            .help = "Episodes that the embedding is made from",
            .range = episodes_range,
            .standard = fmt::format("best: {}, paper: {}, continuous: {}", best.usual_rollouts(),
                                    paper.usual_rollouts(), continuous.usual_rollouts())},
           request.rollouts);
  list.of(Route::lattice)
      .add({.name = "from",
            .value = "FILE",
            .help = "Make the lattice from rollouts in a file (.npz, .csv) instead of playing"},
           request.from);
  list.of(std::nullopt);
  add_limits(list, request.max_loss, request.max_loss_return, request.confidence);
  list.add({.name = "certify-episodes",
            .value = "N",
            .help = "Paired episodes that choose k, and as many that certify it",
            .range = {2, 1e9}},
           request.certify_episodes);
  list.of(Route::lattice)
      .add_name(
          {.name = "choose-k",
           .value = "RULE",
           .help =
               "How k is chosen: by paired episodes, by the theorem with the least bound on the loss, or by --energy",
           .standard = "episodes with a largest loss, else energy"},
          request.choose_k);
  list.of(std::nullopt);
  add_lattice(list, request.lattice);
  add_continuous(list, request.continuous);
  add_out(list, request.out, "FILE", "File of the embedding, ending in .mercer");
  add_sign(list, request.sign);
  add_seed(list, request);
  return list;
}

}  // namespace mercer
