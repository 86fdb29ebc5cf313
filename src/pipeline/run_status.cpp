#include "pipeline/run_status.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <functional>

#include <fmt/format.h>
#include <unistd.h>

#include "io/documents.hpp"
#include "io/file.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

using json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr auto file_name = "progress.json";
constexpr std::size_t most_notes = 12;

double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

bool is_admissible(const json& one) { return one["admissible"].get<bool>(); }

// Of candidates, those that no smaller one beats; of the admissible ones where there are any.
json front_of(std::vector<json> tried) {
  if (std::ranges::any_of(tried, is_admissible)) std::erase_if(tried, std::not_fn(is_admissible));
  std::ranges::stable_sort(tried, {}, [](const json& one) {
    return std::pair(one["payload_bytes"].get<std::size_t>(), one["loss_percent"].get<double>());
  });
  json front = json::array();
  for (const json& one : tried) {
    if (front.empty() || one["loss_percent"] < front.back()["loss_percent"]) front.push_back(one);
  }
  return front;
}

}  // namespace

RunStatus::RunStatus(std::filesystem::path folder, std::string verb, json about, std::stop_token stop)
    : folder_(std::move(folder)), stop_(std::move(stop)) {
  document_ = {{"format", 1},         {"verb", std::move(verb)}, {"state", "running"},     {"about", std::move(about)},
               {"host", host_name()}, {"pid", ::getpid()},       {"updated", nullptr},     {"seconds", 0},
               {"phase", ""},         {"fraction", nullptr},     {"seconds_left", nullptr}};
}

RunStatus::~RunStatus() {
  if (!finished_ && written_ != Clock::time_point{}) write(stop_.stop_requested() ? "interrupted" : "failed");
}

Progress RunStatus::recording(const Progress& outer) {
  if (folder_.empty()) return outer;
  Progress inner = outer;
  inner.report = [this, outer](std::string_view stage, double fraction) {
    if (outer.report) outer.report(stage, fraction);
    const std::scoped_lock lock(mutex_);
    document_["phase"] = stage;
    document_["fraction"] = fraction;
    const auto left = left_.at(fraction);
    document_["seconds_left"] = left ? json(*left) : json(nullptr);
    write_if_due();
  };
  inner.note = [this, outer](const std::string& sentence) {
    if (outer.note) outer.note(sentence);
    const std::scoped_lock lock(mutex_);
    notes_.push_back(sentence);
    if (notes_.size() > most_notes) notes_.erase(notes_.begin());
    write_if_due();
  };
  return inner;
}

void RunStatus::add(const Candidate& one, bool played) {
  if (folder_.empty()) return;
  const std::scoped_lock lock(mutex_);
  json entry{{"payload_bytes", one.payload_bytes()},
             {"loss_percent", one.loss_percent},
             {"route", name(one.embedding.route())},
             {"basis", one.embedding.basis()},
             {"k", one.embedding.k()},
             {"format", name(one.format)},
             {"roughness", one.behaviour.motion.roughness},
             {"admissible", one.admissible}};
  if (!played) entry.erase("roughness");
  tried_.push_back(std::move(entry));
  document_["tried"] = tried_.size();
  write_if_due();
}

void RunStatus::update(const json& fields) {
  if (folder_.empty()) return;
  const std::scoped_lock lock(mutex_);
  document_.update(fields);
  write_if_due();
}

void RunStatus::finish(json result) {
  if (folder_.empty()) return;
  const std::scoped_lock lock(mutex_);
  document_["result"] = std::move(result);
  document_["seconds_left"] = 0;
  document_["fraction"] = 1;
  write("done");
  finished_ = true;
}

void RunStatus::write_if_due() {
  if (Clock::now() - written_ >= std::chrono::seconds(1)) write("running");
}

void RunStatus::write(const char* state) {
  written_ = Clock::now();
  try {
    document_["state"] = state;
    document_["updated"] = unix_time();
    document_["seconds"] = std::chrono::duration<double>(written_ - start_).count();
    if (!tried_.empty()) {
      document_["front"] = front_of(tried_);
      document_["admissible"] = std::ranges::count_if(tried_, is_admissible);
    }
    if (!notes_.empty()) document_["notes"] = notes_;
    write_atomically(folder_ / file_name, [&](std::ostream& stream) {
      stream << document_.dump(1, ' ', false, json::error_handler_t::replace) << '\n';
    });
  } catch (const std::exception&) {  // the verb itself reports a disk or memory that is full, where that matters
  }
}

json read_status(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / file_name;
  if (std::error_code none; !std::filesystem::exists(file, none)) {
    throw Error(
        ErrorCode::cannot_open, fmt::format("there is no '{}'", file.string()),
        "Name the folder of 'mercer compress --results', 'mercer train --out' or 'mercer sweep --out', once it runs");
  }
  json status = json::parse(read_json(file).dump());
  if (!status.is_object() || status.value("format", 0) != 1 || !status.contains("state")) {
    throw Error(ErrorCode::bad_format, fmt::format("'{}' is not a progress file of this version", file.string()),
                "Run the verb again: it rewrites the file");
  }
  const double ago = std::max(0.0, unix_time() - status.value("updated", 0.0));
  status["seconds_ago"] = ago;
  if (status["state"] != "running") return status;
  const bool gone = status.value("host", "") == host_name() && ::kill(status.value("pid", 0), 0) != 0 && errno == ESRCH;
  if (gone) {
    status["state"] = "stopped";
  } else {
    status["seconds"] = status.value("seconds", 0.0) + ago;
    if (status["seconds_left"].is_number()) {
      status["seconds_left"] = std::max(0.0, status["seconds_left"].get<double>() - ago);
    }
  }
  return status;
}

}  // namespace mercer
