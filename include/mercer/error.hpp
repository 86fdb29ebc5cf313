#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mercer {

/// Every kind of error a user can meet. The number is what is printed (`E201`); docs/errors.md explains each one.
/// The hundreds are the exit code of the command line: 2 bad usage or input, 3 file trouble, 5 a certificate not met.
enum class ErrorCode {
  unknown_name = 201,      ///< a task, policy, verb, flag, key or choice that does not exist
  out_of_range = 202,      ///< a number outside its legal range
  bad_value = 203,         ///< text that is not what the option takes
  missing_option = 204,    ///< something needed was not given
  not_finite = 205,        ///< NaN or infinity where a number is needed
  shape_mismatch = 206,    ///< sizes that do not fit together
  bad_distribution = 207,  ///< probabilities that are negative or do not sum to one
  too_large = 208,         ///< more memory than can be had
  cannot_open = 301,       ///< a file that is missing or may not be read
  cannot_write = 302,      ///< a file that could not be written
  corrupt_file = 303,      ///< a file that is cut short or damaged
  bad_format = 304,        ///< a file that is whole but does not hold what is needed
  bad_plugin = 305,        ///< a plug-in that could not be loaded
  not_met = 501,           ///< a certificate that promises less than was asked for
  interrupted = 130,       ///< the user asked to stop
};

/// One row of the table of codes: what `docs/errors.md` must explain.
struct ErrorKind {
  ErrorCode code;
  std::string_view title;
};
std::span<const ErrorKind> error_kinds();

/// What Mercer throws. `problem` says what was wrong, the value and the legal range; `remedy` what to do about it.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, std::string problem, std::string remedy);

  ErrorCode code() const { return code_; }
  const std::string& problem() const { return problem_; }
  const std::string& remedy() const { return remedy_; }
  /// 2 bad usage or input, 3 file trouble, 5 a certificate not met, 130 interrupted.
  int exit_code() const;

 private:
  ErrorCode code_;
  std::string problem_;
  std::string remedy_;
};

/// Throws `out_of_range` unless low <= value <= high (NaN is never in range).
void require_in_range(std::string_view name, double value, double low, double high, std::string_view remedy);

/// Number of single-character insertions, deletions, replacements and swaps of neighbours between two words.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known name closest to `name`, or an empty string when nothing is close enough to be a likely slip.
std::string nearest_name(std::string_view name, std::span<const std::string> known);

/// Throws `unknown_name`: "no task is called 'pendulun'" with the nearest known name, or all of them when none is near
/// or `suggest` is false.
[[noreturn]] void throw_unknown(std::string_view kind, std::string_view name, std::span<const std::string> known,
                                bool suggest = true);

}  // namespace mercer
