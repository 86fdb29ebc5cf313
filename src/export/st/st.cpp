#include "export/st/st.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "export/c/c_text.hpp"
#include "export/common/head.hpp"
#include "export/common/provenance.hpp"
#include "export/common/test_vectors.hpp"
#include "mercer/error.hpp"
#include "mercer/export.hpp"

namespace mercer {
namespace {

void check_block_name(const std::string& name) {
  if (st_identifier(name) && name.size() <= 40 && !st_reserved(name)) return;
  throw Error(ErrorCode::bad_value, fmt::format("'{}' is not a valid name in Structured Text", name),
              "Give 1 to 40 letters and digits with single '_' between them, a letter first, no word of the language "
              "and no 'obs_' or 'act_' at its beginning");
}

StBody continuous_body(const EmbeddingFile& file, const ControllerInterface& outside) {
  const ContinuousEmbedding& embedding = file.embedding.continuous();
  const ContinuousCode& code = embedding.code();
  if (code.head == Head::density) {
    throw Error(ErrorCode::bad_value, "a density over observations and actions has no exported form",
                "Embed the mean action ('--act mean') or a Gaussian policy");
  }
  require_usable_ranges(outside.contract, ranges_of(flatten(code)));
  StBody body = st_continuous_body({flatten(code), code.head, code.squash, outside, &embedding});
  const char* head = code.head == Head::logits ? "the action with the largest sum is taken"
                     : code.squash             ? "limited by tanh"
                                               : "cut to the range";
  body.computation = fmt::format(
      "A sum of {} functions of the observation, scaled to -1 .. 1, for each {}; {}. Observations outside their range "
      "are clipped to it{}.",
      embedding.k(), code.head == Head::logits ? "action" : "mean action", head, body.wraps ? ", angles go round" : "");
  for (const std::string& line : formula_lines(embedding)) body.formulas.push_back(st_comment(line));
  return body;
}

// The self-test's cases, with the vectors behind the block's own.
void add_vectors(const EmbeddingFile& file, const TestVectors& vectors, StBody& body) {
  check_vectors(vectors, file.embedding.policy());
  body.given.insert(body.given.end(), vectors.observations.begin(), vectors.observations.end());
  body.expected.insert(body.expected.end(), vectors.actions.begin(), vectors.actions.end());
  if (body.numbers.empty()) return;
  const ContinuousEmbedding& embedding = file.embedding.continuous();
  const ControllerInterface outside{embedding.policy().contract(), {}};
  const std::vector<double> numbers =
      model_answers({flatten(embedding.code()), embedding.code().head, embedding.code().squash, outside, &embedding},
                    vectors.observations);
  body.numbers.insert(body.numbers.end(), numbers.begin(), numbers.end());
}

}  // namespace

StExport export_st(const EmbeddingFile& file, const StOptions& options) {
  check_block_name(options.name);
  const ControllerInterface outside = controller_interface(file.embedding.policy().contract(),
                                                           {.name = options.name, .safe_action = options.safe_action});
  StBody body = file.embedding.is_lattice() ? st_lattice_body(lattice_controller(file.embedding.lattice(), outside))
                                            : continuous_body(file, outside);
  if (options.check) add_vectors(file, *options.check, body);
  body.what = fmt::format("{} in {} {} of {}", origin_text(file.origin), file.embedding.k(),
                          file.embedding.is_lattice() ? "coefficients" : "terms", file.embedding.basis());
  return assemble_st(file, options, outside, std::move(body));
}

namespace {

using Places = std::vector<std::pair<std::string, std::string>>;

constexpr double beyond = 1e18;  // what no sensor says

std::string axis_lines(const Contract& contract, const Space& space, std::span<const std::string> names) {
  std::string lines;
  for (std::size_t d = 0; d < space.dimensions(); ++d) {
    const std::string line = fmt::format("  {}: {}{}", names[d], space.axes[d].name, axis_facts(contract, space, d));
    lines += " *" + st_comment(line) + "\n";
  }
  return lines;
}

std::string numbers_list(std::span<const double> numbers) {
  std::string text;
  for (const double number : numbers) text += fmt::format("{}{:g}", text.empty() ? "" : ", ", number);
  return text;
}

// Everything declared and done for one file.
class BlockWriter {
 public:
  BlockWriter(const EmbeddingFile& file, const StOptions& options, const ControllerInterface& outside, StBody body)
      : file_(file),
        options_(options),
        outside_(outside),
        body_(std::move(body)),
        inputs_(st_names("obs_", outside.contract.observation.axes)),
        outputs_(st_names("act_", outside.contract.action.axes)),
        n_(outside.observations()),
        m_(outside.actions()),
        discrete_(outside.contract.action.is_discrete()) {
    body_.operations += {0, 0, 0, 3 * n_, 3 * n_};
    acting_bytes_ = body_.constants.bytes();
  }

  StExport write() {
    declare();
    StExport made;
    made.table_bytes = acting_bytes_;
    made.variable_bytes = body_.variables.bytes() + 2 + 4 * (n_ + m_);
    made.operations = body_.operations;
    made.error = body_.error;
    made.stated_error = body_.stated_error;
    const StBlock block{options_.name,
                        comment(made),
                        inputs_,
                        outputs_,
                        discrete_ ? "DINT" : "REAL",
                        body_.constants,
                        body_.variables,
                        statements(),
                        outside_.contract.dt};
    made.source = block.comment + fmt::format("FUNCTION_BLOCK {}\n", options_.name) + interface();
    made.source +=
        "VAR CONSTANT\n" + body_.constants.text() + "END_VAR\nVAR\n" + body_.variables.text() + "END_VAR\n\n";
    made.source += block.statements + "END_FUNCTION_BLOCK\n";
    made.example = st_example(block);
    made.xml = plcopen_xml(block);
    return made;
  }

 private:
  void declare() {
    StDeclarations& constants = body_.constants;
    std::vector<std::int64_t> safe, expected;
    const std::size_t before = constants.bytes();
    if (discrete_) {
      safe.push_back(static_cast<std::int64_t>(outside_.safe[0]));
      places_.push_back({"safe", to_dint(constants.whole("safe", safe), "safe[0]")});
    } else {
      constants.reals("safe", outside_.safe);
    }
    acting_bytes_ += constants.bytes() - before;
    // The last case has an observation that nothing can be done with.
    std::vector<double> given = body_.given, actions = body_.expected;
    given.insert(given.end(), body_.given.begin(), body_.given.begin() + static_cast<std::ptrdiff_t>(n_));
    given.back() = 1e30;
    actions.insert(actions.end(), outside_.safe.begin(), outside_.safe.end());
    constants.reals("test_obs", given);
    if (discrete_) {
      for (const double action : actions) expected.push_back(static_cast<std::int64_t>(action));
      places_.push_back({"expected", to_dint(constants.whole("test_act", expected), "test_act[test]")});
      body_.variables.variables("best", "DINT");
      if (!body_.numbers.empty()) {
        constants.reals("test_out", body_.numbers);
        constants.reals("test_limit", std::vector<double>{2 * body_.stated_error});
      }
    } else {
      constants.reals("test_act", actions);
      std::vector<double> limits;
      for (std::size_t a = 0; a < m_; ++a) limits.push_back(2 * body_.stated_error * outside_.width(a));
      constants.reals("test_limit", limits);
      body_.variables.array("act", m_, "REAL");
    }
    body_.variables.variables("i, test, cases", "DINT", 3);
    body_.variables.variables("usable", "BOOL");
    body_.variables.array("x", n_, "REAL");
    places_.insert(places_.end(), {{"cases", std::to_string(given.size() / n_)},
                                   {"N", std::to_string(n_)},
                                   {"N-1", std::to_string(n_ - 1)},
                                   {"M", std::to_string(m_)},
                                   {"M-1", std::to_string(m_ - 1)},
                                   {"beyond", st_real(beyond)}});
  }

  static std::string to_dint(const std::string& type, const std::string& value) {
    return type == "DINT" ? value : fmt::format("{}_TO_DINT({})", type, value);
  }

  std::string interface() const {
    std::string text = "VAR_INPUT\n  SELFTEST : BOOL; (* TRUE: check the stored cases; the safe action meanwhile *)\n";
    for (std::size_t d = 0; d < n_; ++d) text += fmt::format("  {} : REAL;\n", inputs_[d]);
    text += "END_VAR\nVAR_OUTPUT\n  OK : BOOL; (* the observations are usable; with SELFTEST: every case passed *)\n";
    for (std::size_t a = 0; a < m_; ++a) text += fmt::format("  {} : {};\n", outputs_[a], discrete_ ? "DINT" : "REAL");
    return text + "END_VAR\n";
  }

  std::string statements() const {
    std::string inputs, outputs;
    for (std::size_t d = 0; d < n_; ++d) inputs += fmt::format("    x[{}] := {};\n", d, inputs_[d]);
    for (std::size_t a = 0; a < m_; ++a)
      outputs +=
          discrete_ ? fmt::format("{} := best;\n", outputs_[a]) : fmt::format("{} := act[{}];\n", outputs_[a], a);
    const std::string safe =
        discrete_ ? "best := @safe@;\n" : "FOR i := 0 TO @M-1@ DO\n  act[i] := safe[i];\nEND_FOR;\n";
    const std::string compare = discrete_ ? R"(IF best <> @expected@ THEN
  OK := FALSE;
END_IF;
)"
                                          : R"(FOR i := 0 TO @M-1@ DO
  IF NOT (ABS(act[i] - test_act[@M@ * test + i]) <= test_limit[i]) THEN
    OK := FALSE;
  END_IF;
END_FOR;
)";
    // An action of few says little: what it was chosen by is compared, too.
    const std::size_t numbers = body_.numbers.size() / (body_.given.size() / n_);
    const std::string compare_numbers = numbers == 0 ? ""
                                                     : fmt::format(R"(IF usable THEN
  FOR i := 0 TO {} DO
    IF NOT (ABS(out[i] - test_out[{} * test + i]) <= test_limit[0]) THEN
      OK := FALSE;
    END_IF;
  END_FOR;
END_IF;
)",
                                                                   numbers - 1, numbers);
    Places places{{"inputs", inputs},
                  {"outputs", outputs},
                  {"compute", indented(body_.statements, 4)},
                  {"be_safe", indented(safe, 4)},
                  {"compare", indented(compare + compare_numbers + safe, 4)}};
    places.insert(places.end(), places_.begin(), places_.end());
    return fill(R"(OK := TRUE;
cases := 1;
IF SELFTEST THEN
  cases := @cases@;
END_IF;
FOR test := 0 TO cases - 1 DO
  IF SELFTEST THEN
    FOR i := 0 TO @N-1@ DO
      x[i] := test_obs[@N@ * test + i];
    END_FOR;
  ELSE
@inputs@  END_IF;
  (* What is not a number differs from itself. *)
  usable := TRUE;
  FOR i := 0 TO @N-1@ DO
    IF (x[i] <> x[i]) OR NOT ((x[i] > REAL#-@beyond@) AND (x[i] < REAL#@beyond@)) THEN
      usable := FALSE;
    END_IF;
  END_FOR;
  IF usable THEN
@compute@  ELSE
@be_safe@  END_IF;
  IF SELFTEST THEN
@compare@  ELSIF NOT usable THEN
    OK := FALSE;
  END_IF;
END_FOR;
@outputs@)",
                places);
  }

  std::string comment(const StExport& made) const {
    const auto lines = [](const std::string& text) { return comment_lines(st_comment(text)); };
    const COperations& o = made.operations;
    std::string top = fmt::format("(* {}: {}\n *\n", options_.name, st_comment(body_.what));
    top += lines(body_.computation) + formula_comment(body_.formulas) + " *\n";
    top += " * In:\n" + axis_lines(outside_.contract, outside_.contract.observation, inputs_);
    top += " * Out:\n" + axis_lines(outside_.contract, outside_.contract.action, outputs_);
    top += lines(handling_note(outside_.contract));
    if (outside_.contract.dt > 0) top += lines(fmt::format("Call it every {:g} s.", outside_.contract.dt));
    top +=
        lines(fmt::format("If an observation is not a number, infinite or beyond {:g}, OK is FALSE and the action is "
                          "the safe one: {}.",
                          beyond, numbers_list(outside_.safe)));
    top += " *\n" +
           lines(fmt::format(
               "In REAL, the {} of this code differ from the embedding's by at most {:.2g}{} (measured: {:.2g}, on "
               "states that fill the ranges, by the same arithmetic in C).",
               discrete_ ? "numbers" : "actions", made.stated_error, discrete_ ? "" : " of the action's range",
               made.error));
    top += lines(network_distance_sentence(file_));
    top += lines(fmt::format(
        "{} bytes of constants, {} more for the self-test; {} bytes of variables. At most {} "
        "multiplications, {} additions, {} divisions, {} comparisons, {} look-ups and {} of EXP, "
        "SIN, COS and SQRT for an action; the self-test takes {} times that in one call.",
        made.table_bytes, body_.constants.bytes() - made.table_bytes, made.variable_bytes, o.multiplications,
        o.additions, o.divisions, o.comparisons, o.lookups, o.functions, body_.given.size() / n_));
    const std::string doubt =
        file_.certificate && !file_.verified ? lines("Not verified: " + verification_text(file_) + ".") : "";
    top += " *\n" + lines("Certificate: " + certificate_sentences(file_)) + doubt + outcome_comment(file_) + " *\n";
    for (const std::string& sentence : provenance_sentences(file_)) top += lines(sentence);
    return top + " *)\n";
  }

  const EmbeddingFile& file_;
  const StOptions& options_;
  const ControllerInterface& outside_;
  StBody body_;
  std::vector<std::string> inputs_, outputs_;
  std::size_t n_, m_;
  bool discrete_;
  std::size_t acting_bytes_ = 0;
  Places places_;
};

}  // namespace

StExport assemble_st(const EmbeddingFile& file, const StOptions& options, const ControllerInterface& outside,
                     StBody body) {
  return BlockWriter(file, options, outside, std::move(body)).write();
}

}  // namespace mercer
