#include "reproduce.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/file.hpp"
#include "mercer/error.hpp"
#include "results.hpp"
#include "run/store.hpp"

namespace mercer::paper {

namespace fs = std::filesystem;
using json = nlohmann::json;

namespace {

using Clock = std::chrono::steady_clock;

// Where a run is: what all steps cost, what was done, and so what is left.
class Plan {
 public:
  Plan(const StepSink& sink, const Progress& progress) : sink_(sink), progress_(progress) {}

  void expect(double cost) { total_ += cost; }
  /// What a step hands to the library: it can be stopped, and reports as its share of the whole.
  Progress part(const std::string& what, double cost) const {
    Progress inner;
    inner.stop = progress_.stop;
    if (progress_.report) {
      inner.report = [this, what, cost](std::string_view, double fraction) {
        progress_.report(what, std::min(1.0, (done_ + cost * fraction) / total_));
      };
    }
    return inner;
  }
  void finish(const std::string& what, double cost, bool found) {
    done_ += cost;
    if (!found) worked_ += cost;
    const double passed = std::chrono::duration<double>(Clock::now() - start_).count();
    const double left = worked_ > 0 ? passed / worked_ * (total_ - done_) : total_ - done_;
    if (progress_.report) progress_.report(what, std::min(1.0, done_ / total_));
    if (sink_) sink_(what, found, left);
  }

 private:
  const StepSink& sink_;
  const Progress& progress_;
  Clock::time_point start_ = Clock::now();
  double total_ = 0, done_ = 0, worked_ = 0;
};

double cost_of(const Item& item, bool quick) { return item.seconds * (quick ? 1 : item.more); }

std::vector<std::uint64_t> seeds_of(const Item& item, const std::vector<std::uint64_t>& seeds) {
  return item.seeded ? seeds : std::vector{seeds.front()};
}

// Each teacher with the seeds that some item needs it for.
std::map<Teacher, std::set<std::uint64_t>> teachers_of(const std::vector<Item>& items,
                                                       const std::vector<std::uint64_t>& seeds) {
  std::map<Teacher, std::set<std::uint64_t>> needed;
  for (const Item& item : items) {
    for (const Teacher teacher : item.teachers) {
      const std::vector<std::uint64_t> own = seeds_of(item, seeds);
      needed[teacher].insert(own.begin(), own.end());
    }
  }
  return needed;
}

Job item_job(const Item& item, const Bench& bench) {
  // Read once: the file may be replaced while it runs.
  static const std::string program = code_digest(reinterpret_cast<const void*>(&item_job));
  const json settings{
      {"item", item.id}, {"seed", bench.seed}, {"quick", bench.quick}, {"first", bench.first}, {"program", program}};
  Job job{"item", settings.dump(), {}, false};
  for (const Teacher teacher : item.teachers) job.inputs.push_back(train_teacher(bench, teacher).digest);
  return job;
}

Tables measured(const Item& item, const Bench& bench, bool& found) {
  const Job job = item_job(item, bench);
  found = true;
  const Entry entry = bench.store.require(
      job,
      [&](const fs::path& folder) {
        found = false;
        for (const auto& [name, frame] : item.measure(bench)) write_frame(folder / (name + ".csv"), frame);
      },
      bench.progress);
  Tables tables;
  for (const auto& file : fs::directory_iterator(entry.folder)) {
    if (file.path().extension() == ".csv") tables[file.path().stem().string()] = read_frame(file.path());
  }
  return tables;
}

// What is asked for; of all, those that can be measured here.
std::vector<Item> items_of(const ReproduceOptions& options) {
  std::vector<Item> items = choose_items(options.ids);
  if (options.ids.empty() && options.policies.empty() && !options.judge_only) {
    std::erase_if(items, [](const Item& item) { return item.needs_policies; });
  }
  return items;
}

std::vector<std::uint64_t> complete_seeds(const ReproduceOptions& options) {
  if (!options.seeds.empty()) return options.seeds;
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t seed = 0; seed < (options.quick ? 2 : 10); ++seed) seeds.push_back(seed);
  return seeds;
}

// A step that helpers share. Whoever holds the lock of its entry in the store is on it.
void help_with(const Store& store, const std::string& what, bool quick, const std::function<void()>& step,
               const Progress& progress) {
  static const std::string program = code_digest(reinterpret_cast<const void*>(&help_with));
  const Job job{"help", json{{"step", what}, {"quick", quick}, {"program", program}}.dump(), {}, false};
  try {
    store.require(
        job,
        [&](const fs::path& folder) {
          step();
          write_atomically(folder / "done", [&](std::ostream& out) { out << what << '\n'; });
        },
        progress, Busy::refuse);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted) throw;
  }
}

Reproduced finish(const Item& item, const Tables& tables, const ResultContext& context, const fs::path& out) {
  Reproduced done{item.id, item.number, judge(item, tables), out / item.id};
  write_result(done.folder, item, tables, done.judged, context);
  write_index(out);
  return done;
}

// Tables that are there, and what they were measured with.
std::vector<Reproduced> judge_again(const ReproduceOptions& options, const std::vector<Item>& items,
                                    const std::map<std::string, Commits>& commits) {
  std::vector<Reproduced> all;
  for (const Item& item : items) {
    const fs::path folder = options.out / item.id;
    if (!fs::exists(folder / "result.json")) {
      if (options.ids.empty()) continue;
      throw Error(ErrorCode::cannot_open, fmt::format("there are no results in '{}'", folder.string()),
                  "Run it without --judge first");
    }
    ResultContext context = read_context(folder);
    context.commits.rules = commits.at(item.id).rules;
    Tables tables;
    for (const std::string& name : context.tables) tables[name] = read_frame(folder / (name + ".csv"));
    all.push_back(finish(item, tables, context, options.out));
  }
  return all;
}

}  // namespace

void help_reproduce(const ReproduceOptions& options, const Progress& progress) {
  const std::vector<Item> items = items_of(options);
  const std::vector<std::uint64_t> seeds = complete_seeds(options);
  const Store store(options.out / "store", library_digest());
  Progress quiet;
  quiet.stop = progress.stop;
  for (const auto& needed : teachers_of(items, seeds)) {
    for (const std::uint64_t seed : needed.second) {
      const Bench bench{store, seed, options.quick, quiet};
      help_with(
          store, fmt::format("teacher {}, seed {}", name_of(needed.first), seed), options.quick,
          [&] { train_teacher(bench, needed.first); }, progress);
    }
  }
  for (const Item& item : items) {
    for (const std::uint64_t seed : seeds_of(item, seeds)) {
      const Bench bench{store, seed, options.quick, quiet, seed == seeds.front(), options.policies};
      bool found = false;
      help_with(
          store, fmt::format("{}, seed {}", item.id, seed), options.quick, [&] { measured(item, bench, found); },
          progress);
    }
  }
}

std::vector<Item> choose_items(const std::vector<std::string>& ids) {
  const std::vector<Item> all = all_items();
  std::vector<std::string> known;
  for (const Item& item : all) known.push_back(item.id);
  for (const std::string& id : ids) {
    const bool numbered = std::ranges::any_of(all, [&](const Item& item) { return std::to_string(item.number) == id; });
    if (!numbered && std::ranges::find(known, id) == known.end()) throw_unknown("item", id, known);
  }
  std::vector<Item> chosen;
  for (const Item& item : all) {
    const bool asked = std::ranges::any_of(
        ids, [&](const std::string& id) { return id == item.id || id == std::to_string(item.number); });
    if (asked || ids.empty()) chosen.push_back(item);
  }
  return chosen;
}

std::vector<Reproduced> reproduce(const ReproduceOptions& options, const StepSink& sink, const Progress& progress) {
  const std::vector<Item> items = items_of(options);
  const std::map<std::string, Commits> commits = read_commits(options.commits, items);
  if (options.judge_only) return judge_again(options, items, commits);
  const std::vector<std::uint64_t> seeds = complete_seeds(options);
  const Store store(options.out / "store", library_digest());
  const auto teachers = teachers_of(items, seeds);
  Plan plan(sink, progress);
  for (const auto& [teacher, own] : teachers) plan.expect(training_seconds(teacher) * static_cast<double>(own.size()));
  for (const Item& item : items) {
    plan.expect(cost_of(item, options.quick) * static_cast<double>(seeds_of(item, seeds).size()));
  }

  for (const auto& [teacher, own] : teachers) {
    for (const std::uint64_t seed : own) {
      const std::string what = fmt::format("teacher {}, seed {}", name_of(teacher), seed);
      const double cost = training_seconds(teacher);
      const Progress inner = plan.part(what, cost);
      const Bench bench{store, seed, options.quick, inner};
      const auto before = Clock::now();
      train_teacher(bench, teacher);
      plan.finish(what, cost, std::chrono::duration<double>(Clock::now() - before).count() < 0.2);
    }
  }
  std::vector<Reproduced> all;
  for (const Item& item : items) {
    Tables tables;
    for (const std::uint64_t seed : seeds_of(item, seeds)) {
      const std::string what = item.seeded ? fmt::format("{} {}, seed {}", item.number, item.id, seed)
                                           : fmt::format("{} {}", item.number, item.id);
      Progress inner;
      inner.stop = progress.stop;
      const Bench bench{store, seed, options.quick, inner, seed == seeds.front(), options.policies};
      bool found = false;
      append(tables, measured(item, bench, found));
      plan.finish(what, cost_of(item, options.quick), found);
    }
    all.push_back(finish(item, tables, {options.quick, seeds_of(item, seeds), options.version, commits.at(item.id)},
                         options.out));
  }
  return all;
}

}  // namespace mercer::paper
