#include <cmath>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "policy/files.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

// Everything that can be set, with numbers that decimal text does not hold exactly and bounds that are infinite.
Contract full_contract() {
  Contract contract = contract_of(make_env("pendulum")->task());
  contract.observation.axes[1].range = {-HUGE_VAL, HUGE_VAL};
  contract.observation.axes[2].periodic = true;
  contract.normalisation = {{0.1, 1.0 / 3, -7e-300}, {1, 2, 1e-17}, 1e-8, 5};
  contract.squash = Squash::tanh;
  contract.scale = {2.0 / 3};
  contract.clip = {{-1.5, HUGE_VAL}};
  return contract;
}

TEST(Contract, survives_json) {
  const Contract before = full_contract();
  const Contract after = contract_from_json(nlohmann::json::parse(to_json(before).dump()), "file");
  EXPECT_EQ(to_json(after).dump(), to_json(before).dump());
  EXPECT_EQ(after.observation.axes[1].range.low, -HUGE_VAL);
  EXPECT_EQ(after.clip[0].high, HUGE_VAL);
  EXPECT_EQ(after.normalisation.mean, before.normalisation.mean);
  EXPECT_EQ(after.scale, before.scale);
}

TEST(Contract, normalises_as_vec_normalize_does) {
  const Normalisation normal{{1, -2}, {4, 0.25}, 1e-8, 3};
  EXPECT_DOUBLE_EQ(normal.apply(0, 2), 1 / std::sqrt(4 + 1e-8));
  EXPECT_EQ(normal.apply(1, 100), 3);
  EXPECT_EQ(normal.apply(1, -100), -3);
}

TEST(Contract, refuses_numbers_that_make_no_sense) {
  const auto refused = [](ErrorCode code, const std::string& part, auto change) {
    Contract contract = full_contract();
    change(contract);
    expect_error(code, part, [&] { check_contract(contract, "p"); });
  };
  refused(ErrorCode::shape_mismatch, "observation mean", [](Contract& c) { c.normalisation.mean.pop_back(); });
  refused(ErrorCode::shape_mismatch, "observation variance", [](Contract& c) { c.normalisation.variance = {1}; });
  refused(ErrorCode::not_finite, "an observation mean is nan", [](Contract& c) { c.normalisation.mean[0] = NAN; });
  refused(ErrorCode::out_of_range, "variance", [](Contract& c) { c.normalisation.variance[0] = -1; });
  refused(ErrorCode::out_of_range, "clip", [](Contract& c) { c.normalisation.clip = 0; });
  refused(ErrorCode::shape_mismatch, "action scale", [](Contract& c) { c.scale = {1, 2}; });
  refused(ErrorCode::out_of_range, "action scale", [](Contract& c) { c.scale = {0}; });
  refused(ErrorCode::not_finite, "action centre", [](Contract& c) { c.centre = {HUGE_VAL}; });
  refused(ErrorCode::out_of_range, "clipped to 1 .. -1", [](Contract& c) { c.clip = {{1, -1}}; });
}

// A conversion of such a number to an integer is undefined, so that it must be refused before.
TEST(Contract, counts_are_integers_of_0_or_more) {
  for (const char* text : {"-1e308", "-1", "2.5", "1e300", "true", "null", "[3]"}) {
    nlohmann::json document = nlohmann::json::parse(to_json(full_contract()).dump());
    document["action"]["count"] = nlohmann::json::parse(text);
    expect_error(ErrorCode::bad_format, "an integer of 0 or more", [&] { contract_from_json(document, "file"); });
  }
}

}  // namespace
}  // namespace mercer
