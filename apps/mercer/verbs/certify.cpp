#include "mercer/certify.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/fraction.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "explorer/report.hpp"
#include "io/file.hpp"
#include "mercer/env.hpp"
#include "mercer/error.hpp"
#include "mercer/file.hpp"
#include "mercer/policy.hpp"
#include "verbs/playing.hpp"

using mercer::Error;
using mercer::ErrorCode;
using mercer::Level;

namespace {

struct CertifyVerb {
  Playing playing;
  std::string file;
  std::set<Level> levels = mercer::CertifyOptions{}.levels;
  double confidence = 0.95;
  mercer::LossMethod method = mercer::LossMethod::betting;
  std::string max_loss;
  std::optional<double> max_loss_return;
  std::uint64_t coupled = 1000;
  std::uint64_t attempt = 0;
  bool dry_run = false;

  void run(const CommonOptions& common) const {
    if (file.empty()) {
      throw Error(ErrorCode::missing_option, "no embedding was named", "Write 'mercer certify FILE.mercer'");
    }
    playing.refuse_starts();
    const bool ours = file.ends_with(".mercer");
    const bool stored = ours && !dry_run;
    std::optional<mercer::EmbeddingFile> embedding;
    if (ours) embedding = mercer::read_embedding(file);
    const Playing played = embedding ? completed(embedding->origin) : playing;
    const bool same_task = playing.env.empty() && embedding;  // one that is drawn is drawn as it was
    const auto env = same_task ? mercer::make_env(played.env, embedding->origin.seed) : played.make_env(common);
    const auto teacher = played.make_policy(*env);
    if (stored) mercer::check_writable(file);
    mercer::CertifyOptions options = collect(*env, common);
    std::unique_ptr<mercer::Policy> other;
    if (ours) {
      options.seed = fresh_seed(common.seed, embedding->origin.seed);
      // Played as it was made to be played, unless told otherwise.
      const auto made = embedding->origin.settings.find("act");
      if (!playing.act_given && made != embedding->origin.settings.end()) {
        options.act = mercer::parse<mercer::Act>(made->second);
      }
    } else {
      other = load_policy(file, env->task());
    }
    const mercer::Policy& student = ours ? static_cast<const mercer::Policy&>(embedding->embedding.policy()) : *other;
    mercer::Certificate certificate =
        mercer::certify(*env, *teacher, student, options, terminal_progress(common.quiet));
    certificate.env = played.env;
    if (stored) mercer::add_certificate(file, certificate);
    if (!common.quiet) {
      tell("{}", mercer::certificate_page(certificate));
      if (stored) tell("\nThe certificate is now in {}.\n", file);
    }
    if (common.json) print_json(nlohmann::ordered_json::parse(mercer::certificate_json(certificate)));
    if (!certificate.within_budget) throw_not_met(certificate);
  }

  // What was not said is what the embedding was made with.
  Playing completed(const mercer::EmbeddingOrigin& origin) const {
    Playing played = playing;
    if (played.env.empty()) played.env = origin.env;
    if (!played.policy.empty()) return played;
    played.policy = origin.teacher;
    for (const mercer::PolicySettingKind& kind : mercer::known_policy_settings()) {
      const auto made = origin.settings.find(kind.key);
      const bool said = std::ranges::any_of(
          played.policy_settings, [&](const mercer::PolicySetting& setting) { return setting.key == kind.key; });
      if (made != origin.settings.end() && !said) played.policy_settings.push_back({kind.key, made->second, file});
    }
    return played;
  }

  mercer::CertifyOptions collect(const mercer::Env& env, const CommonOptions& common) const {
    const mercer::RolloutOptions played = playing.complete(env, common);
    mercer::CertifyOptions options;
    options.episodes = played.episodes;
    options.coupled = coupled;
    options.seed = common.seed;
    options.confidence = confidence;
    options.attempt = attempt;
    options.method = method;
    options.act = played.act;
    options.horizon = played.horizon;
    options.gamma = played.gamma.value_or(1);
    options.levels = levels;
    if (!max_loss.empty()) options.max_loss = parse_fraction(max_loss, "--max-loss");
    options.max_loss_return = max_loss_return;
    return options;
  }

  // Episodes that neither made the embedding (its seed) nor were looked at when it was made (the seed after it).
  static std::uint64_t fresh_seed(std::uint64_t asked, std::uint64_t made_with) {
    constexpr std::uint64_t apart = std::uint64_t{1} << 32;
    const std::uint64_t seed = asked + apart;
    return seed == made_with || seed == made_with + 1 ? seed + apart : seed;
  }
};

}  // namespace

void add_certify(Program& program) {
  Verb& verb = program.add_verb("certify", "Tell what an embedding may lose against its teacher, and promise it");
  const auto state = std::make_shared<CertifyVerb>();
  state->playing.options.episodes = 10000;
  state->playing.usual_act = "as it was made";
  state->playing.add_settings(*verb.settings);
  Settings& settings = *verb.settings;
  settings.add({"file", "The embedding, or any policy that stands in for the teacher", "FILE"}, state->file);
  verb.app->add_option("FILE", state->file, "The embedding")->type_name("");
  std::map<std::string, std::set<Level>> levels{{"all", state->levels}};
  for (const Level level : state->levels) levels[std::string(name(level))] = {level};
  settings.add_choice({"level", "Which bounds to tell [all]", "LEVEL"}, state->levels, levels);
  settings.add({"confidence", "Of every bound from episodes, between 0 and 1 [0.95]", "P"}, state->confidence);
  settings.add({"method", "betting, predictable_bernstein, empirical_bernstein or hoeffding [betting]", "METHOD"},
               state->method);
  settings.add({"max-loss", "Allowed loss, such as 1% or 0.01: exit code 5 if it cannot be promised", "SHARE"},
               state->max_loss);
  settings.add({"max-loss-return", "Allowed loss in units of return", "X"}, state->max_loss_return);
  settings.add({"coupled", "Episodes of the teacher for bounds that need its steps [1000]", "N"}, state->coupled);
  settings.add({"attempt", "This is the j-th candidate that you certify: spend less on each", "J"}, state->attempt);
  settings.add({"dry-run", "Do not write the certificate into the file", ""}, state->dry_run);
  verb.run = [state, &program] { state->run(program.common()); };
}
