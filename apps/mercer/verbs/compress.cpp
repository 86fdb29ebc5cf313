#include "mercer/compress.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "cli/fraction.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "explorer/report.hpp"
#include "io/file.hpp"
#include "mercer/error.hpp"
#include "mercer/file.hpp"
#include "mercer/parallel.hpp"
#include "mercer/rollout.hpp"
#include "verbs/playing.hpp"

using mercer::Error;
using mercer::ErrorCode;

namespace {

using json = nlohmann::ordered_json;

enum class Route { both, continuous, lattice };

struct CompressVerb {
  Playing playing;
  mercer::CompressOptions options;
  Route route = Route::both;
  std::string max_loss, budget, states, out, results;
  std::optional<double> max_loss_return;
  std::optional<std::uint64_t> max_bytes;
  std::vector<std::string> bases, formats;
  std::uint64_t most_terms = 20, degree = 5, generations = 60, candidate_episodes = 256, select_episodes = 4000,
                certify_episodes = 100000, attempts = 5;

  void check() const {
    if (out.empty())
      throw Error(ErrorCode::missing_option, "no file was named for the embedding", "Add --out FILE.mercer");
    if (!out.ends_with(".mercer")) {
      throw Error(ErrorCode::bad_value, fmt::format("'{}' does not end in .mercer", out), "Give the file that ending");
    }
    if (!budget.empty() && mercer::team().size > 1) {
      throw Error(ErrorCode::bad_value, "--budget was given, and processes that search together keep no common time",
                  "Leave it out and lower --generations, or use one process");
    }
    mercer::check_writable(out);
    if (results.empty()) return;
    std::error_code ignored;  // what cannot be made cannot be written to, which is told next
    std::filesystem::create_directories(results, ignored);
    mercer::check_writable(std::filesystem::path(results) / "tried.json");
  }

  mercer::CompressOptions complete(const CommonOptions& common) const {
    mercer::CompressOptions all = options;
    if (max_loss_return) all.judge.max_loss = std::nullopt;
    if (!max_loss.empty()) all.judge.max_loss = parse_fraction(max_loss, "--max-loss");
    all.judge.max_loss_return = max_loss_return;
    all.judge.max_bytes = max_bytes;
    all.continuous = route != Route::lattice;
    all.lattice = route != Route::continuous;
    all.judge.act = playing.act_given ? playing.options.act : mercer::Act::mean;
    for (const std::string& basis : bases) {
      mercer::DictionaryOptions dictionary;
      dictionary.basis = basis;
      all.dictionaries.push_back(dictionary);
    }
    if (all.dictionaries.empty()) all.dictionaries = mercer::default_dictionaries();
    for (mercer::DictionaryOptions& dictionary : all.dictionaries) dictionary.degree = degree;
    if (!formats.empty()) {
      all.formats.clear();
      for (const std::string& name : formats) all.formats.push_back(mercer::parse<mercer::NumberFormat>(name));
    }
    all.most_terms = most_terms;
    all.search.generations = generations;
    all.search.episodes = candidate_episodes;
    all.judge.select_episodes = select_episodes;
    all.judge.certify_episodes = certify_episodes;
    all.judge.attempts = attempts;
    if (!budget.empty()) all.seconds = parse_seconds(budget, "--budget");
    all.judge.seed = common.seed;
    return all;
  }

  void run(const CommonOptions& common, const Settings& settings) const {
    check();
    const auto env = playing.make_env(common);
    const auto teacher = playing.make_policy(*env);
    const mercer::CompressOptions all = complete(common);
    if (!common.quiet) tell("{:>7} {:>9}  {}\n", "bytes", states.empty() ? "loss" : "error", "candidate");
    const auto sink = [&](const mercer::Candidate& one, bool on_front) {
      if (!common.quiet && on_front) tell("{}\n", line(one));
    };
    mercer::Compressed found = states.empty()
                                   ? mercer::compress(*env, *teacher, all, sink, terminal_progress(common.quiet))
                                   : from_states(*teacher, all, sink, common);
    found.certificate.env = playing.env;
    mercer::EmbeddingOrigin origin{playing.env, teacher->name(), common.seed, lasting(settings)};
    origin.settings["act"] = name(all.judge.act);
    mercer::write_embedding(out, found.winner().embedding, origin);
    mercer::add_certificate(out, found.certificate);
    if (!results.empty()) write_results(found, origin);
    report(found, common);
  }

  // The embeddings of the front, and a list of all that were tried, for 'mercer report' and 'mercer serve'.
  void write_results(const mercer::Compressed& found, const mercer::EmbeddingOrigin& origin) const {
    const std::filesystem::path folder(results);
    json tried = json::array();
    for (std::size_t i = 0; i < found.tried.size(); ++i) {
      const mercer::Candidate& one = found.tried[i];
      json entry = candidate_json(one);
      if (i == found.chosen || std::ranges::find(found.front, i) != found.front.end()) {
        const std::string name =
            fmt::format("{:05}-{}-{}.mercer", one.payload_bytes(), mercer::name(one.embedding.route()), i);
        mercer::write_embedding(folder / name, one.embedding, origin);
        if (i == found.chosen) mercer::add_certificate(folder / name, found.certificate);
        entry["file"] = name;
      }
      tried.push_back(std::move(entry));
    }
    mercer::write_atomically(folder / "tried.json", [&](std::ostream& stream) { stream << tried.dump(1) << '\n'; });
  }

  static json candidate_json(const mercer::Candidate& one) {
    return {{"payload_bytes", one.payload_bytes()},
            {"loss_percent", one.loss_percent},
            {"action_distance", one.action_distance},
            {"route", name(one.embedding.route())},
            {"basis", one.embedding.basis()},
            {"k", one.embedding.k()},
            {"format", name(one.format)}};
  }

  // Nothing is played: the states are those of a log.
  mercer::Compressed from_states(const mercer::Policy& teacher, const mercer::CompressOptions& all,
                                 const mercer::CandidateSink& sink, const CommonOptions& common) const {
    if (max_loss_return) {
      throw Error(ErrorCode::bad_value, "--max-loss-return does not go with --states: no return is played there",
                  "Give --max-loss, which is then a share of the action's range");
    }
    const mercer::Rollouts log = mercer::read_rollouts(states);
    const mercer::StateMatrix seen = mercer::pick_states(log, log.steps());
    mercer::StatesOptions of;
    of.max_error = *all.judge.max_loss;
    of.max_bytes = all.judge.max_bytes;
    of.confidence = all.judge.confidence;
    of.most_terms = all.most_terms;
    of.attempts = all.judge.attempts;
    of.dictionaries = all.dictionaries;
    if (!formats.empty()) of.formats = all.formats;
    of.seed = all.judge.seed;
    return mercer::compress_states(teacher, seen.view(), of, sink, terminal_progress(common.quiet));
  }

  static std::string line(const mercer::Candidate& one) {
    return fmt::format("{:>7} {:>8.2f}%  {} {}, {} terms, {}", one.payload_bytes(), one.loss_percent,
                       name(one.embedding.route()), one.embedding.basis(), one.embedding.k(), name(one.format));
  }

  void report(const mercer::Compressed& found, const CommonOptions& common) const {
    const mercer::Certificate& certificate = found.certificate;
    const auto bytes = mercer::read_embedding(out).bytes;
    if (!common.quiet) {
      tell("\n{} of {} candidates are on the front of bytes against loss:\n", found.front.size(), found.tried.size());
      for (const std::size_t i : found.front) tell("{}\n", line(found.tried[i]));
      tell("\nchosen:\n{}\n", line(found.winner()));
      if (!found.winner().embedding.is_lattice()) {
        for (const std::string& formula : mercer::formulas(found.winner().embedding.continuous()))
          tell("  {}\n", formula);
      }
      if (states.empty())
        tell("Its actions are {:.3g} from the teacher's where the teacher goes (root mean square).\n",
             found.winner().action_distance);
      tell("\n{}\n{}: {} bytes, {} of them payload; {:.1f} s\n", mercer::certificate_page(certificate), out, bytes,
           found.winner().payload_bytes(), found.seconds);
    }
    if (common.json) print_json(to_json(found, bytes));
    if (certificate.within_budget) return;
    throw Error(ErrorCode::not_met,
                fmt::format("nothing that was tried keeps the budget; the best found may lose up to {} (measured: "
                            "{:.3f}%) and was written to '{}'",
                            certificate.upper_percent ? fmt::format("{:.3f}%", *certificate.upper_percent)
                                                      : fmt::format("{:.6g}", certificate.upper_return),
                            certificate.loss_percent, out),
                "Allow more loss or bytes, raise --most-terms or --generations, or certify on more episodes");
  }

  json to_json(const mercer::Compressed& found, std::uintmax_t bytes) const {
    const mercer::Certificate& certificate = found.certificate;
    json front = json::array();
    for (const std::size_t i : found.front) front.push_back(candidate_json(found.tried[i]));
    return {{"route", name(found.winner().embedding.route())},
            {"basis", found.winner().embedding.basis()},
            {"k", found.winner().embedding.k()},
            {"format", name(found.winner().format)},
            {"bytes", bytes},
            {"payload_bytes", found.winner().payload_bytes()},
            {"loss_percent", certificate.loss_percent},
            {"action_distance", found.winner().action_distance},
            {"upper_percent", certificate.upper_percent ? json(*certificate.upper_percent) : json(nullptr)},
            {"upper_return", certificate.upper_return},
            {"confidence", certificate.confidence},
            {"level", name(certificate.level)},
            {"met", certificate.within_budget},
            {"seconds", found.seconds},
            {"tried", found.tried.size()},
            {"front", front},
            {"certificate", json::parse(mercer::certificate_json(certificate))},
            {"file", out}};
  }
};

}  // namespace

void add_compress(Program& program) {
  Verb& verb = program.add_verb("compress", "Search for the smallest embedding that keeps a promise about its loss");
  const auto state = std::make_shared<CompressVerb>();
  state->playing.usual_act = "mean";
  state->playing.add_settings(*verb.settings);
  Settings& settings = *verb.settings;
  settings.add({"max-loss", "Allowed loss, such as 1% or 0.01 [1%]", "SHARE"}, state->max_loss);
  settings.add({"max-loss-return", "Allowed loss in units of return", "X"}, state->max_loss_return);
  settings.add({"max-bytes", "Largest payload", "N"}, state->max_bytes);
  settings.add({"confidence", "Of the promise, between 0 and 1 [0.95]", "P"}, state->options.judge.confidence);
  settings.add_choice({"route", "Which embeddings to search [both]", "ROUTE"}, state->route,
                      {{"both", Route::both}, {"continuous", Route::continuous}, {"lattice", Route::lattice}});
  settings.add_choice({"polish", "What coefficients are improved on last [return]", "HOW"}, state->options.polish);
  settings.add({"bases", "Dictionaries of the continuous route [chebyshev,ridge,mixed]", "B,B,..."}, state->bases);
  settings.add({"degree", "Of products of functions, 0 to 16 [5]", "N"}, state->degree);
  settings.add({"formats", "Of coefficients [int8,int6,int4]", "F,F,..."}, state->formats);
  settings.add({"most-terms", "Largest K that is tried [20]", "N"}, state->most_terms);
  settings.add({"generations", "Of the search on return, for every K [60]", "N"}, state->generations);
  settings.add({"candidate-episodes", "That each of its candidates plays [256]", "N"}, state->candidate_episodes);
  settings.add({"select-episodes", "On which embeddings are compared [4000]", "N"}, state->select_episodes);
  settings.add({"certify-episodes", "On which the promise rests [100000]", "N"}, state->certify_episodes);
  settings.add({"attempts", "Embeddings that may fail their certificate [5]", "N"}, state->attempts);
  settings.add(
      {"states", "Rollouts (.npz, .csv) whose states alone are used: promises action errors, no return", "FILE"},
      state->states);
  settings.add({"budget", "Stop searching after this time, such as 60s or 5m, and certify what is there", "TIME"},
               state->budget);
  settings.add(
      {"results", "Folder for the front's embeddings and a list of all candidates, to report or serve", "FOLDER"},
      state->results);
  settings.add({"out", "The file of the embedding, ending in .mercer", "FILE"}, state->out);
  verb.run = [state, &program, &verb] { state->run(program.common(), *verb.settings); };
}
