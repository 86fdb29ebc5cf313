#include "pipeline/declare/parts.hpp"

namespace mercer {

using namespace declare;

OptionList options_of(CompressRequest& request) {
  using Routes = CompressRequest::Routes;
  OptionList list(request.given);
  SelectionOptions& judge = request.options.judge;
  add_task(list, request.task, nullptr, "", {text_of(SelectionOptions{}.act)});
  add_policy(list, request.teacher, "Teacher: " + policy_help);
  add_limits(list, judge.max_loss, judge.max_loss_return, judge.confidence);
  add_keep(list, request.keep);
  add_perturb(list, request.perturb, request.grid);
  list.add({.name = "max-bytes",
            .value = "N",
            .help = "Largest payload; shared ridges: the largest student that fits is tuned",
            .range = {1, 1e9},
            .used_first = true},
           judge.max_bytes);
  list.add({.name = "certify-episodes",
            .value = "N",
            .help = "Episodes that the promise rests on, at most",
            .range = {2, 1e9}},
           judge.certify_episodes);
  add_method(list, judge.method, judge.all_episodes);
  list.add({.name = "attempts", .value = "N", .help = "Embeddings that may fail their certificate", .range = {1, 1000}},
           judge.attempts);
  list.in(Group::search)
      .add_choice<Routes>({.name = "route", .value = "ROUTE", .help = "Which embeddings to search"}, request.route,
                          {{"both", Routes::both}, {"continuous", Routes::continuous}, {"lattice", Routes::lattice}});
  list.of(Route::continuous);
  list.add_name(
      {.name = "polish", .value = "HOW", .help = "What coefficients are improved on last", .used_first = true},
      request.options.polish);
  list.add({.name = "bases",
            .value = "B,B,...",
            .help = "Dictionaries of the continuous route; shared, the default for more than 4 observations: students "
                    "with ridges that all actions share",
            .standard = option_text(default_dictionaries())},
           request.bases);
  list.add({.name = "degree", .value = "N", .help = "Degree of products of functions", .range = {0, 16}},
           request.degree);
  list.add_text(
      {.name = "formats",
       .value = "F,F,...",
       .help = "Number formats of coefficients",
       .standard = option_text(CompressOptions{}.formats)},
      request.formats,
      [](std::vector<NumberFormat>& formats, const std::string& text, const std::string& source) {
        formats.clear();
        for (const std::string& one : parse_option<std::vector<std::string>>(text, source)) {
          formats.push_back(parse<NumberFormat>(one));
        }
      },
      [](const std::vector<NumberFormat>& formats) -> std::optional<std::string> {
        if (formats.empty()) return std::nullopt;
        return option_text(formats);
      });
  list.add({.name = "most-terms", .value = "N", .help = "Largest K that is tried", .range = {1, 256}},
           request.options.most_terms);
  list.add({.name = "generations",
            .value = "N",
            .help = "Generations of the search on return, for every K",
            .range = {0, 1e5}},
           request.options.search.generations);
  list.add({.name = "candidate-episodes",
            .value = "N",
            .help = "Episodes that each candidate of a generation plays",
            .range = {1, 1e6}},
           request.options.search.episodes);
  list.of(std::nullopt);
  list.add(
      {.name = "select-episodes", .value = "N", .help = "Episodes on which embeddings are compared", .range = {2, 1e9}},
      judge.select_episodes);
  list.add({.name = "states",
            .value = "FILE",
            .help = "Rollouts (.npz, .csv) whose states alone are used: promises action errors, no return"},
           request.states);
  list.add_seconds({.name = "budget",
                    .value = "TIME",
                    .help = "Time for search and certificate, such as 60s or 5m; a quarter certifies; 0: no limit",
                    .standard = "no limit; shared ridges: 40m"},
                   request.options.seconds);
  add_out(list, request.out, "FILE", "File of the embedding, ending in .mercer");
  list.add({.name = "results",
            .value = "FOLDER",
            .help = "Folder for the Pareto front and a list of all candidates, to report or serve; shared ridges: "
                    "search.state there lets the same command continue after a kill",
            .shapes_result = false},
           request.results);
  add_sign(list, request.sign);
  add_seed(list, request);
  return list;
}

}  // namespace mercer
