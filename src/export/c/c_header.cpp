#include <algorithm>
#include <cctype>
#include <sstream>

#include <fmt/ranges.h>

#include "core/printable.hpp"
#include "export/c/c_text.hpp"
#include "export/common/head.hpp"
#include "export/common/provenance.hpp"
#include "measure/behaviour_words.hpp"
#include "mercer/chip.hpp"

namespace mercer {

std::string comment_lines(const std::string& text, const std::string& first, const std::string& next) {
  const std::string clean = c_comment(text);
  std::string lines, line;
  std::size_t at = 0;
  while (at < clean.size()) {
    const std::size_t end = std::min(clean.find(' ', at), clean.size());
    const std::string word = clean.substr(at, end - at);
    if (!line.empty() && next.size() + line.size() + word.size() > 99) {
      lines += (lines.empty() ? first : next) + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return lines + (lines.empty() ? first : next) + line + "\n";
}

std::string formula_comment(std::span<const std::string> lines) {
  if (lines.empty()) return "";
  std::string text = " *\n * As a formula:\n";
  for (const std::string& line : lines) text += comment_lines(line, " *   ", " *       ");
  return text;
}

namespace {

std::string axis_lines(const Contract& contract, const Space& space, const char* array) {
  std::string lines;
  for (std::size_t d = 0; d < space.dimensions(); ++d) {
    const std::string line =
        fmt::format("   {}[{}] {}{}", array, d, space.axes[d].name, axis_facts(contract, space, d));
    lines += " *" + c_comment(line) + "\n";
  }
  return lines;
}

std::string upper(std::string name) {
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::string numbers_list(std::span<const double> numbers) {
  std::string text;
  for (const double number : numbers) text += fmt::format("{}{:g}", text.empty() ? "" : ", ", number);
  return text;
}

std::string input_note(const COptions& options, const ControllerInterface& outside, const std::string& note) {
  if (options.numbers == CNumbers::fixed) return note + ". Every int32_t is taken.";
  return note + fmt::format(". If any is not a number, infinite or beyond 1e18, the action is the safe one: {}.",
                            numbers_list(outside.safe));
}

std::string error_note(const COptions& options, const ControllerInterface& outside, const CBody& body,
                       const std::string& weights) {
  const std::string of = outside.contract.action.is_discrete() ? weights : "actions";
  const char* unit = outside.contract.action.is_discrete() ? "" : " of the action's range";
  return fmt::format(
      "The {} of this code differ from the embedding's by at most {:.2g}{} (measured: {:.2g}, on states that fill "
      "the ranges{}).",
      of, body.stated_error, unit, body.error,
      options.numbers == CNumbers::fixed ? ", rounding of observations included" : "");
}

std::string cost_note(const COptions& options, const CBody& body) {
  const COperations& o = body.operations;
  const std::string cost =
      options.chip && options.chip->flash_bytes
          ? chip_sentence(*options.chip)
          : (options.chip ? options.chip->missing + " " : "") +
                fmt::format(
                    "Flash: {} bytes of tables and about {} of code (an estimate, for Thumb-2 and -Os{}). "
                    "RAM: about {} bytes of stack (an estimate), no heap, no mutable global data.",
                    body.table_bytes, body.code_bytes, body.needs_libm ? ", without the C library's functions" : "",
                    body.ram_bytes);
  return fmt::format("{} At most {}, {}, {}, {}, {}{} for an action.", cost,
                     counted(o.multiplications, "multiplication"), counted(o.additions, "addition"),
                     counted(o.divisions, "division"), counted(o.comparisons, "comparison"),
                     counted(o.lookups, "look-up"),
                     body.needs_libm ? fmt::format(" and {} of the C library", counted(o.functions, "call")) : "");
}

std::string example(const COptions& options, const ControllerInterface& outside,
                    const std::vector<std::string>& observation) {
  const bool fixed = options.numbers == CNumbers::fixed;
  std::string show;
  for (std::size_t d = 0; d < outside.observations(); ++d) {
    show += fmt::format("  printf(\"observation %g\\n\", (double)obs[{}]{});\n", d,
                        fixed ? fmt::format(" / @NAME@_OBS_ONE_{}", d) : "");
  }
  for (std::size_t a = 0; a < outside.actions(); ++a) {
    show += fmt::format("  printf(\"{} %g\\n\", (double)act[{}]{});\n", "action", a,
                        fixed ? fmt::format(" / @NAME@_ACT_ONE_{}", a) : "");
  }
  const std::pair<std::string, std::string> places[] = {
      {"observation", fmt::format("{}", fmt::join(observation, ", "))},
      {"show", show},
      {"type", fixed ? "int32_t" : "float"},
      {"name", options.name},
      {"NAME", upper(options.name)}};
  return fill(R"(/* Checks the controller, then asks it for the action at the first observation of the self-test,
 * which need not occur in the task. */
#include <stdio.h>

#include "@name@.h"

int main(void)
{
  const @type@ obs[@NAME@_OBSERVATIONS] = {@observation@};
  @type@ act[@NAME@_ACTIONS];
  const int failed = @name@_selftest();
  if (failed != 0) {
    printf("self-test: case %d failed\n", failed);
    return 1;
  }
  @name@_act(obs, act);
@show@  return 0;
}
)",
              places);
}

}  // namespace

std::string certificate_sentences(const EmbeddingFile& file) {
  if (!file.certificate) return "There is no certificate. 'mercer certify' makes one.";
  const std::string about =
      certified_as_drawn(file)
          ? fmt::format(
                "It is about drawn actions, but this code plays {}, for which nothing is promised: 'mercer "
                "certify FILE --act mean' certifies that.",
                mean_words(file))
          : "This is about the embedding as Mercer plays it; the difference above comes on top.";
  return fmt::format("{}{} {}", file.certificate->within_budget ? "" : "A requested limit is NOT kept. ",
                     fmt::join(promise_sentences(*file.certificate), " "), about);
}

std::string outcome_comment(const EmbeddingFile& file) {
  if (!file.certificate) return "";
  const std::vector<OutcomeLine> lines = outcome_lines(measured_outcomes(*file.certificate));
  if (lines.size() < 2) return "";  // the sentences have the return
  std::string text = " *\n";
  std::istringstream table(
      outcome_table(lines, certified_as_drawn(file) ? "Measured with drawn actions" : "Measured, on average", "teacher",
                    "embedding"));
  for (std::string row; std::getline(table, row);) text += " * " + row + "\n";
  for (const std::string& sentence : warning_sentences(*file.certificate)) text += comment_lines(sentence);
  return text;
}

CExport assemble(const EmbeddingFile& file, const COptions& options, const ControllerInterface& outside,
                 const HeaderFacts& facts, CBody body) {
  const bool fixed = options.numbers == CNumbers::fixed;
  const std::string type = fixed ? "int32_t" : "float";
  const std::size_t n = outside.observations(), m = outside.actions();
  const std::vector<std::pair<std::string, std::string>> names{{"name", options.name}, {"NAME", upper(options.name)}};

  std::string top = fmt::format("/* {}: {}\n *\n", options.name, c_comment(facts.what));
  top += comment_lines(facts.computation) + formula_comment(facts.formulas) + " *\n";
  top += fmt::format(" * In, in this order:\n{} * Out:\n{}",
                     axis_lines(outside.contract, outside.contract.observation, "obs"),
                     axis_lines(outside.contract, outside.contract.action, "act"));
  top += comment_lines(handling_note(outside.contract));
  if (outside.contract.dt > 0) top += comment_lines(fmt::format("One action every {:g} s.", outside.contract.dt));
  if (fixed) top += comment_lines("All numbers are integers: a value times the ..._ONE_... below.");
  top += comment_lines(input_note(options, outside, facts.beyond)) + " *\n";
  top += comment_lines(error_note(options, outside, body, facts.weights)) +
         comment_lines(network_distance_sentence(file)) + " *\n" + comment_lines(cost_note(options, body)) + " *\n";
  top += comment_lines("Certificate: " + certificate_sentences(file));
  if (file.certificate && !file.verified) top += comment_lines("Not verified: " + verification_text(file) + ".");
  top += outcome_comment(file) + " *\n";
  for (const std::string& sentence : provenance_sentences(file)) top += comment_lines(sentence);
  top += " */\n";

  std::string api = fmt::format("void @name@_act(const {0} obs[{1}], {0} act[{2}]);\n", type, n, m);
  if (!body.sample_argument.empty()) {
    const bool normal = body.sample_argument.find('z') != std::string::npos;
    const bool several = body.sample_argument.find('[') != std::string::npos;
    api += normal ? fmt::format("\n/* Draws the action: z are {} of the standard normal distribution, each new.{} */\n",
                                m == 1 ? "one number" : "numbers", fixed ? " Cut to -8 .. 8." : "")
                  : fmt::format("\n/* Draws the action: u {} new{}, evenly from {}. */\n", several ? "are" : "is a",
                                several ? " numbers" : " number", fixed ? "0 to 2^32 - 1" : "[0, 1)");
    api +=
        fmt::format("void @name@_sample(const {0} obs[{1}], {3}, {0} act[{2}]);\n", type, n, m, body.sample_argument);
  }
  CExport made;
  made.header = top + fill(fmt::format(R"(#ifndef @NAME@_H
#define @NAME@_H

#include <stdint.h>

#define @NAME@_OBSERVATIONS {}
#define @NAME@_ACTIONS {}
{}
#ifdef __cplusplus
extern "C" {{
#endif

{}
/* 0 if stored observations give the stored actions here; otherwise the number of the case that failed.
 * Compile with -D@NAME@_NO_SELFTEST to leave it out. */
int @name@_selftest(void);

#ifdef __cplusplus
}}
#endif

#endif
)",
                                       n, m, body.header_lines, api),
                           names);
  made.source = with_braces(fill(fmt::format("/* See @name@.h. */\n#include \"@name@.h\"\n{}\n{}",
                                             body.needs_libm ? "\n#include <math.h>\n" : "", body.source),
                                 names));
  made.example = example(options, outside, body.first_case);
  if (options.check) made.check = check_program(options, outside, body.stated_error);
  made.flash_bytes = body.table_bytes;
  made.code_bytes = body.code_bytes;
  made.ram_bytes = body.ram_bytes;
  made.operations = body.operations;
  made.error = body.error;
  made.stated_error = body.stated_error;
  return made;
}

}  // namespace mercer
