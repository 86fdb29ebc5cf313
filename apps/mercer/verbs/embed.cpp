#include "mercer/embed.hpp"

#include <map>
#include <set>
#include <span>

#include <fmt/format.h>

#include "cli/fraction.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "explorer/report.hpp"
#include "io/file.hpp"
#include "mercer/certify.hpp"
#include "mercer/error.hpp"
#include "mercer/file.hpp"
#include "mercer/statistics.hpp"
#include "verbs/embed_continuous.hpp"
#include "verbs/embed_large.hpp"
#include "verbs/lattice_memo.hpp"
#include "verbs/lattice_settings.hpp"
#include "verbs/playing.hpp"

using mercer::Error;
using mercer::ErrorCode;

namespace {

using json = nlohmann::ordered_json;

struct EmbedVerb {
  Playing playing;
  LatticeSettings lattice;
  ContinuousSettings continuous;
  LargeSettings large;
  mercer::Route route = mercer::Route::lattice;
  std::optional<std::string> basis;
  std::map<mercer::Route, std::set<std::string>> only;  // settings of one route, by route
  std::optional<std::uint64_t> rollouts;
  std::string from;
  std::string out;
  std::string max_loss;
  std::optional<double> max_loss_return;
  double confidence = 0.95;
  std::uint64_t certify_episodes = 10000;

  bool has_budget() const { return !max_loss.empty() || max_loss_return; }

  void check() const {
    if (has_budget()) playing.refuse_starts();
    if (!from.empty() && (rollouts || route == mercer::Route::continuous)) {
      throw Error(ErrorCode::bad_value,
                  fmt::format("--from does not go with {}", rollouts ? "--rollouts" : "--route continuous"),
                  rollouts ? "Give one of them" : "The continuous route plays while it fits: leave --from out");
    }
    if (out.empty())
      throw Error(ErrorCode::missing_option, "no file was named for the embedding", "Add --out FILE.mercer");
    if (!out.ends_with(".mercer")) {
      throw Error(ErrorCode::bad_value, fmt::format("'{}' does not end in .mercer", out), "Give the file that ending");
    }
    mercer::require_in_range("--rollouts", static_cast<double>(lattice_episodes()), 1, 1e9,
                             "The lattice is made from them");
    mercer::check_writable(out);
  }

  // A flag that changes nothing would be taken for one that does. Files of settings may serve both routes.
  void refuse_other_route(const Settings& settings) const {
    const mercer::Route other = route == mercer::Route::lattice ? mercer::Route::continuous : mercer::Route::lattice;
    for (const auto& [setting, text] : said(settings)) {
      if (!only.at(other).contains(setting)) continue;
      throw Error(ErrorCode::bad_value,
                  fmt::format("--{} is of the {} route, and this is the {} one", setting, name(other), name(route)),
                  fmt::format("Leave it out, or add --route {}", name(other)));
    }
  }

  // With 200 the cells that nobody met cost more than everything else does.
  std::uint64_t lattice_episodes() const {
    return rollouts.value_or(lattice.preset == LatticeSettings::Preset::paper ? 200 : 1000);
  }

  void run(const CommonOptions& common, const Settings& settings) const {
    check();
    refuse_other_route(settings);
    if (large.asked() && (has_budget() || !from.empty())) {
      throw Error(ErrorCode::bad_value,
                  fmt::format("--scratch does not go with {}", from.empty() ? "--max-loss" : "--from"),
                  from.empty() ? "Give --k or --energy" : "Leave one of them out: the lattice is made while playing");
    }
    if (route == mercer::Route::continuous && has_budget()) {
      throw Error(ErrorCode::bad_value, "--max-loss chooses k of a lattice, and --route is continuous",
                  "Use 'mercer compress --route continuous --max-loss ...'");
    }
    if (route == mercer::Route::continuous) {
      large.refuse_without();
      return continuous.run(playing, {basis.value_or("chebyshev"), lattice.k, rollouts.value_or(200), out}, common,
                            settings);
    }
    large.refuse_without();
    if (large.asked()) {
      return large.run(playing, lattice, basis.value_or("svd"), lattice_episodes(), out, common, settings);
    }
    const auto env = playing.make_env(common);
    const auto teacher = playing.make_policy(*env);
    const mercer::LatticeOptions options = lattice.lattice();
    mercer::TruncationOptions truncation = lattice.truncation();
    truncation.basis = basis.value_or("dct");
    const auto shared = shared_lattice(lattice_key(settings), [&] {
      return mercer::make_lattice(*teacher, collect(*env, *teacher, common), options);
    });
    const mercer::Lattice& made = *shared;
    std::optional<mercer::KChoice> choice;
    if (has_budget()) {
      choice = choose(*env, *teacher, made, options.playing, truncation, common);
      truncation.k = choice->k;
    }
    const auto embedding = mercer::LatticeEmbedding::make(*teacher, made, options.playing, truncation, common.seed);
    mercer::EmbeddingOrigin origin{playing.env, teacher->name(), common.seed, lasting(settings)};
    mercer::write_embedding(out, embedding, origin);
    if (choice) mercer::add_certificate(out, choice->certificate);

    const auto plain = mercer::lattice_policy("lattice", *teacher, made, made.table, options.playing);
    report(*env, *teacher, plain, made, choice, common);
    if (choice && !choice->within_budget) throw_not_met(choice->certificate);
  }

  // Everything that was said but what comes after the lattice.
  static std::map<std::string, std::string> lattice_key(const Settings& settings) {
    std::map<std::string, std::string> key = said(settings);
    for (const char* later : {"k", "basis", "energy", "order", "simplex", "episodes", "act", "horizon", "out"}) {
      key.erase(later);
    }
    return key;
  }

  mercer::Rollouts collect(const mercer::Env& env, const mercer::Policy& teacher, const CommonOptions& common) const {
    if (!from.empty()) return mercer::read_rollouts(from);
    mercer::RolloutOptions collecting;
    collecting.episodes = lattice_episodes();
    collecting.seed = common.seed;
    return Playing::play(env, teacher, collecting, common);
  }

  // The smallest K that keeps the budget. Up to --k if it was given, otherwise all there are.
  mercer::KChoice choose(const mercer::Env& env, const mercer::Policy& teacher, const mercer::Lattice& made,
                         const mercer::LatticePlay& play, const mercer::TruncationOptions& truncation,
                         const CommonOptions& common) const {
    const auto with = [&](std::size_t k) {
      mercer::TruncationOptions of = truncation;
      of.k = k;
      return mercer::LatticeEmbedding::make(teacher, made, play, of, common.seed);
    };
    const mercer::RolloutOptions judging = playing.complete(env, common);
    mercer::CertifyOptions options;
    options.episodes = certify_episodes;
    options.seed = common.seed + (std::uint64_t{1} << 33);  // episodes that nothing else here plays
    options.confidence = confidence;
    options.act = judging.act;
    options.horizon = judging.horizon;
    options.gamma = judging.gamma.value_or(1);
    options.model = false;  // certify adds what takes longer
    if (!max_loss.empty()) options.max_loss = parse_fraction(max_loss, "--max-loss");
    options.max_loss_return = max_loss_return;
    const mercer::StudentOfK student = [&](std::size_t k) {
      return std::make_shared<mercer::LatticePolicy>(with(k).policy());
    };
    mercer::TruncationOptions half = truncation;
    half.energy = 0;
    const std::size_t all = truncation.basis.family == mercer::BasisFamily::svd
                                ? std::min(made.table.rows, made.table.cols)
                                : made.table.pi.size();
    const std::size_t most =
        truncation.k > 0
            ? truncation.k
            : std::min(all, 2 * mercer::LatticeEmbedding::make(teacher, made, play, half, common.seed).k());
    mercer::KChoice choice =
        mercer::choose_k(env, teacher, student, 1, most, options, 3, terminal_progress(common.quiet));
    choice.certificate.env = playing.env;
    return choice;
  }

  void report(const mercer::Env& env, const mercer::Policy& teacher, const mercer::LatticePolicy& plain,
              const mercer::Lattice& made, const std::optional<mercer::KChoice>& choice,
              const CommonOptions& common) const {
    const mercer::EmbeddingFile file = mercer::read_embedding(out);  // what is judged is what was written
    const mercer::LatticeEmbedding& embedding = file.embedding.lattice();
    mercer::RolloutOptions judging = playing.complete(env, common);
    judging.seed = common.seed + 1;  // other starts than those that made the lattice
    judging.keep_steps = false;
    const auto earned = [&](const mercer::Policy& policy) {
      return mercer::summarise(Playing::play(env, policy, judging, common).returns);
    };
    const mercer::ReturnSummary of_teacher = earned(teacher), of_lattice = earned(plain),
                                of_embedding = earned(embedding.policy());
    const mercer::LatticeDistance distance = mercer::lattice_distance(made, embedding.table());
    const std::size_t own_rows = made.own.grids.size();
    if (!common.quiet) {
      const bool whole = lattice.unvisited == LatticeSettings::Unvisited::teacher;
      tell("{} {} of {:.0f}, {:.2f}% pruned; basis {}, k {}\n", made.cells->size(), whole ? "cells" : "visited cells",
           made.cells->grid().cells(), made.pruned_percent(), embedding.basis(), embedding.k());
      if (lattice.conditional_actions.value_or(false)) {
        tell("{} cells have their own action edges; in {} too few different actions were played\n", own_rows,
             made.table.rows - own_rows);
      }
      if (made.collapsed_bins > 0) tell("{} bins collapsed: the data has ties\n", made.collapsed_bins);
      if (embedding.empty_rows() > 0) {
        tell("{} of {} rows had nothing left to keep and are uniform: take a larger --k or another --basis\n",
             embedding.empty_rows(), made.table.rows);
      }
      tell("{}: {} bytes, {} of them payload\n", out, file.bytes, embedding.payload().size());
      tell("teacher:   {}\nlattice:   {}\nembedding: {}\n", to_text(of_teacher), to_text(of_lattice),
           to_text(of_embedding));
    }
    if (choice && !common.quiet) {
      for (const mercer::KPoint& point : choice->curve) {
        tell("k {:>8}: measured loss {:.3f}%, promised {:.6g} in return{}\n", point.k, point.loss_percent,
             point.upper_return, point.within_budget ? "" : ", too much");
      }
      tell("{}", mercer::certificate_page(choice->certificate));
    }
    if (!common.json) return;
    json document{
        {"route", "lattice"},
        {"basis", embedding.basis()},
        {"k", embedding.k()},
        {"parameters", embedding.parameters().published},
        {"parameters_stored", embedding.parameters().stored},
        {"bytes", file.bytes},
        {"payload_bytes", embedding.payload().size()},
        {"visited_cells", made.cells->size()},
        {"pruned_percent", made.pruned_percent()},
        {"collapsed_bins", made.collapsed_bins},
        {"own_action_edges", own_rows},
        {"w1", distance.w1},
        {"w1_kind", name(distance.w1_kind)},
        {"tv", distance.tv},
        {"returns",
         {{"teacher", to_json(of_teacher)}, {"lattice", to_json(of_lattice)}, {"embedding", to_json(of_embedding)}}},
        {"file", out}};
    if (choice) {
      document["curve"] = json::array();
      for (const mercer::KPoint& point : choice->curve) {
        document["curve"].push_back({{"k", point.k},
                                     {"loss_percent", point.loss_percent},
                                     {"upper_percent", point.upper_percent ? json(*point.upper_percent) : json()},
                                     {"upper_return", point.upper_return},
                                     {"met", point.within_budget}});
      }
      document["certificate"] = json::parse(mercer::certificate_json(choice->certificate));
    }
    print_json(document);
  }
};

}  // namespace

void add_embed(Program& program) {
  Verb& verb = program.add_verb("embed", "Turn a policy into few numbers, and tell what that costs");
  const auto state = std::make_shared<EmbedVerb>();
  state->playing.options.episodes = 1000;
  state->playing.usual_act = "sample; continuous: mean";
  state->playing.add_settings(*verb.settings);
  verb.settings->add_choice({"route", "How it is embedded [lattice]", "ROUTE"}, state->route);
  verb.settings->add({"basis", "A basis of the route, see 'mercer list' [dct; continuous: chebyshev]", "BASIS"},
                     state->basis);
  verb.settings->add(
      {"k", "Coefficients, rank (svd), components or draws a row (gmm, mle) [--energy; continuous: 6]", "K"},
      state->lattice.k);
  const auto added_by = [&](auto& route) {
    const std::size_t before = verb.settings->all().size();
    route.add_settings(*verb.settings);
    std::set<std::string> names;
    for (const Setting& one : std::span(verb.settings->all()).subspan(before)) names.insert(one.name);
    return names;
  };
  state->only[mercer::Route::lattice] = added_by(state->lattice);
  state->only[mercer::Route::lattice].merge(added_by(state->large));
  state->only[mercer::Route::continuous] = added_by(state->continuous);
  verb.settings->add(
      {"rollouts", "Episodes that the embedding is made from [best 1000, paper and continuous 200]", "N"},
      state->rollouts);
  verb.settings->add(
      {"from", "Lattice: rollouts in a file (.npz, .csv) that it is made from, in place of playing", "FILE"},
      state->from);
  verb.settings->add(
      {"max-loss", "Choose the smallest k whose certified loss is at most this share, such as 3%", "SHARE"},
      state->max_loss);
  verb.settings->add({"max-loss-return", "The same in units of return", "X"}, state->max_loss_return);
  verb.settings->add({"certify-episodes", "Paired episodes that choose k, and as many that certify it [10000]", "N"},
                     state->certify_episodes);
  verb.settings->add({"confidence", "Of that promise, between 0 and 1 [0.95]", "P"}, state->confidence);
  verb.settings->add({"out", "The file of the embedding, ending in .mercer", "FILE"}, state->out);
  verb.run = [state, &program, &verb] { state->run(program.common(), *verb.settings); };
}
