#include "results.hpp"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/file.hpp"
#include "mercer/error.hpp"

namespace mercer::paper {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

namespace {

json number(double value) { return std::isfinite(value) ? json(value) : json(); }

std::string word_of(Outcome outcome) {
  return outcome == Outcome::holds ? "holds" : outcome == Outcome::fails ? "fails" : "undecided";
}

json rules_json(const std::vector<Rule>& rules) {
  json all = json::array();
  for (const Rule& rule : rules) {
    all.push_back({{"name", rule.name},
                   {"says", rule.says},
                   {"test", rule.test},
                   {"left", number(rule.left)},
                   {"right", number(rule.right)},
                   {"effect", number(rule.effect)},
                   {"interval", {number(rule.low), number(rule.high)}},
                   {"bound", number(rule.bound)},
                   {"p", number(rule.p)},
                   {"p_adjusted", number(rule.adjusted)},
                   {"seeds", rule.seeds},
                   {"outcome", word_of(rule.outcome)}});
  }
  return all;
}

json verdict_json(const Judged& judged) {
  const Verdict& verdict = judged.verdict;
  return {{"env", judged.env},          {"verdict", verdict.word()},          {"saw", verdict.saw},
          {"reason", verdict.reason()}, {"rules", rules_json(verdict.rules)}, {"because", rules_json(verdict.because)}};
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string shown(const json& value) { return value.is_null() ? "" : fmt::format("{:.3g}", value.get<double>()); }

std::string rules_html(const json& rules) {
  if (rules.empty()) return "";
  std::string out =
      "<table><tr><th>rule</th><th>left</th><th>right</th><th>effect, 95% interval</th><th>must be below</th><th>p, "
      "Holm</th><th></th></tr>\n";
  for (const json& rule : rules) {
    const bool certain = rule.at("p").is_null();
    const std::string effect = certain ? ""
                                       : fmt::format("{} [{}, {}]", shown(rule.at("effect")),
                                                     shown(rule.at("interval")[0]), shown(rule.at("interval")[1]));
    out += fmt::format(
        "<tr><td><b>{}</b>: "
        "{}<br><small>{}</small></td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
        "</tr>\n",
        escaped(rule.at("name")), escaped(rule.at("says")), escaped(rule.at("test")), shown(rule.at("left")),
        shown(rule.at("right")), effect, certain ? "" : shown(rule.at("bound")), shown(rule.at("p_adjusted")),
        rule.at("outcome").get<std::string>());
  }
  return out + "</table>\n";
}

std::string seen_html(const json& judged) {
  const std::string env = judged.at("env"), verdict = judged.at("verdict");
  std::string out = fmt::format("<p class=\"verdict\">{}{}</p>\n<p><b>What we saw.</b> {}</p>\n",
                                env.empty() ? "" : env + ": ", verdict, escaped(judged.at("saw")));
  if (verdict != "holds" && !judged.at("reason").get<std::string>().empty()) {
    out += fmt::format("<p><b>Why.</b> {}</p>\n", escaped(judged.at("reason")));
  }
  return out;
}

std::string item_html(const json& item) {
  const std::string id = item.at("id");
  std::string out = fmt::format("<section id=\"{}\"><h2>{}. {}</h2>\n<p><b>Claim.</b> {}</p>\n", id,
                                item.at("number").get<int>(), escaped(item.at("title")), escaped(item.at("claim")));
  for (const json& judged : item.at("judged")) out += seen_html(judged);
  out += fmt::format(
      "<a href=\"{0}/figure.pdf\"><img src=\"{0}/figure.svg\" alt=\"Figure of item {1}\" "
      "onerror=\"this.parentNode.hidden=true\"></a>\n",
      id, item.at("number").get<int>());
  out += fmt::format(
      "<p>Rules of commit {}, results of commit {}.</p>\n<details><summary>Rules, settings, data</summary>\n",
      escaped(item.at("commits").at("rules")), escaped(item.at("commits").at("measured")));
  for (const json& judged : item.at("judged")) {
    const std::string env = judged.at("env");
    if (!env.empty()) out += fmt::format("<h3>{}</h3>\n", env);
    out += rules_html(judged.at("rules"));
    if (!judged.at("because").empty()) out += "<p>Experiments that tell why:</p>\n" + rules_html(judged.at("because"));
  }
  out += "<p>Left open by the publication, and chosen here:</p><ul>\n";
  for (const json& choice : item.at("open")) out += fmt::format("<li>{}</li>\n", escaped(choice));
  out += "</ul><p>Tables:";
  for (const json& table : item.at("tables")) {
    out += fmt::format(" <a href=\"{0}/{1}.csv\">{1}.csv</a>", id, table.get<std::string>());
  }
  return out + fmt::format(" <a href=\"{}/result.json\">result.json</a></p></details></section>\n", id);
}

constexpr const char* style =
    "body{font:16px/1.5 sans-serif;max-width:54rem;margin:2rem auto;padding:0 "
    "1rem;color:#111;background:#fff}img{max-width:100%;height:auto}table{border-collapse:collapse;margin:.5rem "
    "0}td,th{border:1px solid #bbb;padding:.2rem "
    ".5rem;text-align:left;vertical-align:top}.verdict{display:inline-block;padding:.1rem .6rem;border:2px solid "
    "#111;border-radius:.3rem;font-weight:bold}section{border-top:1px solid #bbb;margin-top:2rem}";

// The verdicts of other environments than the published one.
std::string beside(const json& judged) {
  std::string all;
  for (std::size_t i = 1; i < judged.size(); ++i) {
    all += fmt::format("{}{}: {}", i > 1 ? "; " : "", judged[i].at("env").get<std::string>(),
                       judged[i].at("verdict").get<std::string>());
  }
  return all;
}

std::string index_html(const json& index) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Published experiments, "
      "reproduced</title><meta name=\"viewport\" "
      "content=\"width=device-width\"><style>{}</style></head><body>\n<h1>Published experiments, "
      "reproduced</h1>\n<p>Every verdict is computed from the tables by rules that stand in a file of their own, "
      "committed before the results. A rule is a hypothesis: it holds where its test over the seeds rejects the "
      "opposite "
      "at a joint level of 5% over the rules of the item. A quick run has too few seeds for that: most of its rules "
      "stay "
      "undecided.</p>\n<table><tr><th></th><th>item</th><th>verdict</th><th>in today's "
      "environment</th><th>seeds</th></tr>\n",
      style);
  for (const json& item : index) {
    out += fmt::format("<tr><td>{}</td><td><a href=\"#{}\">{}</a></td><td>{}</td><td>{}</td><td>{}{}</td></tr>\n",
                       item.at("number").get<int>(), item.at("id").get<std::string>(), escaped(item.at("title")),
                       item.at("verdict").get<std::string>(), beside(item.at("judged")), item.at("seeds").size(),
                       item.at("configuration").at("quick").get<bool>() ? ", quick" : "");
  }
  out += "</table>\n";
  for (const json& item : index) out += item_html(item);
  return out + "</body></html>\n";
}

void write_text(const fs::path& path, const std::string& text) {
  write_atomically(path, [&](std::ostream& out) { out << text; });
}

}  // namespace

std::map<std::string, Commits> read_commits(const fs::path& file, const std::vector<Item>& items) {
  std::map<std::string, Commits> all;
  for (const Item& item : items) all[item.id];
  if (file.empty()) return all;
  try {
    const json read = json::parse(read_text(file));
    for (auto& [id, commits] : all) {
      // An item whose rules are not among them is newer than the list.
      commits = {read.at("rules").value(id, "unknown"), read.at("program").get<std::string>()};
    }
  } catch (const json::exception& trouble) {
    throw Error(ErrorCode::bad_format, fmt::format("'{}' names no commits: {}", file.string(), trouble.what()),
                "Make it with paper/commits.py");
  }
  return all;
}

ResultContext read_context(const fs::path& folder) {
  const fs::path file = folder / "result.json";
  try {
    const json read = json::parse(read_text(file));
    const json& configuration = read.at("configuration");
    ResultContext context{configuration.at("quick"), read.at("seeds"), configuration.at("version")};
    context.commits = {read.at("commits").at("rules"), read.at("commits").at("measured")};
    context.tables = read.at("tables");
    return context;
  } catch (const json::exception& trouble) {
    throw Error(ErrorCode::corrupt_file, fmt::format("'{}' is damaged: {}", file.string(), trouble.what()),
                "Remove it and run the item again");
  }
}

void write_result(const fs::path& folder, const Item& item, const Tables& tables, const std::vector<Judged>& judged,
                  const ResultContext& context) {
  std::error_code trouble;
  fs::create_directories(folder, trouble);
  json document{{"number", item.number},
                {"id", item.id},
                {"title", item.title},
                {"claim", item.claim},
                {"verdict", judged.front().verdict.word()},
                {"judged", json::array()},
                {"open", item.open},
                {"seeds", context.seeds},
                {"commits", {{"rules", context.commits.rules}, {"measured", context.commits.measured}}},
                {"configuration", {{"quick", context.quick}, {"version", context.version}}},
                {"tables", json::array()}};
  for (const Judged& one : judged) document["judged"].push_back(verdict_json(one));
  for (const auto& [name, frame] : tables) {
    write_frame(folder / (name + ".csv"), frame);
    document["tables"].push_back(name);
  }
  write_text(folder / "result.json", document.dump(2) + "\n");
}

void write_index(const fs::path& out) {
  json index = json::array();
  for (const Item& item : all_items()) {
    const fs::path file = out / item.id / "result.json";
    if (!fs::exists(file)) continue;
    try {
      index.push_back(json::parse(read_text(file)));
    } catch (const json::exception& trouble) {
      throw Error(ErrorCode::corrupt_file, fmt::format("'{}' is damaged: {}", file.string(), trouble.what()),
                  "Remove it and run the item again");
    }
  }
  write_text(out / "index.json", index.dump(2) + "\n");
  write_text(out / "index.html", index_html(index));
}

}  // namespace mercer::paper
