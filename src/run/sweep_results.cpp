#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include "io/file.hpp"
#include "mercer/error.hpp"
#include "run/sweep.hpp"

namespace mercer {

/// What a JSON document says, in its order: {"return": {"mean": 1}} is ("return.mean", "1"). Arrays of at most four
/// single values become columns by number, longer ones and those of objects are left out, and so is null. Truth is 1 or
/// 0.
struct SweepNumber {
  std::string name, text;
  bool is_number = true;
};
std::vector<SweepNumber> sweep_numbers(const std::string& document);

namespace {

using json = nlohmann::ordered_json;

void flatten(const json& value, const std::string& name, std::vector<SweepNumber>& all) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) flatten(inner, name.empty() ? key : name + "." + key, all);
  } else if (value.is_array()) {
    const bool plain =
        value.size() <= 4 && std::ranges::none_of(value, [](const json& v) { return v.is_structured(); });
    for (std::size_t i = 0; plain && i < value.size(); ++i) flatten(value[i], fmt::format("{}.{}", name, i), all);
  } else if (value.is_string()) {
    all.push_back({name, value.get<std::string>(), false});
  } else if (value.is_boolean()) {
    all.push_back({name, value.get<bool>() ? "1" : "0"});
  } else if (value.is_number()) {
    all.push_back({name, value.dump()});
  }
}

std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// The state of a cell is that of its stages: the first that is not done.
const SweepOutcome* trouble_of(const SweepCell& cell, const std::vector<SweepOutcome>& outcomes) {
  for (const std::size_t job : cell.jobs) {
    if (outcomes[job].state != SweepOutcome::State::done) return &outcomes[job];
  }
  return nullptr;
}

}  // namespace

std::vector<SweepNumber> sweep_numbers(const std::string& document) {
  std::vector<SweepNumber> all;
  flatten(json::parse(document), "", all);
  return all;
}

void write_sweep_csv(const std::filesystem::path& file, const SweepPlan& plan,
                     const std::vector<SweepOutcome>& outcomes) {
  std::vector<std::map<std::string, std::string>> of_job(plan.jobs.size());
  std::vector<std::string> columns;
  for (const std::string& stage : plan.stages) {
    std::map<std::string, bool> seen;
    for (std::size_t j = 0; j < plan.jobs.size(); ++j) {
      if (plan.jobs[j].stage != stage || outcomes[j].state != SweepOutcome::State::done) continue;
      for (SweepNumber& one : sweep_numbers(outcomes[j].text)) {
        const std::string column = stage + "." + one.name;
        if (std::ranges::find(plan.varied, column) != plan.varied.end()) continue;  // a column already
        of_job[j][column] = std::move(one.text);
        if (!std::exchange(seen[column], true)) columns.push_back(column);
      }
    }
  }
  write_atomically(file, [&](std::ostream& out) {
    out << "cell";
    for (const std::string& key : plan.varied) out << ',' << field(key);
    out << ",state,error";
    for (const std::string& column : columns) out << ',' << field(column);
    out << '\n';
    for (std::size_t c = 0; c < plan.cells.size(); ++c) {
      const SweepCell& cell = plan.cells[c];
      const SweepOutcome* trouble = trouble_of(cell, outcomes);
      out << c;
      for (const std::string& value : cell.values) out << ',' << field(value);
      out << ',' << (trouble ? to_string(trouble->state) : "done") << ',' << (trouble ? field(trouble->text) : "");
      for (const std::string& column : columns) {
        out << ',';
        for (const std::size_t job : cell.jobs) {
          const auto found = of_job[job].find(column);
          if (found != of_job[job].end()) out << field(found->second);
        }
      }
      out << '\n';
    }
  });
}

namespace {

constexpr const char* schema = R"(
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS jobs (id TEXT PRIMARY KEY, build TEXT NOT NULL, stage TEXT NOT NULL, settings TEXT NOT NULL,
  state TEXT NOT NULL, error TEXT, seconds REAL NOT NULL, result TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS cells (cell INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (cell, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS cell_jobs (cell INTEGER NOT NULL, stage TEXT NOT NULL, job TEXT NOT NULL,
  PRIMARY KEY (cell, stage)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS numbers (job TEXT NOT NULL, name TEXT NOT NULL, value REAL NOT NULL,
  PRIMARY KEY (job, name)) WITHOUT ROWID;
CREATE VIEW IF NOT EXISTS results AS
  SELECT cell, stage, name, value FROM cell_jobs JOIN numbers ON numbers.job = cell_jobs.job;
)";

}  // namespace

struct SweepResults::Database {
  explicit Database(const std::filesystem::path& file) : name(file.string()) {
    if (sqlite3_open(file.c_str(), &handle) != SQLITE_OK) fail();
    sqlite3_busy_timeout(handle, 10'000);  // somebody may be reading
    run(schema);
  }
  ~Database() { sqlite3_close(handle); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  [[noreturn]] void fail() const {
    const int code = sqlite3_errcode(handle);
    const bool damaged = code == SQLITE_NOTADB || code == SQLITE_CORRUPT;
    throw Error(damaged ? ErrorCode::corrupt_file : ErrorCode::cannot_write,
                fmt::format("results in '{}': {}", name, sqlite3_errmsg(handle)),
                damaged ? "Delete the file: it is rebuilt from the results next to it"
                        : "Check that you may write there and that the disk has room");
  }
  void run(const char* text) const {
    if (sqlite3_exec(handle, text, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
  }

  std::string name;
  sqlite3* handle = nullptr;
};

namespace {

// A statement with '?' in it, filled from left to right, run any number of times.
template <class Database>
class Statement {
 public:
  Statement(const Database& database, const char* text) : database_(database) {
    if (sqlite3_prepare_v2(database_.handle, text, -1, &statement_, nullptr) != SQLITE_OK) database_.fail();
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(const std::string& text) {
    sqlite3_bind_text(statement_, ++bound_, text.c_str(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    return *this;
  }
  Statement& bind(double value) {
    sqlite3_bind_double(statement_, ++bound_, value);
    return *this;
  }
  Statement& bind(std::size_t value) {
    sqlite3_bind_int64(statement_, ++bound_, static_cast<sqlite3_int64>(value));
    return *this;
  }
  Statement& bind_null() {
    ++bound_;
    return *this;
  }
  void run() {
    if (sqlite3_step(statement_) != SQLITE_DONE) database_.fail();
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
    bound_ = 0;
  }
  bool next() {
    const int code = sqlite3_step(statement_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) database_.fail();
    return code == SQLITE_ROW;
  }
  std::string text(int column) const {
    const auto* found = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return found ? found : "";
  }
  double number(int column) const { return sqlite3_column_double(statement_, column); }

 private:
  const Database& database_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

// All or nothing, whatever happens before it is committed.
template <class Database>
class Transaction {
 public:
  explicit Transaction(const Database& database) : database_(database) { database_.run("BEGIN IMMEDIATE"); }
  ~Transaction() {
    if (!committed_) sqlite3_exec(database_.handle, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit() {
    database_.run("COMMIT");
    committed_ = true;
  }

 private:
  const Database& database_;
  bool committed_ = false;
};

}  // namespace

std::string to_string(SweepOutcome::State state) {
  switch (state) {
    case SweepOutcome::State::done:
      return "done";
    case SweepOutcome::State::failed:
      return "failed";
    case SweepOutcome::State::skipped:
      break;
  }
  return "skipped";
}

SweepResults::SweepResults(const std::filesystem::path& file) : database_(std::make_unique<Database>(file)) {}
SweepResults::~SweepResults() = default;

void SweepResults::set_plan(const SweepPlan& plan) {
  Transaction transaction(*database_);
  database_->run("DELETE FROM cells; DELETE FROM cell_jobs");
  Statement value(*database_, "INSERT INTO cells VALUES (?, ?, ?)");
  Statement job(*database_, "INSERT INTO cell_jobs VALUES (?, ?, ?)");
  for (std::size_t c = 0; c < plan.cells.size(); ++c) {
    const SweepCell& cell = plan.cells[c];
    for (std::size_t i = 0; i < plan.varied.size(); ++i) value.bind(c).bind(plan.varied[i]).bind(cell.values[i]).run();
    for (std::size_t i = 0; i < plan.stages.size(); ++i) {
      job.bind(c).bind(plan.stages[i]).bind(plan.jobs[cell.jobs[i]].id).run();
    }
  }
  transaction.commit();
}

void SweepResults::record(const SweepJob& job, const SweepOutcome& outcome, const std::string& build) {
  const bool done = outcome.state == SweepOutcome::State::done;
  Transaction transaction(*database_);
  Statement(*database_, "DELETE FROM numbers WHERE job = ?").bind(job.id).run();
  Statement row(*database_, "INSERT OR REPLACE INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  row.bind(job.id).bind(build).bind(job.stage).bind(nlohmann::json(job.settings).dump()).bind(to_string(outcome.state));
  (done ? row.bind_null() : row.bind(outcome.text)).bind(outcome.seconds);
  (done ? row.bind(outcome.text) : row.bind_null()).run();
  if (done) {
    Statement number(*database_, "INSERT OR REPLACE INTO numbers VALUES (?, ?, ?)");
    for (const SweepNumber& one : sweep_numbers(outcome.text)) {
      if (one.is_number) number.bind(job.id).bind(one.name).bind(std::strtod(one.text.c_str(), nullptr)).run();
    }
  }
  transaction.commit();
}

std::optional<SweepOutcome> SweepResults::outcome(const SweepJob& job, const std::string& build) const {
  Statement row(*database_, "SELECT state, error, seconds, result FROM jobs WHERE id = ? AND build = ?");
  row.bind(job.id).bind(build);
  if (!row.next()) return std::nullopt;
  const std::string state = row.text(0);
  SweepOutcome found;
  found.state = state == "done"     ? SweepOutcome::State::done
                : state == "failed" ? SweepOutcome::State::failed
                                    : SweepOutcome::State::skipped;
  found.text = row.text(found.state == SweepOutcome::State::done ? 3 : 1);
  found.seconds = row.number(2);
  found.found = true;
  return found;
}

}  // namespace mercer
