#include "run/sweep.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "cli/output.hpp"
#include "cli/program.hpp"
#include "cli/ranks.hpp"
#include "cli/terminal.hpp"
#include "mercer/error.hpp"
#include "mercer/parallel.hpp"
#include "pipeline/run_status.hpp"
#include "run/store.hpp"
#include "verbs/sweep_table.hpp"

namespace fs = std::filesystem;

using json = nlohmann::ordered_json;
using mercer::Error;
using mercer::ErrorCode;

namespace {

struct SweepVerb {
  std::string file, out;
  bool retry = false;
  std::optional<std::uint64_t> seed;
  std::set<std::string> given;

  void check() const {
    if (file.empty()) throw Error(ErrorCode::missing_option, "no sweep was named", "Write 'mercer sweep FILE.toml'");
    if (out.empty()) throw Error(ErrorCode::missing_option, "no folder was named for the results", "Add --out DIR");
  }

  // Programs that may compute differently: library, command line, plug-in.
  static std::string build_of(const CommonOptions& common) {
    std::string all = mercer::library_digest() + mercer::code_digest(reinterpret_cast<const void*>(&add_sweep));
    if (!common.plugin.empty() && fs::is_regular_file(common.plugin)) all += mercer::sha256_file(common.plugin);
    return mercer::sha256(all);
  }

  // Jobs name their files as seen from the folder, so that its bytes do not depend on where it is.
  void enter_folder() const {
    std::error_code trouble;
    fs::create_directories(out, trouble);
    fs::current_path(out, trouble);
    if (!trouble) return;
    throw Error(ErrorCode::cannot_write, fmt::format("cannot make '{}': {}", out, trouble.message()),
                "Name a folder where you may write");
  }

  void run(const CommonOptions& common) const {
    check();
    const mercer::SweepPlan plan = mercer::plan_sweep(file, mercer::sweep_stages(), out);
    mercer::check_sweep_values(plan);
    const std::string build = build_of(common);
    if (!common.quiet) tell("{} cells, {} jobs\n", plan.cells.size(), plan.jobs.size());
    enter_folder();
    if (rank() > 0) return help_out(plan, build);
    std::vector<mercer::SweepOutcome> outcomes;
    {
      SweepTable table(plan, common.quiet);
      mercer::RunStatus status(".", "sweep", {{"file", file}, {"cells", plan.cells.size()}}, interrupt_token());
      mercer::SweepOptions options;
      options.workers = std::max<std::size_t>(1, std::min(mercer::thread_count(), plan.jobs.size()));
      options.retry = retry;
      if (ranks() > 1) options.others = hand_out;
      outcomes = mercer::run_sweep(
          plan, "", build, mercer::run_sweep_job, options,
          [&](const mercer::SweepState& state, const mercer::SweepOutcome* outcome) {
            table.show(state, outcome);
            const std::size_t ended = state.done + state.failed + state.skipped;
            status.update({{"phase", fmt::format("{} jobs running", state.running.size())},
                           {"fraction", static_cast<double>(ended) / static_cast<double>(state.total)},
                           {"seconds_left", state.left ? json(*state.left) : json(nullptr)},
                           {"stages", table.document(state)}});
          },
          terminal_progress(true));
      status.finish();
    }
    report(plan, outcomes, common);
    mercer::require_room(outcomes);
  }

  static void help_out(const mercer::SweepPlan& plan, const std::string& build) {
    const mercer::Store store("store", build);
    const mercer::Progress progress = terminal_progress(true);
    serve(
        [&](const mercer::SweepTask& task, mercer::SweepProduct& product) {
          return mercer::do_sweep_task(plan, task, store, mercer::run_sweep_job, progress, product);
        },
        progress);
  }

  void report(const mercer::SweepPlan& plan, const std::vector<mercer::SweepOutcome>& outcomes,
              const CommonOptions& common) const {
    using State = mercer::SweepOutcome::State;
    std::map<State, std::size_t> count;
    std::size_t found = 0;
    for (const mercer::SweepOutcome& outcome : outcomes) {
      ++count[outcome.state];
      found += outcome.state == State::done && outcome.found;
    }
    const std::string csv = (fs::path(out) / "results.csv").string();
    const std::string database = (fs::path(out) / "results.sqlite").string();
    if (!common.quiet) {
      tell("{} of {} jobs done ({} found), {} failed, {} skipped\n", count[State::done], plan.jobs.size(), found,
           count[State::failed], count[State::skipped]);
      if (count[State::failed] > 0) tell("the column 'error' gives the reason; --retry runs failed jobs again\n");
      tell("{}: a row for each of {} cells; {} for queries\n", csv, plan.cells.size(), database);
    }
    if (!common.json) return;
    print_json({{"cells", plan.cells.size()},
                {"jobs", plan.jobs.size()},
                {"done", count[State::done]},
                {"found", found},
                {"failed", count[State::failed]},
                {"skipped", count[State::skipped]},
                {"csv", csv},
                {"database", database}});
  }
};

}  // namespace

void add_sweep(Program& program) {
  const auto state = std::make_shared<SweepVerb>();
  mercer::OptionList list(state->given);
  list.in(mercer::OptionGroup::output);
  list.add({.name = "file", .value = "FILE", .help = "The sweep, a TOML file", .used_first = true}, state->file);
  list.add({.name = "out",
            .value = "DIR",
            .help = "Folder of the results; the same command continues after a kill",
            .used_first = true},
           state->out);
  list.add({.name = "retry", .help = "Try jobs that failed before again"}, state->retry);
  list.add({.name = "seed", .value = "N", .help = "Not allowed here: the sweep's file sets the seeds"}, state->seed);
  std::vector<mercer::OptionList> own;
  own.push_back(std::move(list));
  Verb& verb =
      program.add_verb("sweep", "Run a grid of settings, each job once, and gather the results", std::move(own));
  verb.settings->add_positional("FILE", "file");
  verb.run = [state, &program, &settings = *verb.settings] {
    if (settings.flag("seed")) {
      throw Error(ErrorCode::bad_value, "--seed with a sweep, whose jobs read its file alone",
                  "Put seed = N into the file");
    }
    state->run(program.common());
  };
}
