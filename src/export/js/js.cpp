#include "export/js/js.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "export/c/c_text.hpp"
#include "export/c/machine.hpp"
#include "export/common/provenance.hpp"
#include "mercer/version.hpp"

namespace mercer {
namespace {

using json = nlohmann::ordered_json;

std::string table_of(const CodeTable& table) {
  const auto number = [](double value) { return fmt::format("{}", value); };
  return fmt::format("const {} = [{}];\n", table.name, table_text(table, number, '[', ']'));
}

json space_of(const Space& space) {
  json axes = json::array();
  for (const Axis& axis : space.axes) {
    const auto end = [](double value) { return std::isfinite(value) ? json(value) : json(nullptr); };
    axes.push_back(
        {{"name", axis.name}, {"unit", axis.unit}, {"low", end(axis.range.low)}, {"high", end(axis.range.high)}});
  }
  return axes;
}

// ASCII alone, and nothing that a file could put in ends the string.
std::string text_of(const json& value) { return value.dump(2, ' ', true, json::error_handler_t::replace); }

std::string about(const EmbeddingFile& file, const CodeOptions& options, const CodeSubject& subject,
                  const CodeExport& made) {
  const auto known = [](const std::string& text) { return text.empty() ? json(nullptr) : json(text); };
  const Contract& contract = subject.outside().contract;
  return text_of({{"name", options.name},
                  {"mercer", version()},
                  {"teacher", origin_text(file.origin)},
                  {"teacherSha256", known(file.origin.teacher_sha256)},
                  {"certificate", known(certificate_id(file))},
                  {"error", {{"measured", made.error}, {"stated", made.stated_error}}},
                  {"period", contract.dt},
                  {"observations", space_of(contract.observation)},
                  {"actions", space_of(contract.action)},
                  {"choices", contract.action.is_discrete() ? json(contract.action.count) : json(nullptr)}});
}

std::string selftest(const CodeSubject& subject, double stated_error) {
  const CodeCases& cases = subject.cases;
  const std::size_t n = subject.outside().observations(), m = subject.outside().actions();
  const std::size_t each = cases.numbers.size() / (cases.given.size() / n);
  const bool discrete = subject.discrete();
  std::string tables = table_of({"testObs", true, n, cases.given});
  tables += table_of({"testAct", true, discrete ? 0 : m, cases.expected});
  if (!discrete) tables += table_of({"testLimit", true, 0, case_limits(subject.outside(), stated_error, nullptr)});
  if (each > 0) tables += table_of({"testOut", true, each, cases.numbers});
  const std::string numbers =
      each == 0 ? ""
                : fmt::format(
                      "    if (!evaluate(testObs[i]).every((sum, j) => Math.abs(sum - testOut[i][j]) <= {})) "
                      "return i + 1;\n",
                      2 * stated_error);
  return fill(tables + R"(
/** 0 if stored observations give the stored actions here; otherwise the number of the first case that does not. */
export function selftest() {
  for (let i = 0; i < testObs.length; i++) {
@compare@@numbers@  }
  // The last observation is not a number: the safe action.
  const obs = [...testObs[0]];
  obs[obs.length - 1] = NaN;
  return @is_safe@ ? 0 : testObs.length + 1;
}
)",
              Places{{"compare", discrete ? "    if (act(testObs[i]) !== testAct[i]) return i + 1;\n"
                                          : "    if (!act(testObs[i]).every((a, j) => Math.abs(a - testAct[i][j]) <= "
                                            "testLimit[j])) return i + 1;\n"},
                     {"numbers", numbers},
                     {"is_safe", discrete ? "act(obs) === safe[0]" : "act(obs).every((a, j) => a === safe[j])"}});
}

std::string act_function(const CodeSubject& subject) {
  std::string text = fmt::format(R"(
/** The {} for an observation; the safe action if a number in it is not usable. */
export function act(obs) {{
  if (obs.length !== {}) throw new RangeError(`${{obs.length}} numbers in place of {} observations`);
)",
                                 subject.discrete() ? "number of the action" : "action",
                                 subject.outside().observations(), subject.outside().observations());
  text += subject.discrete() ? "  if (!usable(obs)) return safe[0];\n" : "  if (!usable(obs)) return [...safe];\n";
  if (subject.lattice) {
    return text + (subject.discrete() ? "  return row[find(obs)];\n}\n\n" : "  return [...row[find(obs)]];\n}\n\n");
  }
  if (subject.discrete()) {
    return text + R"(  const out = evaluate(obs);
  return out.indexOf(Math.max(...out));
}

)";
  }
  return text + fill(R"(  const out = evaluate(obs);
  return action.map(([centre, scale, low, high], i) => Math.min(Math.max(centre + scale * @u@, low), high));
}

)",
                     Places{{"u", subject.continuous->squash ? "Math.tanh(out[i])" : "out[i]"}});
}

std::string check(const CodeOptions& options, const CodeSubject& subject, double stated_error) {
  const TestVectors& vectors = *options.check;
  const bool discrete = subject.discrete();
  std::string tables = table_of({"observations", true, subject.outside().observations(), vectors.observations});
  tables += table_of({"actions", true, subject.outside().actions(), vectors.actions});
  tables += table_of({"limits", true, 0, case_limits(subject.outside(), stated_error, &vectors)});
  return fill(R"(// Checks @name@ with @count@ test vectors, seed @seed@: node @name@_check.mjs
import { act } from "./@name@.mjs";

@tables@
for (let i = 0; i < observations.length; i++) {
  const given = @given@;
  if (!given.every((a, j) => Math.abs(a - actions[i][j]) <= limits[j])) {
    console.log(`test vector ${i + 1} of @count@: ${given} and not ${actions[i]}`);
    process.exit(1);
  }
}
console.log("@count@ test vectors: all actions agree");
)",
              Places{{"tables", tables},
                     {"name", options.name},
                     {"count", std::to_string(vectors.count())},
                     {"seed", std::to_string(vectors.seed)},
                     {"given", discrete ? "[act(observations[i])]" : "act(observations[i])"}});
}

}  // namespace

CodeExport export_js(const EmbeddingFile& file, const CodeOptions& options) {
  const CodeSubject subject = code_subject(file, options);
  CodeExport made;
  if (subject.continuous) {
    const ContinuousController& controller = *subject.continuous;
    made.error = largest_difference(controller, [&](std::span<const double> states) {
      const std::size_t d = controller.flat.dimensions();
      const std::size_t width = controller.discrete() ? controller.flat.outputs : controller.outside.actions();
      std::vector<double> answers(states.size() / d * width);
      for (std::size_t i = 0; i < states.size() / d; ++i)
        double_answers(controller, states.subspan(i * d, d), std::span(answers).subspan(i * width, width));
      return answers;
    });
  }
  made.stated_error = with_margin(1.5 * made.error, 1e-12);
  std::string source = code_notes(file, options, subject, made, "//");
  source +=
      "\n/** What this is and where it comes from. */\nexport const about = " + about(file, options, subject, made) +
      ";\n\n";
  for (const CodeTable& table : subject.tables) {
    source += table_of(table);
    made.table_bytes += 8 * table.numbers.size();
  }
  source += R"(
// Neither not a number, nor infinite, nor beyond 1e18.
const usable = (obs) => Array.prototype.every.call(obs, (value) => value > -1e18 && value < 1e18);

)";
  source += subject.continuous ? js_continuous(*subject.continuous) : js_lattice(*subject.lattice);
  source += act_function(subject) + selftest(subject, made.stated_error);
  made.files = {{options.name + ".mjs", std::move(source)}};
  if (options.check) made.files.push_back({options.name + "_check.mjs", check(options, subject, made.stated_error)});
  return made;
}

}  // namespace mercer
