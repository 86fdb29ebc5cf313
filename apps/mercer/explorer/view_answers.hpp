#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "explorer/view_subject.hpp"
#include "measure/behaviour_words.hpp"
#include "mercer/certificate.hpp"
#include "mercer/parallel.hpp"

/// A JSON object from outside. Every member is checked when it is read; errors are `mercer::Error`s with the value and
/// what is legal.
class Question {
 public:
  /// Throws `bad_value` unless the text is one JSON object.
  static Question parse(const std::string& text);
  explicit Question(nlohmann::json object) : object_(std::move(object)) {}

  std::size_t integer(const std::string& key, std::size_t low, std::size_t high) const;
  std::size_t integer(const std::string& key, std::size_t low, std::size_t high, std::size_t standard) const;
  /// Exactly `count` finite numbers; nothing where the key is missing or null.
  std::optional<std::vector<double>> numbers(const std::string& key, std::size_t count) const;
  /// Up to `most` integers from 0 to `high`, sorted, each once; empty where the key is missing.
  std::vector<std::size_t> integers(const std::string& key, std::size_t most, std::size_t high) const;
  /// Letters, digits and '-' only, up to 64; empty where the key is missing.
  std::string word(const std::string& key) const;

 private:
  nlohmann::json object_;
};

/// Answers to what the page asks about one embedding; docs/guide/serve.md documents every document. Questions are
/// bounded: whatever is asked takes limited memory, and what may take long watches `progress`. All throw
/// `mercer::Error`.
namespace answers {

using json = nlohmann::ordered_json;

/// Everything about an embedding that no control changes; `sizes` at most on the slider.
json about(const Subject& subject, std::size_t id, std::size_t sizes);
/// Paired episodes with the teacher: loss, interval, every bound; distances of actions, bytes, operations.
json evaluate(const Subject& subject, const Question& question, const mercer::Progress& progress);
/// Episodes that are measured unless asked for otherwise: 1000, of robots as many as 50,000 steps make.
std::size_t usual_episodes(const World& world);
/// Teacher, embedding and visits over two axes.
json slice(const Subject& subject, const Question& question);
/// Masses of actions in visited states.
json polar(const Subject& subject, const Question& question);
/// An episode of both from one start.
json play(const Subject& subject, const Question& question, const mercer::Progress& progress);
/// The exported C.
json code(const Subject& subject, const Question& question);

// What several answers have in common.

/// The embedding that a question is about: `k` terms of the subject, some of them switched off.
std::shared_ptr<const Shown> shown(const Subject& subject, const Question& question);
json axis_json(const mercer::Axis& axis, const mercer::Range& range);
/// A certificate names its teacher as it was asked for; a page that may be passed on need not say where it lies.
json certificate_of(mercer::Certificate certificate);
/// What was measured of teacher and embedding: a list of `code`, `words`, both as text, and a `warning`.
json outcome_json(const mercer::OutcomePair& pair);

}  // namespace answers
