#include "export/common/code.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "export/c/c_text.hpp"
#include "export/common/provenance.hpp"
#include "export/common/test_vectors.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

void check_name(const std::string& name, std::span<const std::string_view> keywords) {
  const auto legal = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  if (!name.empty() && name.size() <= 40 && std::ranges::all_of(name, legal) && name[0] >= 'a' &&
      std::ranges::find(keywords, name) == keywords.end())
    return;
  throw Error(ErrorCode::bad_value, fmt::format("'{}' is not a name that this format takes", name),
              "Give 1 to 40 lower-case letters, digits and '_', a letter first, and no word of the language");
}

void append(std::vector<double>& to, std::span<const double> numbers) {
  to.insert(to.end(), numbers.begin(), numbers.end());
}

void add_state(const ContinuousController& controller, std::span<const double> state, CodeCases& cases) {
  std::vector<double> obs, act(controller.outside.actions());
  for (const double number : state) obs.push_back(static_cast<float>(number));
  controller.model->policy().mean_action({obs.data(), obs.size(), 1}, {act.data(), act.size(), 1});
  append(cases.given, obs);
  append(cases.expected, act);
  if (controller.discrete()) append(cases.numbers, model_answers(controller, obs));
}

void add_continuous(const ContinuousEmbedding& embedding, ControllerInterface outside, CodeSubject& subject) {
  const ContinuousCode& code = embedding.code();
  if (code.head == Head::density) {
    throw Error(ErrorCode::bad_value, "a density over observations and actions has no exported form",
                "Embed the mean action ('--act mean') or a Gaussian policy");
  }
  subject.continuous = {flatten(code), code.head, code.squash, std::move(outside), &embedding};
  subject.tables = continuous_tables(*subject.continuous);
  for (const std::vector<double>& state : test_states(*subject.continuous))
    add_state(*subject.continuous, state, subject.cases);
  subject.computation = fmt::format("A sum of {} functions of the observation, scaled to [-1, 1], for each {}; {}.",
                                    embedding.k(), code.head == Head::logits ? "action" : "mean action",
                                    code.head == Head::logits ? "the action with the largest sum is taken"
                                    : code.squash             ? "limited by tanh"
                                                              : "cut to the range");
  subject.beyond = "Observations outside their range are clipped to it";
  if (subject.continuous->flat.any_periodic()) subject.beyond += ", angles go round";
  subject.formulas = formula_lines(embedding);
}

void add_lattice(const LatticeEmbedding& embedding, ControllerInterface outside, CodeSubject& subject) {
  subject.lattice = lattice_controller(embedding, std::move(outside));
  const LatticeController& controller = *subject.lattice;
  if (controller.states().cells() > 0x1p53) {
    throw Error(ErrorCode::too_large,
                fmt::format("a lattice of {:.3g} cells; legal: up to 2^53", controller.states().cells()),
                "Take fewer bins, the continuous route, or 'mercer export c'");
  }
  subject.tables = lattice_tables(controller);
  for (const std::size_t row : controller.test_rows()) {
    for (std::size_t d = 0; d < controller.states().dimensions(); ++d)
      subject.cases.given.push_back(controller.cells().centre(row, d));
    append(subject.cases.expected, controller.action(row));
  }
  subject.computation = fmt::format("A table with the mean action of each of {} cells. {}", controller.rows(),
                                    controller.full() ? "Every cell has its own."
                                    : controller.code.play.unvisited == Unvisited::nearest
                                        ? "A state whose cell was never visited counts as the nearest cell that was."
                                        : "In a cell that was never visited all actions are equally likely.");
  subject.beyond = "Observations outside the lattice belong to the cell at that end";
}

}  // namespace

const CodeTable* CodeSubject::find(const std::string& table) const {
  const auto found = std::ranges::find(tables, table, &CodeTable::name);
  return found == tables.end() ? nullptr : &*found;
}

CodeSubject code_subject(const EmbeddingFile& file, const CodeOptions& options,
                         std::span<const std::string_view> keywords) {
  check_name(options.name, keywords);
  if (options.check) check_vectors(*options.check, file.embedding.policy());
  ControllerInterface outside =
      controller_interface(file.embedding.policy().contract(), {.safe_action = options.safe_action});
  CodeSubject subject;
  subject.what = fmt::format("{} in {} {} of {}", origin_text(file.origin), file.embedding.k(),
                             file.embedding.is_lattice() ? "coefficients" : "terms", file.embedding.basis());
  if (file.embedding.is_lattice()) {
    add_lattice(file.embedding.lattice(), std::move(outside), subject);
  } else {
    add_continuous(file.embedding.continuous(), std::move(outside), subject);
  }
  return subject;
}

double largest_difference(const ContinuousController& controller, const CodeAnswers& answers) {
  constexpr std::size_t count = 10000;
  const std::vector<Range> ranges = ranges_of(controller.flat);
  std::vector<double> states;
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<double> state = even_state(ranges, i, 0.05);
    for (std::size_t j = 0; j < ranges.size(); ++j) {
      // The embedding does not wrap angles: stay inside.
      const bool inside = controller.flat.axes[j].periodic;
      states.push_back(static_cast<float>(inside ? std::clamp(state[j], ranges[j].low, ranges[j].high) : state[j]));
    }
  }
  const std::vector<double> model = model_answers(controller, states), own = answers(states);
  const std::size_t width = model.size() / count;
  double worst = 0;
  for (std::size_t i = 0; i < model.size(); ++i) {
    const double unit = controller.discrete() ? 1 : controller.outside.width(i % width);
    worst = std::max(worst, std::abs(own[i] - model[i]) / unit);
  }
  return worst;
}

std::vector<double> case_limits(const ControllerInterface& outside, double stated_error, const TestVectors* vectors) {
  std::vector<double> limits;
  for (std::size_t a = 0; a < outside.actions(); ++a) {
    const double own = 2 * stated_error * outside.width(a);
    limits.push_back(vectors == nullptr ? own : std::max(own, vectors->tolerance[a]));
  }
  return limits;
}

namespace {

// Without the marks of Unicode that end a line or turn its direction: they would end a comment, or hide its text.
std::string without_marks(std::string text) {
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[i + at]); };
    const bool mark = byte(0) == 0xe2 && ((byte(1) == 0x80 && byte(2) >= 0xa8 && byte(2) <= 0xae) ||
                                          (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9));
    if (mark) text.replace(i, 3, "   ");
  }
  return text;
}

std::string axis_lines(const Contract& contract, const Space& space, const char* array) {
  std::string lines;
  for (std::size_t d = 0; d < space.dimensions(); ++d) {
    lines += " *" +
             c_comment(fmt::format("   {}[{}] {}{}", array, d, space.axes[d].name, axis_facts(contract, space, d))) +
             "\n";
  }
  return lines;
}

}  // namespace

std::string code_notes(const EmbeddingFile& file, const CodeOptions& options, const CodeSubject& subject,
                       const CodeExport& made, const std::string& prefix) {
  const ControllerInterface& outside = subject.outside();
  const Contract& contract = outside.contract;
  std::string text = comment_lines(fmt::format("{}: {}", options.name, subject.what)) + " *\n";
  text += comment_lines(subject.computation) + formula_comment(subject.formulas) + " *\n * In, in this order:\n";
  text +=
      axis_lines(contract, contract.observation, "obs") + " * Out:\n" + axis_lines(contract, contract.action, "act");
  text += comment_lines(handling_note(contract));
  if (contract.dt > 0) text += comment_lines(fmt::format("One action every {:g} s.", contract.dt));
  text += comment_lines(subject.beyond + ".") + " *\n";
  text += comment_lines(fmt::format("Its {} differ from the embedding's by at most {:.2g}{} (measured: {:.2g}, on {}).",
                                    !subject.discrete() ? "actions"
                                    : subject.lattice   ? "probabilities"
                                                        : "logits",
                                    made.stated_error, subject.discrete() ? "" : " of the action's range", made.error,
                                    subject.lattice ? "all cells" : "states that fill the ranges"));
  text += comment_lines(fmt::format("Teacher: {}.", origin_text(file.origin)));
  for (const std::string& sentence : provenance_sentences(file)) text += comment_lines(sentence);
  text += comment_lines(network_distance_sentence(file)) + " *\n";
  text += comment_lines("Certificate: " + certificate_sentences(file));
  if (file.certificate && !file.verified) text += comment_lines("Not verified: " + verification_text(file) + ".");
  text += outcome_comment(file);
  std::string lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines += prefix + text.substr(at + 2, end - at - 2) + "\n";  // behind " *"
    at = end + 1;
  }
  return without_marks(std::move(lines));
}

}  // namespace mercer
