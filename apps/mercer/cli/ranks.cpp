#include "cli/ranks.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <mpi.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "mercer/error.hpp"
#include "mercer/parallel.hpp"

namespace fs = std::filesystem;

using mercer::Error;
using mercer::ErrorCode;
using json = nlohmann::json;

namespace {

int own_rank = 0, all_ranks = 1;
bool started = false;

// Waiting inside MPI keeps a core busy; a core is what the others need.
void wait_for_message(int from, MPI_Status& status, const mercer::Progress& progress) {
  for (int there = 0; there == 0;) {
    MPI_Iprobe(from, 0, MPI_COMM_WORLD, &there, &status);
    if (there != 0) break;
    progress.check();
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
}

std::string receive(const MPI_Status& status) {
  int bytes = 0;
  MPI_Get_count(&status, MPI_CHAR, &bytes);
  std::string text(static_cast<std::size_t>(bytes), '\0');
  MPI_Recv(text.data(), bytes, MPI_CHAR, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return text;
}

void send(int to, const std::string& text) {
  if (text.size() > INT32_MAX) {
    throw Error(ErrorCode::too_large, fmt::format("{} bytes do not fit a message", text.size()),
                "Ask for fewer episodes");
  }
  MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, to, 0, MPI_COMM_WORLD);
}

// Through rank order with plain messages: sizes differ, and those who wait should sleep.
std::vector<std::string> gather(const std::string& mine) {
  std::vector<MPI_Request> sent;
  for (int r = 0; r < all_ranks; ++r) {
    if (r == own_rank) continue;
    if (mine.size() > INT32_MAX) send(r, mine);  // throws
    MPI_Isend(mine.data(), static_cast<int>(mine.size()), MPI_CHAR, r, 0, MPI_COMM_WORLD, &sent.emplace_back());
  }
  std::vector<std::string> all(static_cast<std::size_t>(all_ranks));
  for (int r = 0; r < all_ranks; ++r) {
    if (r == own_rank) {
      all[static_cast<std::size_t>(r)] = mine;
      continue;
    }
    MPI_Status status;
    int there = 0;
    for (int tries = 0; there == 0; ++tries) {
      MPI_Iprobe(r, 0, MPI_COMM_WORLD, &there, &status);
      if (there == 0 && tries > 200) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    all[static_cast<std::size_t>(r)] = receive(status);
  }
  MPI_Waitall(static_cast<int>(sent.size()), sent.data(), MPI_STATUSES_IGNORE);
  return all;
}

std::string verb_of(const std::vector<std::string>& words) { return words.size() > 1 ? words[1] : ""; }

// Ranks after the first compute the same and must not be in its way.
void step_aside(std::vector<std::string>& words) {
  const bool ignored =
      std::freopen("/dev/null", "w", stdout) == nullptr || std::freopen("/dev/null", "w", stderr) == nullptr;
  static_cast<void>(ignored);
  const std::map<std::string, std::string> name{{"rollout", "r.npz"}, {"compress", "c.mercer"}, {"embed", "e.mercer"}};
  const auto found = name.find(verb_of(words));
  if (found == name.end()) return;
  std::string folder = (fs::temp_directory_path() / "mercer-rank-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return;
  words.push_back("--out=" + folder + "/" + found->second);
  static std::string made;
  made = folder;
  std::atexit([] {
    std::error_code trouble;
    fs::remove_all(made, trouble);
  });
}

}  // namespace

void start_ranks(std::vector<std::string>& words) {
  const char* size = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (size == nullptr || std::atoi(size) < 2) return;
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  started = true;
  MPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &all_ranks);
  const std::string verb = verb_of(words);
  constexpr std::array spread{"sweep", "rollout", "compress", "embed", "reproduce"};
  if (std::ranges::find(spread, verb) == spread.end()) {
    if (own_rank > 0) step_aside(words);
    throw Error(ErrorCode::bad_value, fmt::format("'mercer {}' does not spread over {} processes", verb, all_ranks),
                "Spread sweep, rollout, compress, embed --scratch or reproduce; start others without mpirun");
  }
  if (own_rank > 0) step_aside(words);
  if (verb == "sweep" || verb == "reproduce") return;  // whole jobs: each rank works by itself
  mercer::join_team({static_cast<std::size_t>(own_rank), static_cast<std::size_t>(all_ranks), gather});
}

int end_ranks(int code) {
  if (!started) return code;
  if (code != 0) {
    std::fflush(nullptr);
    // Rank 0 most likely had the same error, and reports it.
    if (own_rank > 0) std::this_thread::sleep_for(std::chrono::seconds(1));
    MPI_Abort(MPI_COMM_WORLD, code);
  }
  MPI_Finalize();
  return code;
}

bool has_ranks() { return true; }
std::size_t rank() { return static_cast<std::size_t>(own_rank); }
std::size_t ranks() { return static_cast<std::size_t>(all_ranks); }

void hand_out(mercer::SweepSchedule& schedule) {
  std::vector<int> idle;
  for (int r = 1; r < all_ranks; ++r) idle.push_back(r);
  std::map<int, std::size_t> busy;  // the job of each rank
  while (!schedule.over() || !busy.empty()) {
    bool moved = false;
    while (!idle.empty()) {
      const auto task = schedule.try_next();
      if (!task) break;
      json message{{"job", task->job}, {"taken", json::object()}};
      for (const auto& [stage, product] : task->taken) {
        message["taken"][stage] = {product.folder.string(), product.digest};
      }
      send(idle.back(), message.dump());
      busy[idle.back()] = task->job;
      idle.pop_back();
      moved = true;
    }
    MPI_Status status;
    int there = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status);
    if (there != 0) {
      const json answer = json::parse(receive(status));
      mercer::SweepOutcome outcome{static_cast<mercer::SweepOutcome::State>(answer.at("state").get<int>()),
                                   answer.at("text"), answer.at("seconds"), answer.at("found")};
      if (const int lacked = answer.at("shortage"); lacked != 0) outcome.shortage = static_cast<ErrorCode>(lacked);
      schedule.finish(busy.at(status.MPI_SOURCE), std::move(outcome),
                      {answer.at("folder").get<std::string>(), answer.at("digest")});
      busy.erase(status.MPI_SOURCE);
      idle.push_back(status.MPI_SOURCE);
    } else if (!moved) {
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
  }
  for (int r = 1; r < all_ranks; ++r) send(r, "");
}

void serve(const std::function<mercer::SweepOutcome(const mercer::SweepTask&, mercer::SweepProduct&)>& work,
           const mercer::Progress& progress) {
  while (true) {
    MPI_Status status;
    wait_for_message(0, status, progress);
    const std::string text = receive(status);
    if (text.empty()) return;
    const json message = json::parse(text);
    mercer::SweepTask task{message.at("job"), {}};
    for (const auto& [stage, product] : message.at("taken").items()) {
      task.taken[stage] = {product[0].get<std::string>(), product[1]};
    }
    mercer::SweepProduct product;
    const mercer::SweepOutcome outcome = work(task, product);
    send(0, json{{"state", static_cast<int>(outcome.state)},
                 {"text", outcome.text},
                 {"seconds", outcome.seconds},
                 {"found", outcome.found},
                 {"shortage", outcome.shortage ? static_cast<int>(*outcome.shortage) : 0},
                 {"folder", product.folder.string()},
                 {"digest", product.digest}}
                .dump());
  }
}
