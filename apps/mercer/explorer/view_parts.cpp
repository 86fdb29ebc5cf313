#include "explorer/view_parts.hpp"

#include <filesystem>
#include <utility>

#include "explorer/view_numbers.hpp"
#include "mercer/certify.hpp"

namespace answers {

std::shared_ptr<const Shown> shown(const Subject& subject, const Question& question) {
  const std::size_t k = question.integer("k", 1, subject.choice().k());
  const std::size_t terms = subject.choice().terms().size();
  return subject.shown(k, question.integers("off", 4096, terms == 0 ? 0 : terms - 1));
}

json axis_json(const mercer::Axis& axis, const mercer::Range& range) {
  return {{"name", axis.name}, {"low", number(range.low)}, {"high", number(range.high)}, {"unit", axis.unit}};
}

json certificate_of(mercer::Certificate certificate) {
  certificate.teacher = std::filesystem::path(certificate.teacher).filename().string();
  json out = json::parse(mercer::certificate_json(certificate));
  out["sentences"] = mercer::promise_sentences(certificate);
  return out;
}

}  // namespace answers
