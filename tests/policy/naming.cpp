#include "policy/naming.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

const std::string named_actor = std::string(MERCER_TEST_DATA) + "/policies/pendulum_5000_actor.onnx";

Naming naming_of(const std::vector<std::pair<std::string, std::string>>& settings) {
  Naming naming;
  for (const auto& [key, value] : settings) EXPECT_TRUE(set_naming_option(naming, {key, value, "a test"})) << key;
  return naming;
}

Contract plain_contract() {
  Contract contract;
  contract.observation = Space::box({{"obs0", {-1, 1}}, {"obs1", {-8, 8}, "rad/s"}});
  contract.action = Space::box({{"action0", {-2, 2}}});
  contract.centre = {0};
  contract.scale = {1};
  return contract;
}

TEST(Naming, names_units_and_period_become_the_contract) {
  Contract contract = plain_contract();
  apply_naming(naming_of({{"names", "theta,omega"},
                          {"units", "rad;"},
                          {"action-names", "torque"},
                          {"action-units", "N m"},
                          {"period", "0.02"}}),
               contract, "p");
  EXPECT_EQ(contract.observation.axes[0].name, "theta");
  EXPECT_EQ(contract.observation.axes[0].unit, "rad");
  EXPECT_EQ(contract.observation.axes[1].name, "omega");
  EXPECT_EQ(contract.observation.axes[1].unit, "rad/s") << "an empty unit keeps the known one";
  EXPECT_EQ(contract.action.axes[0].name, "torque");
  EXPECT_EQ(contract.action.axes[0].unit, "N m");
  EXPECT_EQ(contract.dt, 0.02);
  EXPECT_EQ(contract.observation.axes[1].range.high, 8);
}

TEST(Naming, earlier_values_refer_to_what_has_a_name) {
  EXPECT_FALSE(earlier_value("theta"));
  EXPECT_FALSE(earlier_value("theta[t-0]"));
  EXPECT_FALSE(earlier_value("theta[t-1000]"));
  EXPECT_FALSE(earlier_value("theta[t-1x]"));
  ASSERT_TRUE(earlier_value("theta[t-12]"));
  EXPECT_EQ(earlier_value("theta[t-12]")->name, "theta");
  EXPECT_EQ(earlier_value("theta[t-12]")->steps, 12U);
  Contract contract = plain_contract();
  apply_naming(naming_of({{"names", "theta,theta[t-1]"}}), contract, "p");
  EXPECT_EQ(contract.observation.axes[1].name, "theta[t-1]");
  apply_naming(naming_of({{"names", "theta,torque[t-1]"}, {"action-names", "torque"}}), contract, "p");
  expect_error(ErrorCode::bad_value, "'push[t-1]' is an earlier value of 'push'", [&] {
    apply_naming(naming_of({{"names", "theta,push[t-1]"}}), contract, "p");
  });
}

TEST(Naming, bad_settings_say_what_is_legal) {
  const std::vector<std::string> names{"", "2theta", "a,b,a", "theta*/", "theta[0]", "\xCE\xB8", std::string(41, 'x')};
  for (const std::string& name : names) {
    expect_error(ErrorCode::bad_value, name == "a,b,a" ? "'a' twice" : "not a legal name", [&] {
      naming_of({{"names", name}});
    });
  }
  for (const std::string& unit : std::vector<std::string>{"rad\n", "a;\"", std::string(21, 'x')}) {
    expect_error(ErrorCode::bad_value, "not a legal unit", [&] { naming_of({{"units", unit}}); });
  }
  for (const std::string period : {"0", "-1", "10001", "nan", "fast", "0.02s"}) {
    expect_error(ErrorCode::out_of_range, "period = '" + period + "'; legal: above 0, at most 10000", [&] {
      naming_of({{"period", period}});
    });
  }
  Contract contract = plain_contract();
  expect_error(ErrorCode::shape_mismatch, "3 names for 2 observations", [&] {
    apply_naming(naming_of({{"names", "a,b,c"}}), contract, "p");
  });
  expect_error(ErrorCode::shape_mismatch, "2 action-units for 1 actions", [&] {
    apply_naming(naming_of({{"action-units", "N,N"}}), contract, "p");
  });
  expect_error(ErrorCode::bad_value, "gives 'obs1' the unit 'deg/s', and it is in 'rad/s'", [&] {
    apply_naming(naming_of({{"units", ",deg/s"}}), contract, "p");
  });
  contract.dt = 0.05;
  expect_error(ErrorCode::bad_value, "period is 0.02 s, and there is one action every 0.05 s", [&] {
    apply_naming(naming_of({{"period", "0.02"}}), contract, "p");
  });
}

TEST(Naming, settings_of_a_network_name_its_contract) {
  const Task task = make_env("pendulum")->task();
  const auto policy = make_policy(named_actor, task, {{"names", "x,y,omega", "a test"}, {"units", "m,m,", "a test"}});
  EXPECT_EQ(policy->contract().observation.axes[1].name, "y");
  EXPECT_EQ(policy->contract().observation.axes[1].unit, "m");
  EXPECT_EQ(policy->contract().observation.axes[2].unit, task.observation.axes[2].unit);
  EXPECT_EQ(policy->contract().dt, task.dt);
  const TemporaryFolder folder;
  write_bytes(folder / "a.onnx", read_bytes(named_actor));
  write_bytes(folder / "a.toml", "names = [\"x\", \"y\", \"omega\"]\n");
  EXPECT_EQ(make_policy((folder / "a.onnx").string(), task)->contract().observation.axes[2].name, "omega");
}

}  // namespace
}  // namespace mercer
