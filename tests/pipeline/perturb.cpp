#include "mercer/perturb.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "mercer/pipeline.hpp"
#include "mercer/policy.hpp"
#include "pipeline/teacher.hpp"
#include "support/errors.hpp"
#include "support/function_policy.hpp"
#include "support/stranger.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

const std::string perturb_data = std::string(MERCER_TEST_DATA) + "/policies/";

// Balances the pole for a while, moving a little.
std::shared_ptr<const Policy> balancing(double gain) {
  const auto choose = [gain](std::span<const double> seen, double) {
    return seen[2] + gain * seen[3] + 0.05 * seen[0] + 0.1 * seen[1] > 0 ? 1.0 : 0.0;
  };
  return std::make_shared<FunctionPolicy>("balancing", make_env("cart-pole")->task(), choose);
}

CertifyRequest in_car_box() {
  CertifyRequest request;
  request.task.env = "continuous-mountain-car";
  request.teacher.policy = perturb_data + "cmc_sde_10000_actor.onnx";
  request.file = perturb_data + "cmc_sde_10000_action.onnx";
  request.episodes = 60;
  request.levels = {Level::statistical};
  request.perturb = "force=0.0014..0.0016; delay=0..1";
  request.grid = 2;
  return request;
}

TEST(PerturbPipeline, certify_promises_over_the_box_and_at_each_point) {
  const CertifyRequest request = in_car_box();
  const CertifyResult result = certify(request);
  EXPECT_EQ(result.certificate.env, "continuous-mountain-car:force=0.0014..0.0016,delay=0..1");
  ASSERT_TRUE(result.certificate.grid);
  const PerturbedGrid& grid = *result.certificate.grid;
  EXPECT_EQ(grid.names, (std::vector<std::string>{"force", "delay"}));
  ASSERT_EQ(grid.points.size(), 5);  // four corners and the nominal task
  EXPECT_EQ(grid.points[0].values, (std::vector<double>{0.0015, 0}));
  EXPECT_EQ(grid.episodes, 60);

  // The mean over the box is that of the task that draws.
  CertifyRequest drawn = request;
  drawn.task.env = result.certificate.env;
  drawn.perturb.clear();
  const CertifyResult same = certify(drawn);
  EXPECT_EQ(same.certificate.upper_return, result.certificate.upper_return);
  EXPECT_EQ(same.certificate.loss_return, result.certificate.loss_return);
  EXPECT_FALSE(same.certificate.grid);

  // A point is a task of its own, played by both from one seed.
  const auto env = make_env("continuous-mountain-car:force=0.0016,delay=1");
  const auto teacher = make_policy(request.teacher.policy, env->task());
  RolloutOptions playing;
  playing.episodes = 60;
  playing.keep_steps = false;
  playing.seed = Random({request.seed, Stage::search, 6, 0xFFFFFFFF}).bits();
  playing.gamma = 1;
  EXPECT_EQ(grid.points.back().values, (std::vector<double>{0.0016, 1}));
  EXPECT_DOUBLE_EQ(grid.points.back().teacher_return, summarise(rollout(*env, *teacher, playing).returns).mean);
}

TEST(PerturbPipeline, a_search_over_a_box_stores_the_box_as_its_task) {
  const TemporaryFolder folder;
  CompressRequest request;
  request.task.env = "continuous-mountain-car";
  request.teacher.policy = perturb_data + "cmc_sde_10000_actor.onnx";
  request.route = CompressRequest::Routes::continuous;
  request.bases = {"chebyshev"};
  request.options.judge.max_loss = 0.5;
  request.options.judge.select_episodes = 50;
  request.options.judge.certify_episodes = 100;
  request.options.most_terms = 1;
  request.options.search.generations = 1;
  request.options.search.episodes = 16;
  request.perturb = "force=0.0014..0.0016";
  request.grid = 2;
  request.out = (folder.path() / "p.mercer").string();
  const CompressResult result = compress(request);
  const std::string box = "continuous-mountain-car:force=0.0014..0.0016";
  ASSERT_TRUE(result.found.certificate);
  EXPECT_EQ(result.found.certificate->env, box);
  EXPECT_EQ(result.found.certificate->grid->points.size(), 3);
  const EmbeddingFile file = read_embedding(request.out);
  EXPECT_EQ(file.origin.env, box);
  EXPECT_EQ(file.origin.settings.at("perturb"), request.perturb);
  EXPECT_EQ(file.embedding.policy().contract().observation.dimensions(), 2);

  // Certified again over the stored box; another box of the same parameter needs the task without it.
  CertifyRequest again;
  again.file = request.out;
  again.episodes = 60;
  again.dry_run = true;
  again.levels = {Level::statistical};
  EXPECT_EQ(certify(again).certificate.env, box);
  again.perturb = "force=0.001..0.002";
  expect_error(ErrorCode::bad_value, "Name the task without it: --env continuous-mountain-car",
               [&] { certify(again); });
  again.task.env = "continuous-mountain-car";
  EXPECT_EQ(certify(again).certificate.env, "continuous-mountain-car:force=0.001..0.002");
  again.task.env.clear();
  again.perturb = "delay=0..1";
  EXPECT_EQ(certify(again).certificate.env, box + ",delay=0..1");
}

TEST(PerturbPipeline, noise_of_what_has_no_bounds_follows_the_teachers_spread) {
  const auto teacher = balancing(0.5), other = balancing(0.05);
  const auto plain = make_env("cart-pole");
  const std::vector<double> spread =
      spread_of("cart-pole:noise=0.02,force=12", plain->task().observation, 3, *teacher, {});
  EXPECT_EQ(spread[0], 0);
  EXPECT_EQ(spread[2], 0);
  // The standard deviation over the same 100 episodes, by hand.
  RolloutOptions playing;
  playing.episodes = 100;
  playing.seed = Random({0, Stage::perturb, 0, 0xFFFFFFFE}).bits();
  playing.act = Act::mean;
  const Rollouts seen = rollout(*plain, *teacher, playing);
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < seen.steps(); ++i) {
    sum += seen.observations[4 * i + 3];
    squares += seen.observations[4 * i + 3] * seen.observations[4 * i + 3];
  }
  const auto n = static_cast<double>(seen.steps());
  EXPECT_NEAR(spread[3], std::sqrt(squares / n - sum / n * sum / n), 1e-9);

  EvaluateRequest request;
  request.task.env = "cart-pole:noise=0.02";
  request.task.act = Act::mean;
  request.policy.object = other;
  request.policy.policy = "other";
  request.against.object = teacher;
  request.episodes = 20;
  const EvaluateResult result = evaluate(request);
  const auto known = with_spread("cart-pole:noise=0.02", 0, spread);  // the teacher's, for both
  playing.episodes = 20;
  playing.seed = 0;
  playing.keep_steps = false;
  EXPECT_EQ(result.played.returns, rollout(*known, *other, playing).returns);
  EXPECT_EQ(result.against->returns.mean, summarise(rollout(*known, *teacher, playing).returns).mean);

  // Every verb that has a policy fills it in.
  RolloutRequest rolling;
  rolling.task.env = request.task.env;
  rolling.policy.object = teacher;
  rolling.episodes = 3;
  EXPECT_EQ(rollout(rolling).rollouts.episodes(), 3);
  CertifyRequest certifying;
  certifying.task.env = "cart-pole";
  certifying.teacher.object = teacher;
  certifying.student = other;
  certifying.episodes = 20;
  certifying.levels = {};  // the ladder asks for densities, which these have none of
  certifying.perturb = "noise=0..0.02; length=0.4..0.6";
  certifying.grid = 2;
  EXPECT_EQ(certify(certifying).certificate.grid->points.size(), 5);
}

TEST(PerturbPipeline, a_stranger_cannot_be_perturbed_by_text) {
  const auto env = make_env("pendulum");
  CertifyRequest request;
  request.task.player = std::make_shared<Stranger>(*env, std::nullopt, false);
  request.task.env = "theirs";
  request.teacher.object = std::make_shared<UniformPolicy>(env->task());
  request.student = request.teacher.object;
  request.perturb = "m=0.8..1.2";
  expect_error(
      ErrorCode::bad_value,
      "--perturb was given, and 'pendulum' is not a built-in task: nothing here can change its parameters. Give "
      "mercer.Perturbed(make, ranges)",
      [&] { certify(request); });
  CompressRequest on_states;
  on_states.task.env = "pendulum";
  on_states.states = "log.npz";
  on_states.perturb = "m=0.8..1.2";
  expect_error(ErrorCode::bad_value, "--perturb does not go with --states", [&] { compress(on_states); });
}

}  // namespace
}  // namespace mercer
