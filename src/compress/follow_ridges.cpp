#include <fmt/format.h>

#include "compress/ridge_search.hpp"
#include "compress/search.hpp"
#include "learn/checkpoint.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

// Payloads as rows of numbers: their sizes, and all their bytes.
void exchange_payloads(learn::Archive& archive, std::vector<std::vector<std::uint8_t>>& payloads) {
  std::vector<float> sizes, bytes;
  for (const auto& payload : payloads) {
    sizes.push_back(static_cast<float>(payload.size()));
    bytes.insert(bytes.end(), payload.begin(), payload.end());
  }
  if (!archive.filling()) {
    archive.add_rows("tried.sizes", sizes, 1);
    archive.add_rows("tried.bytes", bytes, 1);
    return;
  }
  sizes = archive.rows("tried.sizes", 1);
  bytes = archive.rows("tried.bytes", 1);
  auto from = bytes.begin();
  for (const float size : sizes) {
    if (!(size >= 0) || size > static_cast<float>(bytes.end() - from)) break;
    const auto end = from + static_cast<std::ptrdiff_t>(size);
    payloads.emplace_back(from, end);
    from = end;
  }
}

}  // namespace

void Search::follow_ridges() {
  on_return_ = true;
  const std::size_t first = tried_.size();
  const auto attempt = [&](ContinuousEmbedding embedding) {
    if (!selection_.fits(embedding.payload().size())) return Tried{};
    const NumberFormat format = embedding.code().format;
    const MeasuredPolicy& one = record(std::move(embedding), format);
    return Tried{true, selection_.promising(one), one.loss / std::abs(selection_.teacher_return())};
  };
  RidgeSearch search(player_, teacher_, options_, attempt, clock(), progress_);
  const auto& resume = options_.resume;
  const auto exchange = [&](learn::Archive& archive) {
    std::vector<std::vector<std::uint8_t>> payloads;
    for (std::size_t i = first; i < tried_.size(); ++i) payloads.push_back(tried_[i].embedding.payload());
    double spent = seconds();
    archive.numbers("search.seconds", std::span(&spent, 1));
    exchange_payloads(archive, payloads);
    search.exchange(archive);
    if (!archive.filling()) return;
    before_ = spent - seconds();
    for (const auto& payload : payloads)
      attempt(ContinuousEmbedding::decode(payload, teacher_.contract(), teacher_.name()));
  };
  learn::Checkpoints checkpoints(resume.file, resume.hash, resume.interval, exchange);
  if (!resume.file.empty() && std::filesystem::exists(resume.file)) {
    try {
      learn::Archive archive = learn::read_checkpoint(resume.file, resume.hash);
      exchange(archive);
      if (progress_.note) progress_.note(fmt::format("resuming the search from '{}'", resume.file.string()));
    } catch (const Error& error) {
      if (error.code() == ErrorCode::interrupted) throw;
      if (progress_.note) {
        progress_.note(
            fmt::format("starting over: '{}' belongs to another search, or is damaged", resume.file.string()));
      }
    }
  }
  double turns = 0, spent = 0;  // on tuning
  for (;;) {
    const double begin = seconds();
    const bool tuning = search.turns_left().has_value();
    if (!search.advance()) break;
    if (tuning) {
      spent += seconds() - begin;
      ++turns;
    }
    if (const std::optional<double> left = search.turns_left(); left && turns > 0) expect(*left * spent / turns);
    if (!resume.file.empty()) checkpoints.write_if_due();
  }
  if (!resume.file.empty()) checkpoints.write();  // what was found is certified next
  cut_short_ = cut_short_ || enough();
}

}  // namespace mercer
