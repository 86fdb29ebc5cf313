#pragma once

#include <memory>

#include <nlohmann/json.hpp>

#include "explorer/view_question.hpp"
#include "explorer/view_subject.hpp"
#include "mercer/certificate.hpp"

/// What several answers have in common.
namespace answers {

using json = nlohmann::ordered_json;

/// The embedding that a question is about: `k` terms of the subject, some of them switched off.
std::shared_ptr<const Shown> shown(const Subject& subject, const Question& question);
json axis_json(const mercer::Axis& axis, const mercer::Range& range);
/// A certificate names its teacher as it was asked for; a page that may be passed on need not say where it lies.
json certificate_of(mercer::Certificate certificate);

}  // namespace answers
