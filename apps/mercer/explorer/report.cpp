#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "cli/output.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "core/printable.hpp"
#include "explorer/page.hpp"
#include "explorer/view_answers.hpp"
#include "explorer/view_figure.hpp"
#include "explorer/view_library.hpp"
#include "explorer/view_numbers.hpp"
#include "io/file.hpp"
#include "mercer/error.hpp"

namespace {

using json = nlohmann::ordered_json;
using mercer::Error;
using mercer::ErrorCode;

// How much of everything a report holds: a few megabytes, whatever is in it.
struct Extent {
  std::size_t sizes, grid, positions, starts, frames = 200;
};

Extent extent_for(std::size_t subjects, std::size_t axes) {
  const std::size_t sizes = std::clamp<std::size_t>(24 / subjects, 2, 10);
  if (axes <= 2) return {sizes, subjects > 4 ? 48u : 64u, 1, subjects > 4 ? 9u : 25u};
  if (axes == 3) return {sizes, 36, subjects > 4 ? 3u : 5u, 9};
  return {sizes, 24, axes == 4 ? 3u : 1u, 9};
}

// Few episodes of a figure, and as many frames of them as room is left for: a gait that is seen twice a second is none.
void fit_figures(Extent& extent, const World& world, std::size_t subjects) {
  const std::size_t sticks = world.env ? answers::sticks_of(*world.env, world.visited.typical) : 0;
  if (sticks == 0) return;
  constexpr std::size_t room = 1'500'000;  // numbers
  const std::size_t frame = world.visited.axes.size() + world.env->task().action.dimensions() + 4 * sticks;
  extent.starts = 3;
  extent.frames = std::clamp<std::size_t>(room / (subjects * extent.starts * extent.sizes * frame), 50, 500);
}

constexpr std::size_t most_axes = 6, most_actions = 4;  // that slices are held of

class ReportMaker {
 public:
  /// Without a number of episodes each size is measured on the usual number.
  ReportMaker(const Library& library, std::optional<std::size_t> episodes, const mercer::Progress& progress)
      : library_(library), episodes_(episodes), progress_(progress) {}

  json make() {
    json subjects = json::array(), answers = json::array();
    for (std::size_t id = 0; id < library_.size(); ++id) {
      if (progress_.report) {
        progress_.report("report", static_cast<double>(id) / static_cast<double>(library_.size()));
      }
      const Subject& subject = library_[id];
      Extent extent = extent_for(library_.size(), subject.world().visited.axes.size());
      fit_figures(extent, subject.world(), library_.size());
      json about = answers::about(subject, id, extent.sizes);
      answers.push_back(answers_of(subject, extent, about));
      subjects.push_back(std::move(about));
    }
    return {
        {"format", 1}, {"view", library_.view()}, {"subjects", subjects}, {"answers", answers}, {"arrays", arrays_}};
  }

 private:
  static Question ask(std::size_t k, nlohmann::json more = nlohmann::json::object()) {
    more["k"] = k;
    return Question(std::move(more));
  }

  // Lists that are the same, as the teacher's are for every size, stand once.
  json pooled(const json& list) {
    if (list.is_null()) return nullptr;
    const auto [place, is_new] = places_.emplace(list.dump(), arrays_.size());
    if (is_new) arrays_.push_back(list);
    return {{"array", place->second}};
  }

  json pooled_episode(json episode) {
    if (episode.is_null()) return nullptr;
    for (const char* key : {"states", "actions", "rewards", "figure"}) {
      if (episode.contains(key)) episode[key] = pooled(episode[key]);
    }
    return episode;
  }

  json answers_of(const Subject& subject, const Extent& extent, json& about) {
    json evaluations = json::object(), polars = json::object(), codes = json::object();
    const std::size_t episodes = episodes_.value_or(answers::usual_episodes(subject.world()));
    std::vector<std::size_t> sizes;
    for (json& size : about["sizes"]) {
      progress_.check();
      const std::size_t k = size["k"].get<std::size_t>();
      const std::string name = fmt::to_string(k);
      sizes.push_back(k);
      evaluations[name] = answers::evaluate(subject, ask(k, {{"episodes", episodes}}), progress_);
      size["loss_percent"] = evaluations[name]["loss_percent"];
      codes[name] = answers::code(subject, ask(k));
      if (subject.world().env) polars[name] = polar(subject, k);
    }
    json answer{
        {"positions", positions(subject, extent)}, {"evaluate", evaluations}, {"polar", polars}, {"code", codes}};
    add_slices(subject, extent, sizes, answer);
    add_planes(subject, extent, sizes, about, answer);
    add_episodes(subject, extent, sizes, answer);
    return answer;
  }

  json polar(const Subject& subject, std::size_t k) {
    try {
      json answer = answers::polar(subject, ask(k));
      for (const char* key : {"teacher", "embedding", "states"}) answer[key] = pooled(answer[key]);
      return answer;
    } catch (const Error& error) {  // an action without bounds has no such picture
      if (error.code() == ErrorCode::interrupted) throw;
      return nullptr;
    }
  }

  static json positions(const Subject& subject, const Extent& extent) {
    const mercer::Visited& visited = subject.world().visited;
    json all = json::array();
    for (std::size_t d = 0; d < visited.axes.size(); ++d) {
      json places = json::array();
      for (std::size_t i = 0; i < extent.positions; ++i) {
        const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(extent.positions);
        places.push_back(extent.positions == 1 ? number(visited.typical[d])
                                               : number(visited.window[d].low + share * visited.window[d].width()));
      }
      all.push_back(std::move(places));
    }
    return all;
  }

  // Every pair of axes, every action, and every combination of stored places of the other axes.
  void add_slices(const Subject& subject, const Extent& extent, const std::vector<std::size_t>& sizes, json& answer) {
    const std::size_t axes = subject.world().visited.axes.size();
    const std::size_t actions = subject.embedding().policy().action_space().dimensions();
    answer["slice"] = json::object();
    for (std::size_t x = 0; x < std::min(axes, most_axes); ++x) {
      for (std::size_t y = axes == 1 ? 0 : x + 1; y < std::min(axes, most_axes); ++y) {
        for (std::size_t output = 0; output < std::min(actions, most_actions); ++output) {
          std::vector<std::size_t> places(axes);
          do {
            progress_.check();
            for (const bool zoom : {false, true}) add_slice(subject, extent, sizes, x, y, output, places, zoom, answer);
          } while (advance(places, x, y, extent.positions));
        }
      }
    }
  }

  static bool advance(std::vector<std::size_t>& places, std::size_t x, std::size_t y, std::size_t positions) {
    for (std::size_t d = 0; d < places.size(); ++d) {
      if (d == x || d == y) continue;
      if (++places[d] < positions) return true;
      places[d] = 0;
    }
    return false;
  }

  void add_slice(const Subject& subject, const Extent& extent, const std::vector<std::size_t>& sizes, std::size_t x,
                 std::size_t y, std::size_t output, const std::vector<std::size_t>& places, bool zoom, json& answer) {
    std::string key = fmt::format("{},{},{}:", x, y, output);
    json fixed = json::array();
    for (std::size_t d = 0; d < places.size(); ++d) {
      key += fmt::format("{}{}", d == 0 ? "" : ".", d == x || d == y ? "-" : fmt::to_string(places[d]));
      fixed.push_back(answer["positions"][d][places[d]]);
    }
    answer["slice"][key + (zoom ? "z" : "")] = of_all_sizes(
        subject, sizes,
        {{"x", x}, {"y", y}, {"output", output}, {"n", extent.grid}, {"fixed", fixed}, {"zoom", zoom ? 1 : 0}});
  }

  void add_planes(const Subject& subject, const Extent& extent, const std::vector<std::size_t>& sizes,
                  const json& about, json& answer) {
    answer["plane"] = json::object();
    const std::size_t actions = subject.embedding().policy().action_space().dimensions();
    for (std::size_t output = 0; about["plane"].get<bool>() && output < std::min(actions, most_actions); ++output) {
      progress_.check();
      if (!subject.plane(output)) continue;
      answer["plane"][fmt::to_string(output)] =
          of_all_sizes(subject, sizes, {{"plane", 1}, {"output", output}, {"n", extent.grid}});
    }
  }

  // A square of actions, the embedding's for every size.
  json of_all_sizes(const Subject& subject, const std::vector<std::size_t>& sizes, const nlohmann::json& question) {
    json all;
    for (const std::size_t k : sizes) {
      json one = answers::slice(subject, ask(k, question));
      const json own = pooled(one["embedding"]);
      if (all.is_null()) {
        all = std::move(one);
        all["teacher"] = pooled(all["teacher"]);
        all["visits"] = pooled(all["visits"]);
        all["embedding"] = json::object();
      }
      all["embedding"][fmt::to_string(k)] = own;
    }
    return all;
  }

  void add_episodes(const Subject& subject, const Extent& extent, const std::vector<std::size_t>& sizes, json& answer) {
    answer["starts"] = json::array();
    answer["play"] = json::object();
    answer["teacher_play"] = nullptr;
    const World& world = subject.world();
    if (!world.env) return;
    const std::vector<nlohmann::json> wanted = start_questions(subject, extent);
    const std::size_t longest = std::min<std::size_t>(world.env->task().time_limit, 20000);
    const std::size_t stride = (longest + extent.frames - 1) / extent.frames;
    if (world.teacher) answer["teacher_play"] = json::array();
    for (std::size_t place = 0; place < wanted.size(); ++place) {
      for (const std::size_t k : sizes) {
        nlohmann::json question = wanted[place];
        question["stride"] = stride;
        json played = answers::play(subject, ask(k, std::move(question)), progress_);
        if (k == sizes.front()) {
          answer["starts"].push_back(played["start"]);
          if (world.teacher) answer["teacher_play"].push_back(pooled_episode(played["teacher"]));
        }
        played.erase("teacher");
        played["embedding"] = pooled_episode(std::move(played["embedding"]));
        answer["play"][fmt::format("{}:{}", k, place)] = std::move(played);
      }
    }
  }

  // Some that the task draws, and in the plane a grid of them, so that a click finds one near.
  static std::vector<nlohmann::json> start_questions(const Subject& subject, const Extent& extent) {
    const mercer::Visited& visited = subject.world().visited;
    std::vector<nlohmann::json> all;
    const bool grid = visited.axes.size() == 2 && extent.starts >= 9;
    for (std::size_t i = 0; i < (grid ? 4 : extent.starts); ++i) all.push_back({{"another", i}});
    if (!grid) return all;
    const std::size_t side = extent.starts >= 25 ? 5 : 3;
    for (std::size_t i = 0; i < side * side; ++i) {
      const auto at = [&](std::size_t d, std::size_t step) {
        const double share = (static_cast<double>(step) + 0.5) / static_cast<double>(side);
        return visited.window[d].low + share * visited.window[d].width();
      };
      all.push_back({{"start", {at(0, i % side), at(1, i / side)}}});
    }
    return all;
  }

  const Library& library_;
  std::optional<std::size_t> episodes_;
  const mercer::Progress& progress_;
  json arrays_ = json::array();
  std::map<std::string, std::size_t> places_;
};

struct ReportVerb {
  LibraryOptions what;
  std::string out;
  std::optional<std::uint64_t> episodes;
  std::set<std::string> given;

  void run(const CommonOptions& common) const {
    what.require_embeddings("report", fmt::format("--out {}", out.empty() ? "FILE.html" : out));
    if (out.empty()) throw Error(ErrorCode::missing_option, "no file was named for the report", "Add --out FILE.html");
    if (!out.ends_with(".html")) {
      throw Error(ErrorCode::bad_value, fmt::format("'{}' must end in .html", out), "Use --out NAME.html");
    }
    mercer::check_writable(out);
    const mercer::Progress progress = terminal_progress(common.quiet);
    const Library library(what, progress);
    for (const std::string& sentence : library.left_out()) {
      if (!common.quiet) tell("left out: {}\n", sentence);
    }
    for (const std::string& sentence : library.notes()) {
      if (!common.quiet) tell("note: {}\n", sentence);
    }
    const json document = ReportMaker(library, episodes, progress).make();
    const std::string html = page::report(document.dump(-1, ' ', false, json::error_handler_t::replace));
    mercer::write_atomically(out, [&](std::ostream& stream) { stream << html; });
    if (!common.quiet) {
      tell("{}: {} bytes, {}; open it in a browser\n", out, html.size(), mercer::counted(library.size(), "embedding"));
    }
    if (common.json) print_json({{"file", out}, {"bytes", html.size()}, {"embeddings", library.size()}});
  }
};

}  // namespace

void add_report(Program& program) {
  const auto state = std::make_shared<ReportVerb>();
  state->what.teachers_by_digest = true;
  mercer::OptionList list(state->given);
  list.in(mercer::OptionGroup::output);
  list.add({.name = "out", .value = "FILE", .help = "The page, ending in .html", .used_first = true}, state->out);
  list.in(mercer::OptionGroup::task);
  list.add({.name = "episodes",
            .value = "N",
            .help = "Episodes on which every size is measured",
            .range = {2, 100000},
            .standard = "1000; robots: 50 to 1000, about 50,000 steps"},
           state->episodes);
  state->what.add_options(list);
  std::vector<mercer::OptionList> own;
  own.push_back(std::move(list));
  Verb& verb =
      program.add_verb("report", "Write a page that shows embeddings, in one file that opens anywhere", std::move(own));
  verb.app->add_option("FILE", state->what.paths, "Embeddings, and folders with some")->type_name("");
  verb.run = [state, &program] { state->run(program.common()); };
}
