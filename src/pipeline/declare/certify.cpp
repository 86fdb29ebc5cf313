#include "pipeline/declare/parts.hpp"

namespace mercer {

using namespace declare;

OptionList options_of(CertifyRequest& request) {
  using Levels = std::set<Level>;
  OptionList list(request.given);
  list.in(Group::output)
      .add({.name = "file",
            .value = "FILE",
            .help = "The embedding, or any policy that replaces the teacher",
            .used_first = true},
           request.file);
  list.add({.name = "dry-run", .help = "Do not write the certificate into the file"}, request.dry_run);
  add_sign(list, request.sign);
  add_task(list, request.task, &request.episodes, "Paired episodes, at most",
           {"as the embedding was made", option_text(CertifyOptions{}.gamma)});
  add_policy(list, request.teacher, "Teacher, in place of the one that the embedding names: " + policy_help);
  list.in(Group::policy)
      .add({.name = "accept-other-teacher",
            .help = "Accept a teacher whose file has another SHA-256 than the stored one"},
           request.accept_other_teacher);
  add_limits(list, request.max_loss, request.max_loss_return, request.confidence);
  add_keep(list, request.keep);
  add_perturb(list, request.perturb, request.grid);
  list.add_choice<Levels>({.name = "level", .value = "LEVEL", .help = "Which bounds to compute"}, request.levels,
                          {{"all", request.levels},
                           {"paper", {Level::paper}},
                           {"rigorous", {Level::rigorous}},
                           {"model", {Level::model}},
                           {"exact", {Level::exact}},
                           {"statistical", {Level::statistical}}});
  add_method(list, request.method, request.all_episodes);
  list.add({.name = "coupled",
            .value = "N",
            .help = "Episodes of each policy for bounds that need steps",
            .range = episodes_range},
           request.coupled);
  list.add(
      {.name = "lipschitz",
       .value = "L",
       .help = "Of a lattice: bound the loss by how far actions move, with slopes of Q estimated (estimate) or given",
       .choices = {"estimate"}},
      request.lipschitz);
  list.add({.name = "attempt",
            .value = "J",
            .help = "This is the J-th candidate you certify: each spends less; 0: the only one",
            .range = {0, 1e6}},
           request.attempt);
  add_seed(list, request);
  return list;
}

}  // namespace mercer
