// The payload and the task's contract are all that a policy needs: another process, which has nothing else, plays the
// same actions to the last bit.

#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "mercer/embed.hpp"
#include "mercer/embedding.hpp"
#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "policy/files.hpp"
#include "support/files.hpp"
#include "support/probe_states.hpp"
#include "support/reference_pairs.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

constexpr std::size_t count = 1000;

std::string replayed(const Embedding& embedding, const Contract& contract) {
  const TemporaryFolder folder;
  const std::vector<std::uint8_t>& payload = embedding.payload();
  write_bytes(folder / "payload", {reinterpret_cast<const char*>(payload.data()), payload.size()});
  write_bytes(folder / "contract.json", to_json(contract).dump());
  const std::string command =
      fmt::format("'{}' '{}' {} {}", MERCER_REPLAY, folder.path().string(), name(embedding.route()), count);
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::string text;
  char part[4096];
  for (std::size_t got = 0; pipe != nullptr && (got = std::fread(part, 1, sizeof part, pipe)) > 0;)
    text.append(part, got);
  EXPECT_EQ(pipe == nullptr ? -1 : ::pclose(pipe), 0);
  return text;
}

void expect_the_same(const Embedding& embedding, const Task& task) {
  const std::string here = actions_in_hex(embedding.policy(), count);
  EXPECT_EQ(std::ranges::count(here, '\n'), static_cast<std::ptrdiff_t>(count));
  EXPECT_EQ(replayed(embedding, contract_of(task)), here) << embedding.basis();
}

class FreshProcess : public testing::Test {
 protected:
  std::unique_ptr<Env> env_ = make_env("continuous-mountain-car");
  std::unique_ptr<Policy> teacher_ =
      make_policy(ReferencePairs::file("cmc_sde_10000_actor.onnx").string(), env_->task());
};

TEST_F(FreshProcess, plays_a_continuous_payload_to_the_bit) {
  for (const Act act : {Act::mean, Act::sample}) {
    for (const std::string basis : {"chebyshev", "mixed", "rff"}) {
      ContinuousOptions options;
      options.dictionary.basis = basis;
      options.dictionary.knots = basis == "rff" ? 3 : 0;
      options.act = act;
      options.episodes = 10;
      options.states = 500;
      options.rounds = 1;
      expect_the_same(make_continuous(*env_, *teacher_, options).front().embedding, env_->task());
    }
  }
}

TEST_F(FreshProcess, plays_a_lattice_payload_to_the_bit) {
  LatticeOptions options = best_lattice();
  options.state_bins = {12};
  options.action_bins = {8};
  const Lattice lattice = make_lattice(*teacher_, rollout(*env_, *teacher_, {.episodes = 20, .seed = 1}), options);
  for (const std::string basis : {"dct", "db4", "svd"}) {
    expect_the_same(LatticeEmbedding::make(*teacher_, lattice, options.playing, {.basis = basis, .k = 4}),
                    env_->task());
  }
}

}  // namespace
}  // namespace mercer
