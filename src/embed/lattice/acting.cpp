#include <charconv>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "mercer/embedding.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

template <Named Choice>
Choice choice(const PolicySetting& setting) {
  if (const std::optional<Choice> found = find_name<Choice>(setting.value)) return *found;
  throw_unknown(fmt::format("'{}' in {}", setting.key, setting.source), setting.value, names<Choice>());
}

std::size_t count(const PolicySetting& setting) {
  std::size_t number = 0;
  const char* const end = setting.value.data() + setting.value.size();
  const auto read = std::from_chars(setting.value.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) {
    throw Error(ErrorCode::bad_value,
                fmt::format("{}: {}={} is not a whole number", setting.source, setting.key, setting.value),
                "Give a number such as 64");
  }
  return number;
}

}  // namespace

Acting parse_acting(std::span<const PolicySetting> settings) {
  static const std::vector<std::string> keys{"from", "draw", "proposals", "proposal"};
  Acting acting;
  for (const PolicySetting& setting : settings) {
    if (setting.key == "from") {
      acting.from = choice<RowsFrom>(setting);
    } else if (setting.key == "draw") {
      acting.draw = choice<DrawRule>(setting);
    } else if (setting.key == "proposals") {
      acting.proposals = count(setting);
    } else if (setting.key == "proposal") {
      acting.proposal = choice<Proposal>(setting);
    } else {
      throw_unknown("setting of an embedding", setting.key, keys);
    }
  }
  return acting;
}

}  // namespace mercer
