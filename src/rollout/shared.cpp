#include "rollout/shared.hpp"

#include <cstdint>
#include <cstring>

#include "mercer/core/error.hpp"

namespace mercer {
namespace {

// Every array that belongs to episodes, in one order for both directions.
template <class R, class Each>
void for_each_array(R& rollouts, const Each& each) {
  each(rollouts.offsets);
  each(rollouts.states);
  each(rollouts.observations);
  each(rollouts.actions);
  each(rollouts.rewards);
  each(rollouts.start_states);
  each(rollouts.final_observations);
  each(rollouts.returns);
  each(rollouts.discounted_returns);
  each(rollouts.terminated);
}

}  // namespace

std::string pack_episodes(const Rollouts& rollouts) {
  std::string bytes;
  for_each_array(rollouts, [&](const auto& array) {
    const std::uint64_t count = array.size();
    bytes.append(reinterpret_cast<const char*>(&count), sizeof count);
    bytes.append(reinterpret_cast<const char*>(array.data()), count * sizeof array[0]);
  });
  return bytes;
}

Rollouts unpack_episodes(const std::string& bytes) {
  Rollouts rollouts;
  std::size_t at = 0;
  const auto take = [&](void* to, std::size_t count) {
    if (count > bytes.size() - at) {
      throw Error(ErrorCode::corrupt_file, "episodes of another process are cut short", "Start all processes again");
    }
    if (count > 0) std::memcpy(to, bytes.data() + at, count);
    at += count;
  };
  for_each_array(rollouts, [&](auto& array) {
    std::uint64_t count = 0;
    take(&count, sizeof count);
    if (count > (bytes.size() - at) / sizeof array[0]) {
      throw Error(ErrorCode::corrupt_file, "episodes of another process are cut short", "Start all processes again");
    }
    array.resize(count);
    take(array.data(), count * sizeof array[0]);
  });
  return rollouts;
}

}  // namespace mercer
