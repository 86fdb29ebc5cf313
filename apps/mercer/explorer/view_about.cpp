#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "embed/formula/axes.hpp"
#include "explorer/view_answers.hpp"
#include "explorer/view_numbers.hpp"
#include "measure/certificate_words.hpp"
#include "mercer/certify.hpp"
#include "policy/files.hpp"
#include "view/view.hpp"

namespace answers {
namespace {

constexpr std::size_t most_listed = 200;

std::string terms_note(const Subject& subject) {
  const std::size_t terms = subject.choice().terms().size();
  if (terms == 0) return "This basis takes each row by itself: there are no single functions.";
  const std::string what = subject.embedding().is_lattice()
                               ? "Coefficients of the table; bars show the root of their energy."
                               : "Bars show how much each moves the action where the teacher goes.";
  return terms > most_listed ? fmt::format("{} The first {} of {}.", what, most_listed, terms) : what;
}

// Whether a policy sees that the state lies elsewhere along an axis: a hopper does not see how far it has come.
bool is_seen(const World& world, std::size_t axis) {
  const std::vector<double> seen = mercer::slice_observations(world.env.get(), world.visited, {axis, axis, 2});
  for (std::size_t i = 0; i < seen.size(); i += 2) {
    if (seen[i] != seen[i + 1]) return true;
  }
  return false;
}

// The two axes that the page begins with: the first that are seen.
json first_axes(const World& world) {
  const std::size_t axes = world.visited.axes.size();
  std::vector<std::size_t> chosen;
  for (std::size_t d = 0; d < axes && chosen.size() < 2; ++d) {
    if (axes <= 2 || is_seen(world, d)) chosen.push_back(d);
  }
  for (std::size_t d = 0; d < axes && chosen.size() < 2; ++d) {
    if (std::ranges::find(chosen, d) == chosen.end()) chosen.push_back(d);
  }
  return {chosen.front(), chosen.back()};
}

}  // namespace

std::shared_ptr<const Shown> shown(const Subject& subject, const Question& question) {
  const std::size_t k = question.integer("k", 1, subject.choice().k());
  const std::size_t terms = subject.choice().terms().size();
  return subject.shown(k, question.integers("off", 4096, terms == 0 ? 0 : terms - 1));
}

json axis_json(const mercer::Axis& axis, const mercer::Range& range) {
  return {{"name", axis.name}, {"low", number(range.low)}, {"high", number(range.high)}, {"unit", axis.unit}};
}

json outcome_json(const mercer::OutcomePair& pair) {
  json lines = json::array();
  for (const mercer::OutcomeLine& line : mercer::outcome_lines(pair)) {
    lines.push_back({{"code", line.code},
                     {"words", line.words},
                     {"teacher", line.teacher},
                     {"embedding", line.embedding},
                     {"warning", line.warning}});
  }
  return lines;
}

json certificate_of(mercer::Certificate certificate) {
  certificate.teacher = file_name(certificate.teacher);
  certificate.env = file_name(certificate.env);
  json out = json::parse(mercer::certificate_json(certificate));
  out["sentences"] = mercer::promise_sentences(certificate);
  out["outcomes"] = outcome_json(mercer::measured_outcomes(certificate));
  for (std::size_t i = 0; i < certificate.promises.size(); ++i) {
    out["promises"][i]["words"] = mercer::promise_words(certificate.promises[i]);
  }
  return out;
}

json about(const Subject& subject, std::size_t id, std::size_t sizes) {
  const mercer::EmbeddingFile& file = subject.file();
  const mercer::Embedding& embedding = file.embedding;
  const World& world = subject.world();
  const mercer::Contract& contract = embedding.policy().contract();
  json axes = json::array(), window = json::array(), typical = json::array(), actions = json::array();
  for (std::size_t d = 0; d < world.visited.axes.size(); ++d) {
    axes.push_back(axis_json(world.visited.axes[d], world.visited.window[d]));
    axes.back()["angle"] = static_cast<bool>(world.visited.angle[d]);
    window.push_back({number(world.visited.window[d].low), number(world.visited.window[d].high)});
    typical.push_back(number(world.visited.typical[d]));
  }
  for (const mercer::Axis& axis : contract.action.axes) actions.push_back(axis_json(axis, axis.range));
  json terms = json::array(), on_slider = json::array();
  for (const mercer::KeptTerm& term : subject.choice().terms()) {
    if (terms.size() == most_listed) break;
    terms.push_back({{"name", term.name}, {"energy", number(term.energy)}, {"coefficient", number(term.coefficient)}});
  }
  for (const std::size_t k : subject.choice().sizes(sizes)) {
    on_slider.push_back({{"k", k},
                         {"terms", subject.choice().terms_within(k)},
                         {"payload_bytes", subject.choice().keep(k).payload().size()}});
  }
  json formulas = json::array();
  if (!embedding.is_lattice() && embedding.k() <= mercer::most_shown_terms)
    formulas = mercer::formulas(embedding.continuous());
  json certificate = file.certificate ? certificate_of(*file.certificate) : json();
  if (file.certificate) certificate["verified"] = file.verified;
  return {{"id", id},
          {"name", subject.name()},
          {"route", name(embedding.route())},
          {"basis", embedding.basis()},
          {"k", subject.choice().k()},
          {"bytes", file.bytes},
          {"payload_bytes", embedding.payload().size()},
          {"parameters", embedding.parameters().published},
          {"parameters_stored", embedding.parameters().stored},
          {"formulas", formulas},
          {"task", file_name(world.env_spec)},
          {"task_kind", world.env ? world.env->task().name : ""},
          {"dt", contract.dt > 0 || !world.env ? contract.dt : world.env->task().dt},
          {"contract", mercer::to_json(contract)},
          {"playable", world.env != nullptr},
          {"axes", axes},
          {"window", window},
          {"typical", typical},
          {"default_axes", first_axes(world)},
          {"plane", contract.observation.dimensions() > 2 && subject.plane(0).has_value()},
          {"episodes", usual_episodes(world)},
          {"action", {{"axes", actions}, {"count", contract.action.count}}},
          {"teacher",
           {{"name", file_name(world.teacher_spec)},
            {"bytes", world.teacher_bytes == 0 ? json(nullptr) : json(world.teacher_bytes)},
            {"missing", world.missing}}},
          {"act", name(world.act)},
          {"sizes", on_slider},
          {"terms", terms},
          {"can_switch", !terms.empty()},
          {"terms_note", terms_note(subject)},
          {"certificate", certificate}};
}

json code(const Subject& subject, const Question& question) {
  constexpr std::size_t most_text = 400'000;
  const auto now = shown(subject, question);
  const ShownCode& code = now->code();
  json module = code.module.empty() ? json(nullptr) : json(code.module);
  std::string why_no_module = code.why_no_module;
  if (code.module.size() > most_text) {
    module = nullptr;
    why_no_module = fmt::format("The module has {} bytes: 'mercer export js' writes it to a file.", code.module.size());
  }
  if (!code.made) {
    return {{"header", nullptr},
            {"source", nullptr},
            {"why", code.why},
            {"module", module},
            {"why_no_module", why_no_module}};
  }
  const mercer::CExport& made = *code.made;
  json answer{
      {"header", made.header},          {"source", made.source},           {"module", module},
      {"why_no_module", why_no_module}, {"flash_bytes", made.flash_bytes}, {"operations", made.operations.total()}};
  if (made.source.size() > most_text) {
    answer["source"] = answer["header"] = nullptr;
    answer["why"] = fmt::format("The C has {} bytes: 'mercer export c' writes it to a file.", made.source.size());
  }
  return answer;
}

}  // namespace answers
