#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// The settings of a task, as in "chain:n=20,alpha=0.7". A factory reads each with its default and legal range; what it
/// did not read is unknown, and `check_all_read` says so.
class Params {
 public:
  /// Text after the colon. A part with no '=' is the setting `file`: "tabular:mdp.json".
  Params(std::string owner, std::string_view text, std::uint64_t seed);

  double number(const std::string& key, double standard, double low, double high);
  std::size_t integer(const std::string& key, std::size_t standard, std::size_t low, std::size_t high);
  /// Numbers separated by ';'.
  std::vector<double> numbers(const std::string& key, std::vector<double> standard, double low, double high);
  std::string text(const std::string& key, const std::string& standard);

  /// The run's seed, for tasks that are themselves drawn at random.
  std::uint64_t seed() const { return seed_; }
  bool has(const std::string& key) const { return given_.contains(key); }
  void check_all_read() const;

 private:
  const std::string* find(const std::string& key);

  std::string owner_;
  std::uint64_t seed_;
  std::map<std::string, std::string> given_;
  std::set<std::string> read_;
};

}  // namespace mercer
