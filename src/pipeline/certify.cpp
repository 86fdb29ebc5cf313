#include <fmt/format.h>

#include "core/phases.hpp"
#include "embed/payload/certified.hpp"
#include "io/file.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"
#include "pipeline/options.hpp"
#include "pipeline/playing.hpp"
#include "pipeline/seeds.hpp"
#include "pipeline/suggest.hpp"
#include "pipeline/teacher.hpp"
#include "policy/files.hpp"

namespace mercer {
namespace {

std::optional<LipschitzOptions> lipschitz_of(const std::string& text) {
  if (text.empty()) return {};
  LipschitzOptions options;
  if (text != "estimate") options.constant = parse_option<double>(text, "--lipschitz");
  return options;
}

CertifyOptions certify_options(const CertifyRequest& request) {
  CertifyOptions options;
  options.episodes = request.episodes;
  options.coupled = request.coupled;
  options.seed = request.seed;
  options.confidence = request.confidence;
  options.attempt = request.attempt;
  options.method = request.method;
  options.act = request.task.act.value_or(options.act);
  options.horizon = request.task.horizon;
  options.gamma = request.task.gamma.value_or(options.gamma);
  options.levels = request.levels;
  options.max_loss = request.max_loss;
  options.max_loss_return = request.max_loss_return;
  options.keeps = request.keep.keeps();
  options.all_episodes = request.all_episodes;
  options.lipschitz = lipschitz_of(request.lipschitz);
  return options;
}

// Of the certificate itself, which has phases of its own, and of the points of a grid; costs are episodes.
std::vector<Phases::Phase> phases_with_grid(const CertifyOptions& options, const Player& player, std::size_t each) {
  const double points = 2 * static_cast<double>(grid_points(player, each) * options.episodes);
  return {{"", 3 * static_cast<double>(options.episodes)}, {"grid", points}};
}

// A policy that is no embedding has no file to store a certificate in, and no record of its teacher.
CertifyResult certify_policy(const CertifyRequest& request, const Progress& progress) {
  const TaskRequest task = perturbed(request.task, request.perturb, request.seed);
  const auto named = resolve_player(task, request.seed);
  const auto teacher = resolve_policy(request.teacher, named->task(), progress);
  const auto player = with_spread_of(named, task, request.seed, *teacher, without_bar(progress));
  refuse_failures(request.keep, player->task());
  const auto student = request.student ? request.student : make_policy(request.file, player->task());
  const CertifyOptions options = certify_options(request);
  Phases bar(progress, phases_with_grid(options, *player, request.grid));
  bar.begin(0);
  CertifyResult result{certify(*player, *teacher, *student, options, bar.inner())};
  result.certificate.env = task.env;
  bar.begin(1);
  add_grid(result.certificate, *player, *teacher, *student, request.grid, options, bar.inner());
  return result;
}

CertifyResult certify_embedding(const CertifyRequest& request, const EmbeddingFile& file, const Progress& progress) {
  TaskRequest task = request.task;
  if (!request.perturb.empty()) {
    const bool stored = task.env.empty() && !task.player;
    if (stored) task.env = stored_task(file, request.file);
    task = perturbed(task, request.perturb, stored ? file.origin.seed : request.seed);
  }
  const Origin origin = resolve_origin(file, request.file, task, request.teacher, request.accept_other_teacher,
                                       request.seed, without_bar(progress));
  if (origin.player->env() != nullptr) {
    check_contract_of_file(request.file, file.embedding.policy().contract(), origin.player->task());
  }
  refuse_failures(request.keep, origin.player->task());
  CertifyOptions options = certify_options(request);
  options.seed = certifying_seed(request.seed, file.origin.seed);
  options.act = request.task.act.value_or(stored_act(file));
  options.pruning_rollouts = pruning_rollouts(file);
  Phases bar(progress, phases_with_grid(options, *origin.player, request.grid));
  bar.begin(0);
  CertifyResult result{certify(*origin.player, *origin.teacher, file.embedding.policy(), options, bar.inner())};
  result.certificate.env = origin.env_name;
  bar.begin(1);
  add_grid(result.certificate, *origin.player, *origin.teacher, file.embedding.policy(), request.grid, options,
           bar.inner());
  if (origin.other_teacher) {
    result.certificate.not_covered.push_back(
        fmt::format("the teacher that the embedding was made from: '{}' has another SHA-256 or other settings",
                    origin.teacher_name));
  }
  return result;
}

}  // namespace

CertifyResult certify(const CertifyRequest& request, const Progress& progress) {
  refuse_starts(request.task);
  const bool writes = !request.embedding && !request.student && request.file.ends_with(".mercer") && !request.dry_run;
  if (request.sign && !writes) refuse_sign();
  if (request.embedding) return certify_embedding(request, *request.embedding, progress);
  if (request.file.empty() && !request.student) {
    throw Error(ErrorCode::missing_option, "no embedding was named", "Write 'mercer certify FILE.mercer'");
  }
  if (!request.student && request.teacher.policy.empty() && !request.teacher.object) {
    require_embedding(request.file, "certify");  // two policies are certified if both are named
  }
  if (request.student || !request.file.ends_with(".mercer")) return certify_policy(request, progress);
  // The certificate is about these bytes, and goes nowhere else.
  const auto [file, sha256] = read_to_certify(request.file);
  if (!request.dry_run) check_writable(request.file);
  CertifyResult result = certify_embedding(request, file, progress);
  if (request.dry_run) return result;
  add_certificate_to(request.file, sha256, result.certificate, request.sign);
  result.replaced = file.certificate;
  result.stored = true;
  return result;
}

}  // namespace mercer
