#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "io/safetensors.hpp"
#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "policy/files.hpp"
#include "support/errors.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

const Task mountain_car = make_env("continuous-mountain-car")->task();

Array floats(std::vector<double> values, std::vector<std::size_t> shape) { return Array::of(values, std::move(shape)); }

Contract squashed(const Task& task) {
  Contract contract = contract_of(task);
  contract.squash = Squash::tanh;
  return contract;
}

// One hidden layer of two units: small enough to follow by hand.
Safetensors small_actor() {
  const nlohmann::ordered_json manifest{{"format", 1}, {"kind", "sac"}, {"contract", to_json(squashed(mountain_car))}};
  return {{{"actor.0.weight", floats({1, 2, -3, 4}, {2, 2})},
           {"actor.0.bias", floats({0.5, -0.25}, {2})},
           {"actor.1.weight", floats({1, -1, 40, 0}, {2, 2})},
           {"actor.1.bias", floats({0.125, 0}, {2})},
           {"q1.0.weight", floats({1, 0, 1}, {1, 3})},
           {"q1.0.bias", floats({0}, {1})},
           {"q2.0.weight", floats({0, 0, -1}, {1, 3})},
           {"q2.0.bias", floats({0.5}, {1})}},
          {{"mercer", manifest.dump()}}};
}

class SnapshotPolicy : public testing::Test {
 protected:
  std::string write(const Safetensors& file) {
    write_safetensors(folder_ / "s.safetensors", file);
    return (folder_ / "s.safetensors").string();
  }
  void expect_refused(ErrorCode code, const std::string& part, const Safetensors& file) {
    expect_error(code, part, [&] { make_policy(write(file), mountain_car); });
  }

  TemporaryFolder folder_;
};

TEST_F(SnapshotPolicy, actor_is_what_its_layers_say) {
  const auto policy = make_policy(write(small_actor()), mountain_car);
  for (const double x : {-1.0, -0.3, 0.5}) {
    const std::vector<double> state{x, 0.02};
    const double h1 = std::max(0.0, x + 2 * 0.02 + 0.5), h2 = std::max(0.0, -3 * x + 4 * 0.02 - 0.25);
    const double mean = h1 - h2 + 0.125, log_std = std::clamp(40 * h1, -20.0, 2.0);  // the range of SAC
    double action = 0, density = 0;
    policy->mean_action({state.data(), 2, 1}, {&action, 1, 1});
    EXPECT_NEAR(action, std::tanh(mean), 1e-6);
    const double probe = 0.3;
    policy->log_prob({state.data(), 2, 1}, {&probe, 1, 1}, {&density, 1});
    const double deviation = (std::atanh(probe) - mean) * std::exp(-log_std);
    EXPECT_NEAR(density,
                -0.5 * deviation * deviation - log_std - 0.5 * std::log(2 * M_PI) - std::log(1 - probe * probe), 1e-4);
  }
}

TEST_F(SnapshotPolicy, sees_observations_as_its_contract_says) {
  Safetensors file = small_actor();
  Contract contract = squashed(mountain_car);
  contract.normalisation = {{-0.3, 0}, {0.81, 0.0049}, 0, 10};
  auto manifest = nlohmann::ordered_json::parse(file.metadata["mercer"]);
  manifest["contract"] = to_json(contract);
  const auto plain = make_policy(write(file), mountain_car);
  const std::vector<double> scaled{(0.1 + 0.3) / 0.9, 0.02 / 0.07}, state{0.1, 0.02};
  double expected = 0, action = 0;
  plain->mean_action({scaled.data(), 2, 1}, {&expected, 1, 1});
  file.metadata["mercer"] = manifest.dump();
  make_policy(write(file), mountain_car)->mean_action({state.data(), 2, 1}, {&action, 1, 1});
  EXPECT_NEAR(action, expected, 1e-6);
  EXPECT_NE(action, 0);
}

// min(q1, q2) = min(x + a, 0.5 - a): largest where they meet.
TEST_F(SnapshotPolicy, critics_make_a_greedy_policy) {
  const auto policy = make_policy(write(small_actor()) + ":kind=greedy", mountain_car);
  const std::vector<double> state{-0.4, 0};
  double action = 0;
  policy->mean_action({state.data(), 2, 1}, {&action, 1, 1});
  EXPECT_NEAR(action, 0.45, 1e-3);
}

TEST_F(SnapshotPolicy, is_only_for_its_own_task) {
  const std::string file = write(small_actor());
  expect_error(ErrorCode::shape_mismatch, "was made for 'continuous-mountain-car'",
               [&] { make_policy(file, make_env("pendulum")->task()); });
}

TEST_F(SnapshotPolicy, refuses_damage) {
  Safetensors file = small_actor();
  file.tensors.erase("actor.1.bias");
  expect_refused(ErrorCode::bad_format, "'actor.1.bias' is missing", file);
  file = small_actor();
  file.tensors["actor.1.weight"] = floats({1, 2, 3, 4, 5, 6}, {2, 3});
  expect_refused(ErrorCode::bad_format, "weights for 3 inputs and gets 2", file);
  file = small_actor();
  file.tensors["actor.0.bias"] = floats({0, std::nan("")}, {2});
  expect_refused(ErrorCode::not_finite, "'actor.0.bias' holds nan", file);
  file = small_actor();
  file.metadata.clear();
  expect_refused(ErrorCode::bad_format, "no manifest", file);
  file.metadata["mercer"] = "{";
  expect_refused(ErrorCode::bad_format, "cannot be read", file);
  file = small_actor();
  auto manifest = nlohmann::json::parse(file.metadata["mercer"]);
  manifest["format"] = 2;
  file.metadata["mercer"] = manifest.dump();
  expect_refused(ErrorCode::bad_format, "format 2; this version reads 1", file);
  manifest["format"] = 1;
  manifest["contract"].erase("scale");
  file.metadata["mercer"] = manifest.dump();
  expect_refused(ErrorCode::bad_format, "contract cannot be read", file);
}

// Found by fuzz_safetensors: it was an error without a code, and limits the wrong way round were taken.
TEST_F(SnapshotPolicy, limits_of_the_spread_are_two_numbers_in_order) {
  for (const char* const range : {"3", "[]", "[-20]", "[-20, 2, 3]", "[-20, \"2\"]", "[null, 2]", "{}", "[2, -20]"}) {
    Safetensors file = small_actor();
    auto manifest = nlohmann::json::parse(file.metadata["mercer"]);
    manifest["log_std_range"] = nlohmann::json::parse(range);
    file.metadata["mercer"] = manifest.dump();
    expect_refused(ErrorCode::bad_format, "its log_std_range is", file);
  }
}

}  // namespace
}  // namespace mercer
