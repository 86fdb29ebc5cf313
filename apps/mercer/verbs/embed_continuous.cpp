#include "verbs/embed_continuous.hpp"

#include <cmath>

#include <fmt/format.h>

#include "cli/terminal.hpp"
#include "explorer/report.hpp"
#include "mercer/statistics.hpp"

namespace {

using json = nlohmann::ordered_json;

mercer::ContinuousOptions complete(const ContinuousSettings& settings, const Playing& playing,
                                   const ContinuousSettings::Shared& shared, std::uint64_t seed) {
  mercer::ContinuousOptions options = settings.options;
  options.dictionary.basis = shared.basis;
  options.dictionary.degree = settings.degree;
  options.dictionary.rule = settings.index_set;
  for (const std::uint64_t limit : settings.limits.value_or(std::vector<std::uint64_t>{})) {
    options.dictionary.limits.push_back(static_cast<std::uint8_t>(std::min<std::uint64_t>(limit, 16)));
  }
  options.dictionary.knots = settings.knots;
  options.dictionary.candidates = settings.candidates;
  options.dictionary.bits = static_cast<unsigned>(settings.bits);
  options.polish.ridge_steps = settings.ridge_steps;
  options.k = shared.k == 0 ? 6 : shared.k;
  options.format = settings.format;
  options.act = playing.act_given ? playing.options.act : mercer::Act::mean;
  options.episodes = shared.rollouts;
  options.states = settings.states;
  options.rounds = settings.rounds;
  options.seed = seed;
  return options;
}

bool has_wasserstein(const mercer::Space& actions) {
  if (actions.is_discrete()) return true;
  return actions.dimensions() == 1 && std::isfinite(actions.axes[0].range.width());
}

}  // namespace

nlohmann::ordered_json bits_json(const mercer::ContinuousCode::Bits& bits) {
  return {{"header", bits.header},
          {"coordinates", bits.coordinates},
          {"terms", bits.terms},
          {"scales", bits.scales},
          {"coefficients", bits.coefficients}};
}

void ContinuousSettings::add_settings(Settings& settings) {
  settings.add({"degree", "Continuous: of products of functions, 0 to 16 [5]", "N"}, degree);
  settings.add({"index-set", "Continuous: which products: total (degree) or (hyperbolic) cross [total]", "SET"},
               index_set);
  settings.add({"degree-limits", "Continuous: the largest degree along each observation", "N,N,..."}, limits);
  settings.add({"format", "Continuous: of coefficients: float32, float16, int16, int8, ..., int4 [int8]", "FORMAT"},
               format);
  settings.add_choice({"through", "Continuous: what limits the mean action [tanh]", "HOW"}, options.squash,
                      {{"tanh", true}, {"clip", false}});
  settings.add({"states", "Continuous: states of the teacher that the fit sees [5000]", "N"}, states);
  settings.add({"rounds", "Continuous: fits, each with the states that the last one visited [5]", "N"}, rounds);
  settings.add({"knots", "Continuous: bends of each axis, 0 to 15, by where states are [0]", "N"}, knots);
  settings.add({"temper", "Continuous: how far the bends follow the states, 0 to 1 [0.5]", "T"},
               options.dictionary.temper);
  settings.add({"candidates", "Continuous: ridges, centres or features to choose from [400]", "N"}, candidates);
  settings.add({"ridge-bits", "Continuous: of each number of a ridge, 3 to 8; centres have one more [4]", "N"}, bits);
  settings.add({"ridge-steps", "Continuous: steps in which the chosen ridges move, 0 to leave them [30]", "N"},
               ridge_steps);
  settings.add({"length", "Continuous: of kernels, in half ranges of the observations [chosen]", "L"},
               options.dictionary.length);
}

void ContinuousSettings::run(const Playing& playing, const Shared& shared, const CommonOptions& common,
                             const Settings& settings) const {
  const auto env = playing.make_env(common);
  const auto teacher = playing.make_policy(*env);
  const mercer::ContinuousOptions completed = complete(*this, playing, shared, common.seed);
  const auto made = mercer::make_continuous(*env, *teacher, completed, terminal_progress(common.quiet));
  mercer::EmbeddingOrigin origin{playing.env, teacher->name(), common.seed, lasting(settings)};
  origin.settings["act"] = name(completed.act);  // as certify should play it
  mercer::write_embedding(shared.out, made.front().embedding, origin);

  const mercer::EmbeddingFile file = mercer::read_embedding(shared.out);  // what is judged is what was written
  mercer::RolloutOptions judging = playing.complete(*env, common);
  judging.seed = common.seed + 1;  // other starts than those that it was fitted on
  judging.act = completed.act;
  judging.keep_steps = false;
  const auto first = Playing::play(*env, *teacher, judging, common);
  const auto second = Playing::play(*env, file.embedding.policy(), judging, common);
  const mercer::ReturnSummary of_teacher = mercer::summarise(first.returns), of_own = mercer::summarise(second.returns);
  const mercer::PairedLoss loss = mercer::paired_loss(first.returns, second.returns);
  json tv = nullptr, w1 = nullptr;
  if (completed.act == mercer::Act::sample) {
    judging.keep_steps = true;
    judging.episodes = std::min<std::size_t>(judging.episodes, 100);
    const auto played = Playing::play(*env, *teacher, judging, common);
    const auto visited = mercer::pick_states(played, 10000);
    tv = mercer::mean_total_variation(*teacher, file.embedding.policy(), visited.view(), common.seed);
    if (has_wasserstein(teacher->action_space())) {  // by quadrature, which takes longer: few states
      const auto few = mercer::pick_states(played, 1000);
      w1 = mercer::policy_distance(*teacher, file.embedding.policy(), few.view()).w1;
    }
  }
  if (!common.quiet) {
    tell("basis {}, k {}: {} bytes of payload, file of {}\n", file.embedding.basis(), file.embedding.k(),
         file.embedding.payload().size(), file.bytes);
    for (const std::string& line : mercer::formulas(file.embedding.continuous())) tell("  {}\n", line);
    tell("teacher:   {}\nembedding: {}\n", to_text(of_teacher), to_text(of_own));
    tell("loss {:.3g}% [{:.3g}%, {:.3g}%]\n", loss.loss_percent, loss.ci95_percent.low, loss.ci95_percent.high);
  }
  if (!common.json) return;
  print_json({{"route", "continuous"},
              {"basis", file.embedding.basis()},
              {"k", file.embedding.k()},
              {"parameters", file.embedding.parameters().published},
              {"parameters_stored", file.embedding.parameters().stored},
              {"bytes", file.bytes},
              {"payload_bytes", file.embedding.payload().size()},
              {"payload_bits", bits_json(file.embedding.continuous().code().bits)},
              {"objective", made.front().objective},
              {"w1", w1},
              {"tv", tv},
              {"returns", {{"teacher", to_json(of_teacher)}, {"embedding", to_json(of_own)}}},
              {"paired", to_json(loss)},
              {"file", shared.out}});
}
