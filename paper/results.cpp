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

json rules_json(const std::vector<Rule>& rules) {
  json all = json::array();
  for (const Rule& rule : rules) {
    all.push_back({{"name", rule.name},
                   {"says", rule.says},
                   {"left", number(rule.left)},
                   {"right", number(rule.right)},
                   {"holds", rule.holds}});
  }
  return all;
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

std::string rules_html(const json& rules) {
  if (rules.empty()) return "";
  std::string out = "<table><tr><th>rule</th><th>left</th><th>right</th><th></th></tr>\n";
  const auto shown = [](const json& value) {
    return value.is_null() ? "none" : fmt::format("{:.4g}", value.get<double>());
  };
  for (const json& rule : rules) {
    out += fmt::format("<tr><td><b>{}</b>: {}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", escaped(rule.at("name")),
                       escaped(rule.at("says")), shown(rule.at("left")), shown(rule.at("right")),
                       rule.at("holds").get<bool>() ? "yes" : "no");
  }
  return out + "</table>\n";
}

std::string item_html(const json& item) {
  const std::string id = item.at("id"), verdict = item.at("verdict");
  std::string out =
      fmt::format("<section id=\"{}\"><h2>{}. {}</h2>\n", id, item.at("number").get<int>(), escaped(item.at("title")));
  out += fmt::format("<p class=\"verdict\">{}</p>\n<p><b>Claim.</b> {}</p>\n<p><b>What we saw.</b> {}</p>\n", verdict,
                     escaped(item.at("claim")), escaped(item.at("saw")));
  if (verdict != "holds" && !item.at("reason").get<std::string>().empty()) {
    out += fmt::format("<p><b>Why.</b> {}</p>\n", escaped(item.at("reason")));
  }
  out += fmt::format(
      "<a href=\"{0}/figure.pdf\"><img src=\"{0}/figure.svg\" alt=\"Figure of item {1}\" "
      "onerror=\"this.parentNode.hidden=true\"></a>\n",
      id, item.at("number").get<int>());
  out += "<details><summary>Rules, settings, data</summary>\n" + rules_html(item.at("rules"));
  if (!item.at("because").empty()) out += "<p>Experiments that tell why:</p>\n" + rules_html(item.at("because"));
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

std::string index_html(const json& index) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Published experiments, "
      "reproduced</title><meta name=\"viewport\" "
      "content=\"width=device-width\"><style>{}</style></head><body>\n<h1>Published experiments, "
      "reproduced</h1>\n<p>Every verdict is computed from the tables by rules that stand in the source of the "
      "experiment. A quick run has few seeds: its verdicts are a first "
      "look.</p>\n<table><tr><th></th><th>item</th><th>verdict</th><th>seeds</th></tr>\n",
      style);
  for (const json& item : index) {
    out += fmt::format("<tr><td>{}</td><td><a href=\"#{}\">{}</a></td><td>{}</td><td>{}{}</td></tr>\n",
                       item.at("number").get<int>(), item.at("id").get<std::string>(), escaped(item.at("title")),
                       item.at("verdict").get<std::string>(), item.at("seeds").size(),
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

void write_result(const fs::path& folder, const Item& item, const Tables& tables, const Verdict& verdict,
                  const ResultContext& context) {
  std::error_code trouble;
  fs::create_directories(folder, trouble);
  json document{{"number", item.number},
                {"id", item.id},
                {"title", item.title},
                {"claim", item.claim},
                {"verdict", verdict.word()},
                {"saw", verdict.saw},
                {"reason", verdict.reason},
                {"rules", rules_json(verdict.rules)},
                {"because", rules_json(verdict.because)},
                {"open", item.open},
                {"seeds", context.seeds},
                {"configuration", {{"quick", context.quick}, {"version", context.version}}},
                {"tables", json::array()}};
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
