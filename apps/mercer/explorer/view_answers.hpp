#pragma once

#include <nlohmann/json.hpp>

#include "explorer/view_question.hpp"
#include "explorer/view_subject.hpp"
#include "mercer/parallel.hpp"

/// Answers to what the page asks about one embedding; docs/guide/serve.md documents every document. Questions are
/// bounded: whatever is asked takes limited memory, and what may take long watches `progress`. All throw
/// `mercer::Error`.
namespace answers {

using json = nlohmann::ordered_json;

/// Everything about an embedding that no control changes; `sizes` at most on the slider.
json about(const Subject& subject, std::size_t id, std::size_t sizes);
/// Paired episodes with the teacher: loss, interval, every bound; distances of actions, bytes, operations.
json evaluate(const Subject& subject, const Question& question, const mercer::Progress& progress);
/// Teacher, embedding and visits over two axes.
json slice(const Subject& subject, const Question& question);
/// Masses of actions in visited states.
json polar(const Subject& subject, const Question& question);
/// An episode of both from one start.
json play(const Subject& subject, const Question& question, const mercer::Progress& progress);
/// The exported C.
json code(const Subject& subject, const Question& question);

}  // namespace answers
