#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/output.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "core/printable.hpp"
#include "measure/certificate_words.hpp"
#include "mercer/error.hpp"
#include "pipeline/run_status.hpp"

using json = nlohmann::ordered_json;

namespace {

// What stands under a key, or null: files can lack anything.
const json& at(const json& object, const char* key) {
  static const json nothing;
  const auto found = object.find(key);
  return found == object.end() ? nothing : *found;
}

std::optional<double> number_at(const json& object, const char* key) {
  const json& found = at(object, key);
  return found.is_number() ? std::optional(found.get<double>()) : std::nullopt;
}

std::string headline(const json& status) {
  std::vector<std::string> about;
  for (const auto& [key, value] : at(status, "about").items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (!text.empty()) about.push_back(fmt::format("{} {}", key, text));
  }
  return fmt::format("{}: {}{}{}", status.value("verb", ""), status.value("state", ""), about.empty() ? "" : "; ",
                     fmt::join(about, ", "));
}

// "[=====     ]  50%, 0:30 elapsed, 0:31 left; polish, 3 terms"
std::string position(const json& status) {
  const double fraction = std::clamp(number_at(status, "fraction").value_or(0), 0.0, 1.0);
  constexpr std::size_t width = 30;
  const auto full = static_cast<std::size_t>(fraction * width);
  std::string line = fmt::format("[{}{}] {:3.0f}%, {} elapsed", std::string(full, '='), std::string(width - full, ' '),
                                 100 * fraction, duration_text(status.value("seconds", 0.0)));
  if (at(status, "state") != "running") return line;
  const std::optional<double> left = number_at(status, "seconds_left");
  line += left ? fmt::format(", {} left", duration_text(*left)) : ", time left not known yet";
  const std::string phase = status.value("phase", "");
  return phase.empty() ? line : line + "; " + phase;
}

// A candidate that was on the front leaves it when another is the first to keep the limits: that is said.
std::string left_out(const json& status) {
  const auto tried = number_at(status, "tried"), admissible = number_at(status, "admissible");
  if (!tried || !admissible || *admissible == *tried) return "";
  if (*admissible == 0)
    return fmt::format("None of the {} candidates (marked !) is admissible: each is expected to exceed a limit.",
                       *tried);
  return fmt::format("{} of {} candidates left out: they are expected to exceed a limit.", *tried - *admissible,
                     *tried);
}

void add_front(const json& status, std::vector<std::string>& lines) {
  const json& front = at(status, "front");
  lines.push_back(fmt::format("{:<14} {:>7} {:>9}  candidate",
                              at(status, "state") == "done" ? "front:" : "front so far:", "bytes", "loss"));
  constexpr std::size_t most = 12;
  for (std::size_t i = front.size() > most ? front.size() - most : 0; i < front.size(); ++i) {
    const json& one = front[i];
    lines.push_back(fmt::format("               {:>7} {:>8.2f}%{} {} {}, k {}, {}", one.value("payload_bytes", 0),
                                number_at(one, "loss_percent").value_or(0), one.value("admissible", true) ? " " : "!",
                                one.value("route", ""), one.value("basis", ""), one.value("k", 0),
                                one.value("format", "")));
  }
  if (const std::string text = left_out(status); !text.empty()) lines.push_back("               " + text);
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
  if (state == "interrupted")
    return "Interrupted. Run the same command again: it continues if its progress was saved, and starts over if not.";
  if (state == "stopped")
    return "The process is gone and left no message. Run the same command again: it continues if its progress was "
           "saved, and starts over if not.";
  if (state == "failed") return "Failed. The terminal it ran in shows the error.";
  if (state != "done" || !at(status, "result").is_object()) return "";
  const json& result = at(status, "result");
  if (const std::optional<double> bytes = number_at(result, "payload_bytes")) {  // of a search
    const std::optional<double> upper = number_at(result, "upper_percent");
    return fmt::format("result: {} bytes; {}promise {}", *bytes,
                       upper ? mercer::at_most(*upper, "; ", mercer::percent_up) : "",
                       at(result, "met") == true ? "kept" : "NOT kept");
  }
  std::vector<std::string> facts;
  for (const auto& [key, value] : result.items()) {
    if (value.is_primitive() && !value.is_null()) facts.push_back(fmt::format("{} {}", key, value.dump()));
  }
  return facts.empty() ? "" : fmt::format("result: {}", fmt::join(facts, ", "));
}

std::vector<std::string> lines_of(const json& status) {
  std::vector<std::string> lines{headline(status), position(status)};
  if (at(status, "front").is_array()) add_front(status, lines);
  if (at(status, "stages").is_array()) add_stages(at(status, "stages"), lines);
  for (const json& note : at(status, "notes")) {
    if (note.is_string()) lines.push_back("  " + note.get<std::string>());
  }
  if (const std::string end = ending(status); !end.empty()) lines.push_back(end);
  for (std::string& line : lines) line = mercer::printable(line);  // anybody may have written the file
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
      } else if (const std::string now = mercer::printable(position(status)); now != before) {
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
