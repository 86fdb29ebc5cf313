#include <algorithm>

#include "explorer/view_answers.hpp"
#include "explorer/view_numbers.hpp"
#include "explorer/view_parts.hpp"
#include "mercer/certify.hpp"
#include "pipeline/documents.hpp"
#include "pipeline/seeds.hpp"
#include "view/view.hpp"

namespace answers {
namespace {

constexpr std::size_t most_episodes = 100000, distance_states = 200;

// The first columns of a matrix, evenly picked.
std::vector<double> some_columns(mercer::MatrixView<const double> all, std::size_t count) {
  std::vector<double> some(all.rows() * count);
  for (std::size_t d = 0; d < all.rows(); ++d) {
    for (std::size_t i = 0; i < count; ++i) some[d * count + i] = all(d, i * all.cols() / count);
  }
  return some;
}

void add_distance(const Subject& subject, const Shown& now, json& answer) {
  const World& world = subject.world();
  const auto all = world.visited.observation_view();
  answer["w1"] = answer["tv"] = nullptr;
  answer["tv_about"] = world.act == mercer::Act::mean ? "actions" : "distributions";
  if (!world.teacher || all.cols() == 0) return;
  const std::size_t count = std::min(distance_states, all.cols());
  const std::vector<double> states = some_columns(all, count);
  const mercer::ActionDistance found =
      mercer::action_distance(*world.teacher, now.policy(), {states.data(), all.rows(), count}, world.act);
  if (found.w1) answer["w1"] = number(*found.w1);
  if (found.tv) answer["tv"] = number(*found.tv);
}

mercer::CertifyOptions certify_options(const Subject& subject, std::size_t episodes, std::size_t seed, bool all) {
  mercer::CertifyOptions options;
  options.episodes = episodes;
  options.coupled = std::min<std::size_t>(episodes, 200);
  if (!all) options.levels.clear();
  options.seed = mercer::certifying_seed(seed, subject.file().origin.seed);
  options.act = subject.world().act;
  return options;
}

}  // namespace

json evaluate(const Subject& subject, const Question& question, const mercer::Progress& progress) {
  const auto now = shown(subject, question);
  const std::size_t episodes = question.integer("episodes", 2, most_episodes, 1000);
  const std::size_t seed = question.integer("seed", 0, 1'000'000'000, 0);
  const bool all = question.word("bounds") != "none";
  const ShownCode& code = now->code();
  json answer{{"k", now->embedding().k()},
              {"payload_bytes", now->embedding().payload().size()},
              {"parameters", now->embedding().parameters().stored},
              {"operations", code.made ? json(code.made->operations.total()) : json()},
              {"flash_bytes", code.made ? json(code.made->flash_bytes) : json()},
              {"certificate", nullptr},
              {"loss_percent", nullptr},
              {"all_bounds", all}};
  progress.check();
  add_distance(subject, *now, answer);
  const World& world = subject.world();
  if (!world.env || !world.teacher) {
    answer["why"] = "Nothing was played. " + world.missing;
    return answer;
  }
  const mercer::CertifyOptions options = certify_options(subject, episodes, seed, all);
  mercer::RolloutOptions playing;
  playing.episodes = episodes;
  playing.seed = options.seed;
  playing.act = options.act;
  playing.gamma = options.gamma;
  playing.keep_steps = false;
  const auto other = subject.teacher_returns(playing, progress);
  const mercer::Rollouts own = mercer::rollout(*world.env, now->policy(), playing, progress);
  const mercer::Certificate certificate =
      mercer::certify_paired(mercer::EnvPlayer(*world.env), *world.teacher, now->policy(), mercer::outcomes_of(*other),
                             mercer::outcomes_of(own), options, progress);
  const mercer::PairedLoss loss = mercer::paired_loss(other->returns, own.returns);
  answer["teacher"] = mercer::document(mercer::summarise(other->returns));
  answer["embedding"] = mercer::document(mercer::summarise(own.returns));
  answer["loss_percent"] = number(loss.loss_percent);
  answer["ci95_percent"] = {number(loss.ci95_percent.low), number(loss.ci95_percent.high)};
  answer["certificate"] = certificate_of(certificate);
  return answer;
}

}  // namespace answers
