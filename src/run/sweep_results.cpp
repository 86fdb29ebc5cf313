#include "mercer/run/sweep_results.hpp"

#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include "mercer/core/error.hpp"
#include "run/sweep_numbers.hpp"

namespace mercer {
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
                damaged ? "Remove it: it is made again from the results beside it"
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
