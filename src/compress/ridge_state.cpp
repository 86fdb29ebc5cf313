#include <fmt/format.h>

#include "compress/ridge_search.hpp"

namespace mercer {

void RidgeSearch::exchange(learn::Archive& archive) {
  const auto all = [](distil::Vector<float>& numbers) {
    return std::span(numbers.data(), static_cast<std::size_t>(numbers.size()));
  };
  auto stage = static_cast<std::uint64_t>(stage_);
  archive.count("search.stage", stage);
  stage_ = static_cast<Stage>(stage);
  const std::pair<const char*, std::uint64_t*> counts[] = {
      {"turn", &turn_},        {"turns", &turns_},     {"settled", &settled_},         {"size", &size_},
      {"failed", &failed_},    {"passed", &passed_},   {"passed_here", &passed_here_}, {"seeds", &seeds_},
      {"trusted", &trusted_},  {"learned", &learned_}, {"with_linear", &with_linear_}, {"too_small", &too_small_},
      {"imitates", &imitates_}};
  for (const auto& [name, value] : counts) archive.count(fmt::format("search.{}", name), *value);
  archive.numbers("search.smoothness", std::span(&smoothness_, 1));
  archive.numbers("search.least_lost", std::span(&least_lost_, 1));
  archive.numbers("search.least_tuned", std::span(&least_tuned_, 1));
  data_.exchange(archive);

  auto ridges = static_cast<std::uint64_t>(student_.shape.ridges),
       has_student = student_.numbers.size() > 0 ? 1UL : 0UL;
  archive.count("search.has_student", has_student);
  archive.count("search.ridges", ridges);
  if (has_student != 0) {
    if (archive.filling()) {
      student_ = {shape_of(ridges, with_linear_ != 0), scale_, {}};
      student_.numbers = distil::Vector<float>::Zero(student_.shape.size());
    }
    archive.numbers("search.student", all(student_.numbers));
  }
  std::uint64_t checked = checked_.size(), tuned = tuner_ ? 1 : 0;
  archive.count("search.checked", checked);
  archive.count("search.tuned", tuned);
  if (tuned != 0 && !tuner_) make_tuner(false);
  if (tuner_) tuner_->exchange(archive);
  checked_.resize(checked);
  for (std::size_t i = 0; i < checked; ++i) {
    if (archive.filling()) checked_[i].numbers = distil::Vector<float>::Zero(tuner_->student().shape.size());
    archive.numbers(fmt::format("search.checked{}", i), all(checked_[i].numbers));
    archive.numbers(fmt::format("search.cost{}", i), std::span(&checked_[i].cost, 1));
  }
}

}  // namespace mercer
