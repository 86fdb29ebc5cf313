#include <cmath>

#include <gtest/gtest.h>

#include "mercer/embed.hpp"
#include "mercer/embedding.hpp"
#include "mercer/env.hpp"
#include "mercer/file.hpp"
#include "mercer/policy.hpp"
#include "mercer/statistics.hpp"
#include "support/errors.hpp"
#include "support/reference_pairs.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

// A real actor of the continuous mountain car.
class ContinuousEmbeddings : public testing::Test {
 protected:
  static ContinuousOptions options(Act act = Act::mean) {
    ContinuousOptions chosen;
    chosen.act = act;
    chosen.k = 5;
    chosen.episodes = 20;
    chosen.states = 800;
    chosen.rounds = 2;
    chosen.dictionary.candidates = 60;
    return chosen;
  }
  std::vector<double> actions(const Policy& policy, Act act) const {
    return rollout(*env_, policy, {.episodes = 5, .seed = 9, .act = act}).actions;
  }

  std::unique_ptr<Env> env_ = make_env("continuous-mountain-car");
  std::unique_ptr<Policy> teacher_ =
      make_policy(ReferencePairs::file("cmc_sde_10000_actor.onnx").string(), env_->task());
};

TEST_F(ContinuousEmbeddings, of_every_basis_play_the_same_from_their_bytes) {
  for (const std::string basis : {"legendre", "chebyshev", "cosine", "hermite", "fourier", "mixed", "ridge",
                                  "kernel:gaussian", "kernel:matern52", "rff"}) {
    ContinuousOptions chosen = options();
    chosen.dictionary.basis = basis;
    const ContinuousEmbedding made = make_continuous(*env_, *teacher_, chosen).front().embedding;
    EXPECT_LE(made.k(), 5U);
    // The task's contract and the bytes are enough.
    const auto again = ContinuousEmbedding::decode(made.payload(), contract_of(env_->task()), "bytes");
    EXPECT_EQ(actions(made.policy(), Act::mean), actions(again.policy(), Act::mean)) << basis;
    EXPECT_EQ(actions(made.policy(), Act::sample), actions(again.policy(), Act::mean)) << "nothing is drawn";
    EXPECT_TRUE(formulas(made).back().starts_with("force = tanh(")) << formulas(made).back();
    double density = 0;
    const std::vector<double> state{0, 0}, action{0};
    expect_error(ErrorCode::missing_option, "density", [&] {
      made.policy().log_prob({state.data(), 2, 1}, {action.data(), 1, 1}, {&density, 1});
    });
  }
}

TEST_F(ContinuousEmbeddings, keep_their_file) {
  const ContinuousEmbedding made = make_continuous(*env_, *teacher_, options(Act::sample)).front().embedding;
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "p.mercer";
  write_embedding(path, made, {"continuous-mountain-car", "teacher", 3, {{"k", "5"}}});
  const EmbeddingFile file = read_embedding(path);
  EXPECT_FALSE(file.embedding.is_lattice());
  EXPECT_EQ(file.embedding.route(), Route::continuous);
  EXPECT_EQ(file.embedding.payload(), made.payload());
  EXPECT_EQ(file.embedding.k(), made.k());
  EXPECT_EQ(file.embedding.parameters(), made.parameters());
  const auto played = make_policy(path.string(), env_->task());
  EXPECT_EQ(actions(*played, Act::sample), actions(made.policy(), Act::sample));
}

TEST_F(ContinuousEmbeddings, come_close_to_the_distribution) {
  ContinuousOptions chosen = options(Act::sample);
  double before = 1;
  const StateMatrix states = pick_states(rollout(*env_, *teacher_, {.episodes = 20, .seed = 77}), 3000);
  for (const std::size_t k : {3U, 20U}) {
    chosen.k = k;
    const ContinuousEmbedding made = make_continuous(*env_, *teacher_, chosen).front().embedding;
    EXPECT_EQ(made.code().head, Head::gaussian);
    const double tv = mean_total_variation(*teacher_, made.policy(), states.view(), 4);
    EXPECT_LT(tv, 0.8 * before);
    before = tv;
  }
  EXPECT_LT(before, 0.13);
}

TEST_F(ContinuousEmbeddings, of_discrete_actions_play_the_best_or_draw) {
  const auto env = make_env("mountain-car");
  const auto path = ReferencePairs::file("mc_dqn_120000_q.onnx");
  const auto greedy = make_policy(path.string(), env->task());
  ContinuousOptions chosen = options();
  chosen.k = 12;
  chosen.states = 3000;
  const auto made = make_continuous(*env, *greedy, chosen).front();
  EXPECT_EQ(made.embedding.code().outputs, 3U);
  EXPECT_LT(made.loss, 30) << "the car must come up: it loses 95 otherwise";
  const auto soft = make_policy(path.string() + ":temperature=5", env->task());
  chosen.act = Act::sample;
  const ContinuousEmbedding drawn = make_continuous(*env, *soft, chosen).front().embedding;
  const StateMatrix states = pick_states(rollout(*env, *soft, {.episodes = 5, .seed = 7}), 2000);
  EXPECT_LT(mean_total_variation(*soft, drawn.policy(), states.view(), 4), 0.1);
}

TEST_F(ContinuousEmbeddings, of_tasks_without_bounds_store_their_ranges) {
  const auto env = make_env("cart-pole");
  const auto uniform = make_policy("uniform", env->task());
  const ContinuousEmbedding made = make_continuous(*env, *uniform, options()).front().embedding;
  EXPECT_EQ(made.code().ranges, StoredRanges::half);
  const auto again = ContinuousEmbedding::decode(made.payload(), contract_of(env->task()), "bytes");
  const Rollouts first = rollout(*env, made.policy(), {.episodes = 5}),
                 second = rollout(*env, again.policy(), {.episodes = 5});
  EXPECT_EQ(first.actions, second.actions);
}

TEST_F(ContinuousEmbeddings, say_what_is_wrong_with_the_options) {
  for (const char* text : {"legend", "kernel", "kernel:matern", "rff:", "ridge:gaussian", "fourier:gaussian"}) {
    expect_error(ErrorCode::unknown_name, text, [&] { DictionaryBasis{text}; });
  }
  ContinuousOptions chosen = options();
  chosen.k = 0;
  expect_error(ErrorCode::out_of_range, "k", [&] { make_continuous(*env_, *teacher_, chosen); });
  chosen = options();
  chosen.dictionary.degree = 17;
  expect_error(ErrorCode::out_of_range, "degree", [&] { make_continuous(*env_, *teacher_, chosen); });
}

TEST(DictionaryBases, are_parsed_from_every_text_that_is_listed) {
  for (const std::string& text : known_continuous_bases()) EXPECT_NO_THROW(DictionaryBasis{text}) << text;
  EXPECT_EQ(DictionaryBasis("fourier").family, Family::cosine);
  EXPECT_EQ(DictionaryBasis("rff").kernel, Kernel::matern52);
  const DictionaryBasis kernel = "kernel:gaussian";
  EXPECT_TRUE(kernel.kind == DictionaryKind::kernel && kernel.kernel == Kernel::gaussian);
}

// What a search does: other coefficients for the same terms, without encoding.
TEST_F(ContinuousEmbeddings, lend_their_terms_to_other_coefficients) {
  const ContinuousEmbedding made = make_continuous(*env_, *teacher_, options()).front().embedding;
  const ContinuousCode& code = made.code();
  const auto same = continuous_policy("same", contract_of(env_->task()), code.head, code.squash,
                                      made.function().with(code.coefficients));
  EXPECT_EQ(actions(*same, Act::mean), actions(made.policy(), Act::mean));
  std::vector<double> other = code.coefficients;
  for (double& value : other) value *= -1;
  const auto opposite =
      continuous_policy("opposite", contract_of(env_->task()), code.head, code.squash, made.function().with(other));
  EXPECT_EQ(actions(*opposite, Act::mean)[0], -actions(made.policy(), Act::mean)[0]);
}

}  // namespace
}  // namespace mercer
