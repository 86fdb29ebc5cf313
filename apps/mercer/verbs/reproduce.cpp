#include "paper/reproduce.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

#include <fmt/format.h>

#include "cli/output.hpp"
#include "cli/program.hpp"
#include "cli/ranks.hpp"
#include "cli/terminal.hpp"
#include "cli/version.hpp"
#include "mercer/error.hpp"

namespace {

using mercer::Error;
using mercer::ErrorCode;
using json = nlohmann::ordered_json;

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::stringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

// "0-9" or "0,3,5-7".
std::vector<std::uint64_t> parse_seeds(const std::string& text) {
  std::vector<std::uint64_t> seeds;
  const auto whole = [&](std::string_view part) {
    std::uint64_t value = 0;
    const auto [end, trouble] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (trouble != std::errc() || end != part.data() + part.size() || value > 1'000'000) {
      throw Error(ErrorCode::bad_value, fmt::format("--seeds is '{}'", text),
                  "Write seeds up to 1000000 as 0-9 or 0,3,5-7");
    }
    return value;
  };
  for (const std::string& part : split(text)) {
    const std::size_t dash = part.find('-');
    const std::uint64_t first = whole(part.substr(0, dash));
    const std::uint64_t last = dash == std::string::npos ? first : whole(part.substr(dash + 1));
    if (last < first || last - first > 1000) {
      throw Error(ErrorCode::bad_value, fmt::format("--seeds is '{}'", text), "Let a range rise, by at most 1000");
    }
    for (std::uint64_t seed = first; seed <= last; ++seed) seeds.push_back(seed);
  }
  std::ranges::sort(seeds);
  seeds.erase(std::unique(seeds.begin(), seeds.end()), seeds.end());
  return seeds;
}

struct ReproduceVerb {
  std::vector<std::string> ids;
  std::string items, seeds;
  std::optional<std::uint64_t> seed;
  mercer::paper::ReproduceOptions options;
  bool list = false;
  std::string out = options.out.string(), commits, policies;
  std::set<std::string> given;

  void show_items(const CommonOptions& common) const {
    json all = json::array();
    for (const mercer::paper::Item& item : mercer::paper::all_items()) {
      all.push_back({{"number", item.number}, {"id", item.id}, {"title", item.title}, {"claim", item.claim}});
      if (!common.json) fmt::print("{:>2}  {:<20} {}\n", item.number, item.id, item.title);
    }
    if (common.json) print_json(all);
  }

  void run(const CommonOptions& common) {
    if (list) return show_items(common);
    if (seed && seeds.empty()) seeds = fmt::format("{}", *seed);
    options.out = out;
    options.ids = ids;
    for (const std::string& id : split(items)) options.ids.push_back(id);
    if (!seeds.empty()) options.seeds = parse_seeds(seeds);
    options.version = version_number();
    options.commits = commits;
    options.policies = policies;
    if (ranks() > 1) mercer::paper::help_reproduce(options, terminal_progress(true));
    if (rank() > 0) return;
    const auto told = [&](const std::string& what, bool found, double left) {
      if (common.quiet) return;
      tell("{}{}, about {} left\n", what, found ? " (found)" : "", duration_text(left));
    };
    const auto all = mercer::paper::reproduce(options, told, terminal_progress(common.quiet));
    json results = json::array();
    for (const auto& one : all) {
      const mercer::paper::Verdict& verdict = one.judged.front().verdict;
      if (!common.quiet) tell("{:>2} {}: {}\n   {}\n", one.number, one.id, verdict.word(), verdict.saw);
      json beside = json::object();
      for (const auto& judged : one.judged) {
        if (!judged.env.empty()) beside[judged.env] = judged.verdict.word();
      }
      results.push_back({{"number", one.number},
                         {"id", one.id},
                         {"verdict", verdict.word()},
                         {"verdicts", beside},
                         {"saw", verdict.saw},
                         {"reason", verdict.reason()},
                         {"folder", one.folder.string()}});
    }
    const std::string page = (options.out / "index.html").string();
    if (!common.quiet) tell("{} lists all; paper/draw.py {} draws the figures\n", page, options.out.string());
    if (common.json) print_json({{"items", results}, {"page", page}});
  }
};

}  // namespace

void add_reproduce(Program& program) {
  const auto state = std::make_shared<ReproduceVerb>();
  mercer::OptionList list(state->given);
  list.in(mercer::OptionGroup::search);
  list.add({.name = "items", .value = "IDS", .help = "Which: ids or numbers, such as chain,2", .standard = "all"},
           state->items);
  list.add({.name = "quick", .help = "Two seeds and fewer settings: minutes, not hours"}, state->options.quick);
  list.add({.name = "seeds", .value = "SEEDS", .help = "Seeds, such as 0-9 or 0,3,5", .standard = "0-9, quick: 0-1"},
           state->seeds);
  list.add({.name = "seed", .value = "N", .help = "The only seed; --seeds names several and wins"}, state->seed);
  list.in(mercer::OptionGroup::output);
  list.add({.name = "out", .value = "DIR", .help = "Folder of the results; the same command continues after a kill"},
           state->out);
  list.add({.name = "judge", .help = "Judge the tables in --out again, and measure nothing"},
           state->options.judge_only);
  list.add({.name = "commits",
            .value = "FILE",
            .help = "Commits that the results name, as paper/commits.py writes them",
            .shapes_result = false},
           state->commits);
  list.add({.name = "policies",
            .value = "DIR",
            .help = "Policies of the repository, tests/data/policies; without it item 15 is left out"},
           state->policies);
  list.add({.name = "list", .help = "Show the items and do nothing"}, state->list);
  std::vector<mercer::OptionList> own;
  own.push_back(std::move(list));
  Verb& verb = program.add_verb("reproduce", "Run the published experiments and compare them with what was claimed",
                                std::move(own));
  verb.app->add_option("ID", state->ids, "Ids or numbers of items [all]")->type_name("");
  verb.run = [state, &program] { state->run(program.common()); };
}
