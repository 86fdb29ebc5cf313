#include "pipeline/summary.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "measure/certificate_words.hpp"
#include "pipeline/documents.hpp"

namespace mercer {
namespace {

std::string size_of(const Candidate& winner) {
  const bool lattice = winner.embedding.is_lattice();
  return fmt::format("{} bytes of payload: {} {}{} of {}, {}", winner.payload_bytes(), winner.embedding.k(),
                     lattice ? "coefficient" : "term", winner.embedding.k() == 1 ? "" : "s", winner.embedding.basis(),
                     name(winner.format));
}

std::string loss_of(const Candidate& winner, const std::optional<Certificate>& certificate) {
  if (!certificate) return fmt::format("{:.4g}% measured, nothing certified", winner.loss_percent);
  const auto measured = [](double loss, const char* unit) {
    return fmt::format("measured: {} {:.4g}{}", loss < 0 ? "gains" : "loses", std::abs(loss), unit);
  };
  const std::string sure =
      fmt::format("{} with {} confidence", words(certificate->level), confidence_down(certificate->confidence));
  if (certificate->about == Quantity::action && certificate->upper_percent) {
    return fmt::format("at most {} of the action's range, {}; measured {:.4g}%",
                       percent_up(*certificate->upper_percent), sure, certificate->loss_percent);
  }
  if (certificate->upper_percent) {
    return fmt::format("{}, {}; {}", at_most(*certificate->upper_percent, " of the teacher's mean return", percent_up),
                       sure, measured(certificate->loss_percent, "%"));
  }
  if (!std::isfinite(certificate->upper_return))
    return fmt::format("no bound; {}", measured(certificate->loss_return, " in mean return"));
  return fmt::format("{}, {}; {}", at_most(certificate->upper_return, " in mean return", rounded_up), sure,
                     measured(certificate->loss_return, ""));
}

// "roughness at most 1.25 times the teacher's plus 0.5%"
std::string limit_words(const Promise& promise) {
  const std::string_view what = promise.about == Quantity::failures    ? "failures"
                                : promise.about == Quantity::roughness ? "roughness"
                                                                       : "distance of actions";
  const std::string plus = fmt::format("{:.4g}%", 100 * *promise.budget);
  if (promise.factor == 0) return fmt::format("{} at most {}", what, plus);
  if (promise.factor == 1) return fmt::format("{} at most the teacher's plus {}", what, plus);
  return fmt::format("{} at most {:.4g} times the teacher's plus {}", what, promise.factor, plus);
}

std::string promise_of(const std::optional<Certificate>& certificate) {
  if (!certificate) return "none: too few episodes to certify";
  std::vector<std::string> asked;
  if (certificate->budget_percent)
    asked.push_back(fmt::format("a loss of at most {:.6g}%", *certificate->budget_percent));
  if (certificate->budget_return)
    asked.push_back(fmt::format("of at most {:.6g} in return", *certificate->budget_return));
  for (const Promise& promise : certificate->promises) {
    if (promise.budget && is_share(promise.about)) asked.push_back(limit_words(promise));
  }
  return fmt::format("{}: {}; {} fresh episodes", certificate->within_budget ? "kept" : "NOT kept",
                     fmt::join(asked, "; "), certificate->episodes);
}

std::string behaviour_of_both(const Compressed& found) {
  if (!played(found)) return "not played: states of a log alone";
  const auto pair = [](const char* what, double embedding, double teacher) {
    return fmt::format("{} {:.3g}% (teacher {:.3g}%)", what, 100 * embedding, 100 * teacher);
  };
  std::vector<std::string> both;  // on the certificate's episodes, as its table has them
  for (const Promise& promise : found.certificate->promises) {
    if (promise.about == Quantity::roughness) both.push_back(pair("roughness", promise.embedding, promise.teacher));
    if (promise.about == Quantity::failures) both.push_back(pair("failures", promise.embedding, promise.teacher));
  }
  return both.empty() ? "nothing to compare in this task" : fmt::format("{}", fmt::join(both, ", "));
}

}  // namespace

std::vector<Fact> summary_of(const CompressResult& result) {
  const Compressed& found = result.found;
  const std::string file =
      !result.spared.empty() ? fmt::format("'{}' keeps its promise and was not replaced", result.spared)
      : result.out.empty()   ? "none was asked for"
                             : fmt::format("{}, {} bytes, after {:.1f} s", result.out, result.bytes, found.seconds);
  return {{"size", size_of(found.winner())},
          {"loss", loss_of(found.winner(), found.certificate)},
          {"promise", promise_of(found.certificate)},
          {"behaviour", behaviour_of_both(found)},
          {"file", file}};
}

}  // namespace mercer
