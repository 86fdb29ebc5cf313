#include <algorithm>
#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/output.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "mercer/error.hpp"
#include "pipeline/run_status.hpp"

using json = nlohmann::ordered_json;

namespace {

std::string headline(const json& status) {
  std::vector<std::string> about;
  const json of = status.value("about", json::object());
  for (const auto& [key, value] : of.items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (!text.empty()) about.push_back(fmt::format("{} {}", key, text));
  }
  return fmt::format("{}: {}{}{}", status.value("verb", ""), status.value("state", ""), about.empty() ? "" : "; ",
                     fmt::join(about, ", "));
}

// "[=====     ]  50%, 0:30 passed, 0:31 left; polish, 3 terms"
std::string position(const json& status) {
  const bool known = status["fraction"].is_number(), runs = status["state"] == "running";
  const double fraction = known ? std::clamp(status["fraction"].get<double>(), 0.0, 1.0) : 0;
  constexpr std::size_t width = 30;
  const auto full = static_cast<std::size_t>(fraction * width);
  std::string line = fmt::format("[{}{}] {:3.0f}%, {} passed", std::string(full, '='), std::string(width - full, ' '),
                                 100 * fraction, duration_text(status.value("seconds", 0.0)));
  if (!runs) return line;
  line += status["seconds_left"].is_number()
              ? fmt::format(", {} left", duration_text(status["seconds_left"].get<double>()))
              : ", time left not known yet";
  const std::string phase = status.value("phase", "");
  return phase.empty() ? line : line + "; " + phase;
}

void add_front(const json& front, std::vector<std::string>& lines) {
  lines.push_back(fmt::format("front so far:  {:>7} {:>9}  candidate", "bytes", "loss"));
  constexpr std::size_t most = 12;
  for (std::size_t i = front.size() > most ? front.size() - most : 0; i < front.size(); ++i) {
    const json& one = front[i];
    lines.push_back(fmt::format("               {:>7} {:>8.2f}%  {} {}, k {}, {}", one.value("payload_bytes", 0),
                                one["loss_percent"].is_number() ? one["loss_percent"].get<double>() : 0.0,
                                one.value("route", ""), one.value("basis", ""), one.value("k", 0),
                                one.value("format", "")));
  }
}

void add_stages(const json& stages, std::vector<std::string>& lines) {
  constexpr auto row = "{:<10} {:>7} {:>7} {:>7} {:>7} {:>7}";
  lines.push_back(fmt::format(row, "stage", "done", "failed", "skipped", "running", "of"));
  for (const json& one : stages) {
    lines.push_back(fmt::format(row, one.value("stage", ""), one.value("done", 0), one.value("failed", 0),
                                one.value("skipped", 0), one.value("running", 0), one.value("total", 0)));
  }
}

std::string ending(const json& status) {
  const std::string state = status.value("state", "");
  if (state == "interrupted") return "Interrupted: the same command continues or begins anew.";
  if (state == "stopped") return "The process ended without a word: the same command continues or begins anew.";
  if (state == "failed") return "Failed: the terminal where it ran says why.";
  if (state != "done" || !status.contains("result") || !status["result"].is_object()) return "";
  std::vector<std::string> facts;
  for (const auto& [key, value] : status["result"].items()) {
    if (value.is_primitive() && !value.is_null()) facts.push_back(fmt::format("{} {}", key, value.dump()));
  }
  return facts.empty() ? "" : fmt::format("result: {}", fmt::join(facts, ", "));
}

std::vector<std::string> lines_of(const json& status) {
  std::vector<std::string> lines{headline(status), position(status)};
  if (status.contains("front")) add_front(status["front"], lines);
  if (status.contains("stages")) add_stages(status["stages"], lines);
  if (status.contains("notes")) {
    for (const json& note : status["notes"]) lines.push_back("  " + note.get<std::string>());
  }
  if (const std::string end = ending(status); !end.empty()) lines.push_back(end);
  return lines;
}

struct WatchVerb {
  std::string folder;
  bool once = false;
  std::set<std::string> given;

  void run(const CommonOptions& common) const {
    if (folder.empty()) {
      throw mercer::Error(mercer::ErrorCode::missing_option, "no run was named",
                          "Write 'mercer watch FOLDER', the folder of 'compress --results', 'train' or 'sweep'");
    }
    json status = mercer::read_status(folder);
    if (common.json) return print_json(status);
    const std::stop_token stop = interrupt_token();
    // A screen is drawn anew; elsewhere a line is added when the position changes.
    for (std::string before; !once && status["state"] == "running" && !stop.stop_requested();) {
      if (screen_is_live()) {
        show_live(lines_of(status));
      } else if (const std::string now = position(status); now != before) {
        tell("{}\n", before = now);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      status = mercer::read_status(folder);
    }
    erase_live();
    fmt::print("{}\n", fmt::join(lines_of(status), "\n"));
  }
};

}  // namespace

void add_watch(Program& program) {
  const auto state = std::make_shared<WatchVerb>();
  mercer::OptionList list(state->given);
  list.in(mercer::OptionGroup::output);
  list.add({.name = "folder",
            .value = "DIR",
            .help = "Folder of 'compress --results', 'train --out' or 'sweep --out'",
            .used_first = true},
           state->folder);
  list.add({.name = "once", .help = "Show the state now and end", .used_first = true}, state->once);
  std::vector<mercer::OptionList> own;
  own.push_back(std::move(list));
  Verb& verb = program.add_verb("watch", "Follow a running compress, train or sweep: front so far, losses, time left",
                                std::move(own));
  verb.settings->add_positional("FOLDER", "folder");
  verb.run = [state, &program] { state->run(program.common()); };
}
