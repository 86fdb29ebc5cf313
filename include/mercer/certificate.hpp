#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace mercer {

/// One bound on what an embedding may lose. Numbers are in units of return; what is unknown is NaN.
struct CertificateRow {
  std::string term;                                         ///< what is bounded and how, such as "paired" or "coupling"
  std::string level;                                        ///< paper, rigorous, exact or statistical
  double value = std::numeric_limits<double>::quiet_NaN();  ///< the bound
  double measured = std::numeric_limits<double>::quiet_NaN();  ///< what was measured of the same thing
  double slack = std::numeric_limits<double>::quiet_NaN();     ///< value - measured
  bool vacuous = false;                                        ///< says no more than was known without looking
  std::vector<std::string> assumptions;                        ///< under which it holds
  std::string about = "return";  ///< what is bounded, where that is not the return that is certified
  bool winner = false;           ///< the least of the rigorous bounds on the same return
};

/// What an embedding may lose against its teacher, and on what grounds. Plain data, stored in the embedding's file.
struct Certificate {
  std::vector<CertificateRow> rows;
  double teacher_return = std::numeric_limits<double>::quiet_NaN();  ///< mean over the episodes
  double loss_return = std::numeric_limits<double>::quiet_NaN();     ///< measured, in units of return
  double loss_percent = std::numeric_limits<double>::quiet_NaN();    ///< measured, of |teacher's mean return|
  double upper_return = std::numeric_limits<double>::quiet_NaN();    ///< at most this, at the confidence
  std::optional<double> upper_percent;                               ///< at most this, at the confidence
  double confidence = 0.95;
  std::string level = "statistical";  ///< of the upper bounds
  std::string method;                 ///< of the statistical level
  double gamma = 1;                   ///< discount of the returns; 1: none
  std::string about = "return";       ///< what may be lost: "return", or "action" (errors as a share of its range)
  std::string act = "sample";         ///< how both were played: sample or mean
  std::string env;
  std::string teacher;
  std::uint64_t episodes = 0;
  std::uint64_t seed = 0;
  std::uint64_t attempt = 0;               ///< j-th candidate of a search; 0: the only one
  std::optional<double> budget_percent;    ///< what was allowed, if anything
  std::optional<double> budget_return;     ///< the same in units of return
  bool met = true;                         ///< all budgets that were given are kept
  std::vector<std::string> not_covered{};  ///< sentences: what this certificate says nothing about
};

/// The slack and, given the width of the range of returns, whether the row is vacuous.
CertificateRow certificate_row(std::string term, std::string level, double value, double measured, double range_width,
                               std::vector<std::string> assumptions);

/// Marks the least of the rigorous rows on the same return, for each return that has any.
void mark_winners(std::vector<CertificateRow>& rows);

/// Decides `met` from the budgets and the upper bounds.
void judge(Certificate& certificate);

/// A page for people: the promise in a sentence, a table of the rows, assumptions, what is not covered.
std::string certificate_page(const Certificate& certificate);

/// One JSON object: rows, loss_percent, upper_percent, met and everything else; NaN is null.
std::string certificate_json(const Certificate& certificate);
/// Reads it back. Throws `bad_format` naming `owner` and what is missing or of the wrong type.
Certificate certificate_from_json(const std::string& text, const std::string& owner);

}  // namespace mercer
