#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "measure/certificate_words.hpp"
#include "mercer/error.hpp"
#include "mercer/pipeline.hpp"
#include "mercer/warning.hpp"
#include "pipeline/teacher.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;

// Throws about the first promise that is above its limit. Those of returns are in units of return, all others are
// percent.
[[noreturn]] void refuse(const Certificate& certificate, const std::string& where, const std::string& remedy) {
  const auto broken = std::ranges::find_if_not(certificate.promises, &Promise::kept);
  if (broken == certificate.promises.end()) throw Error(ErrorCode::not_met, "a limit is not kept" + where, remedy);
  const double allowed = broken->budget.value_or(0);
  if (std::isnan(broken->upper)) {
    throw Error(
        ErrorCode::not_met,
        fmt::format("no percentage can be promised, but only {:.6g}% is allowed: the teacher's mean return, {:.4g}, "
                    "cannot be distinguished from 0{}",
                    allowed, certificate.teacher_return, where),
        "Give a limit in units of return (--max-loss-return), or use more episodes");
  }
  std::string others;  // that are not kept either
  for (const Promise& promise : certificate.promises) {
    if (&promise == &*broken || promise.kept()) continue;
    others += fmt::format("{}{}", others.empty() ? ". Not kept either: " : ", ", promise_words(promise));
  }
  if (is_share(broken->about)) {
    const double teacher = std::isnan(broken->teacher) ? 0 : broken->factor * broken->teacher;
    Promise whole = *broken;
    whole.upper = teacher + broken->alone;
    throw Error(ErrorCode::not_met,
                fmt::format("{}: may be up to {}, but only {:.6g}% is allowed; measured: {:.4g}%{}{}",
                            words(broken->about, false), promised(whole), 100 * (teacher + allowed),
                            100 * broken->embedding, others, where),
                remedy);
  }
  const char* const unit = broken->about == Quantity::episode_return ? "" : "%";
  throw Error(ErrorCode::not_met,
              fmt::format("the {} may be up to {}, and {:.6g}{} is allowed; measured: {:.4g}{}{}{}",
                          broken->about == Quantity::action ? "error of the action" : "loss", promised(*broken),
                          allowed, unit, broken->measured, unit, others, where),
              remedy);
}

const std::string to_write = ". To write it anyway, choose another --out";
const std::string more_or_larger = "Use more episodes if the measured loss is well below, a larger embedding if not";

std::string spared_words(const std::string& file) {
  return fmt::format(". '{}' keeps its promise and was not replaced", file);
}

// Where the best that was found is, if anywhere.
std::string place_of(const CompressResult& result) {
  const std::string& file = result.out.empty() ? result.chosen : result.out;
  return (result.spared.empty() ? "" : spared_words(result.spared)) +
         (file.empty() ? "" : fmt::format(". The best found is in '{}'", file));
}

std::string remedy_of(const CompressResult& result) {
  if (result.found.certificate->about == Quantity::action) {
    return "Log more episodes, allow more error or bytes, or raise --most-terms";
  }
  std::string first = "Allow more loss or bytes, raise --most-terms or --generations";
  if (result.found.cut_short)
    first = "The time ran out before the search was done: give more (--budget), or allow more loss";
  if (!result.found.on_return && result.found.winner().embedding.route() == Route::continuous) {
    first += ", polish on the return (--polish return), not on the action (--polish action) alone";
  }
  return first + ", or certify on more episodes";
}

}  // namespace

Keeps KeepRequest::keeps() const {
  Keeps out = keeps_of(keep);
  if (max_roughness) out.roughness = Limit{0, *max_roughness};
  if (max_failures) out.failures = Limit{0, *max_failures};
  if (max_distance) out.distance = max_distance;
  return out;
}

bool keeps_promise(const fs::path& path) {
  std::error_code none;
  if (!fs::is_regular_file(path, none)) return false;
  const NoWarnings quiet;
  try {
    const std::optional<Certificate> stored = read_embedding(path).certificate;
    return stored && stored->within_budget &&
           std::ranges::any_of(stored->promises, [](const Promise& promise) { return promise.budget.has_value(); });
  } catch (const Error&) {
    return false;  // nothing is lost with what cannot be read
  }
}

void require_budget(const Certificate& certificate) {
  if (certificate.within_budget) return;
  refuse(certificate, "", more_or_larger);
}

void require_budget(const EmbedResult& result) {
  if (!result.choice || result.choice->certificate.within_budget) return;
  refuse(result.choice->certificate, result.spared.empty() ? "" : spared_words(result.spared),
         result.spared.empty() ? more_or_larger : more_or_larger + to_write);
}

void require_budget(const CompressResult& result) {
  const std::optional<Certificate>& certificate = result.found.certificate;
  if (certificate && certificate->within_budget) return;
  const std::string where = place_of(result);
  const std::string other = result.spared.empty() ? "" : to_write;
  if (certificate) refuse(*certificate, where, remedy_of(result) + other);
  throw Error(ErrorCode::not_met,
              fmt::format("nothing is certified: the log has fewer than {} episodes; measured on states that chose the "
                          "embedding: {:.4g}%{}",
                          least_logged_episodes, result.found.winner().loss_percent, where),
              "Log more episodes. States that were drawn independently count as episodes of one state each" + other);
}

}  // namespace mercer
