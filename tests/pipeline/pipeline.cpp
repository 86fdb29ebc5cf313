#include "mercer/pipeline.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <stop_token>

#include <gtest/gtest.h>

#include "mercer/policy.hpp"
#include "pipeline/seeds.hpp"
#include "support/errors.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;

CompressRequest quick() {
  CompressRequest request;
  request.task.env = "continuous-mountain-car";
  request.teacher.policy = std::string(MERCER_TEST_DATA) + "/policies/cmc_sde_10000_actor.onnx";
  request.route = CompressRequest::Routes::continuous;
  request.bases = {"chebyshev"};
  request.options.judge.max_loss = 0.2;
  request.options.judge.select_episodes = 100;
  request.options.judge.certify_episodes = 400;
  request.options.most_terms = 2;
  request.options.search.generations = 3;
  request.options.search.episodes = 32;
  return request;
}

TEST(Pipeline, CompressIsTheSearchOfTheLibrary) {
  const CompressRequest request = quick();
  const CompressResult result = compress(request);
  const auto env = make_env(request.task.env, 0);
  const auto teacher = make_policy(request.teacher.policy, env->task());
  CompressOptions options = request.options;
  options.lattice = false;
  options.dictionaries.emplace_back().basis = "chebyshev";
  const Compressed expected = compress(EnvPlayer(*env), *teacher, options);
  ASSERT_EQ(result.found.tried.size(), expected.tried.size());
  EXPECT_EQ(result.found.winner().embedding.payload(), expected.winner().embedding.payload());
  EXPECT_EQ(result.found.certificate->upper_return, expected.certificate->upper_return);
  EXPECT_EQ(result.bytes, 0u) << "nothing was written";
}

TEST(Pipeline, AnInterruptedSearchSaysWhetherTheSameCommandContinues) {
  const TemporaryFolder folder;
  CompressRequest request;
  request.task.env = "pendulum";
  request.teacher.policy = std::string(MERCER_TEST_DATA) + "/policies/pendulum_5000_actor.onnx";
  request.bases = {"shared"};
  request.results = (folder.path() / "found").string();
  request.options.resume.interval = 0;  // the state is stored after every step
  request.options.judge.select_episodes = 32;
  request.given = {"select-episodes"};
  std::stop_source source;
  Progress progress;
  progress.stop = source.get_token();
  bool wait_for_state = false;
  progress.report = [&](std::string_view, double) {
    if (!wait_for_state || fs::exists(fs::path(request.results) / "search.state")) source.request_stop();
  };
  expect_error(ErrorCode::interrupted, "No result was written", [&] { compress(request, {}, progress); });
  source = {};
  progress.stop = source.get_token();
  wait_for_state = true;
  expect_error(ErrorCode::interrupted, "Run the same command to continue it", [&] { compress(request, {}, progress); });
}

TEST(Pipeline, AFileIsWrittenOnceWithItsCertificateAndKnowsItsTeacher) {
  const TemporaryFolder folder;
  CompressRequest request = quick();
  request.out = (folder.path() / "p.mercer").string();
  const CompressResult result = compress(request);
  const EmbeddingFile file = read_embedding(request.out);
  ASSERT_TRUE(file.certificate);
  EXPECT_EQ(certificate_json(*file.certificate), certificate_json(*result.found.certificate));
  EXPECT_EQ(file.bytes, result.bytes);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "one file, and nothing half-written";
  const Origin origin = resolve_origin(file, request.out);
  EXPECT_EQ(origin.player->task().name, "continuous-mountain-car");
  EXPECT_FALSE(origin.other_teacher);
  EXPECT_EQ(file.origin.settings.at("max-loss"), "0.2");
}

TEST(Pipeline, AnotherTeacherIsRefusedUnlessItIsAccepted) {
  const TemporaryFolder folder;
  const std::string data = std::string(MERCER_TEST_DATA) + "/policies/";
  CompressRequest request = quick();
  request.out = (folder.path() / "p.mercer").string();
  compress(request);
  CertifyRequest certifying;
  certifying.file = request.out;
  certifying.episodes = 50;
  certifying.levels = {Level::statistical};
  const std::string before = certificate_json(*read_embedding(request.out).certificate);
  certifying.teacher.policy = data + "cmc_sde_10000_action.onnx";
  expect_error(ErrorCode::bad_value, "SHA-256", [&] { certify(certifying); });
  EXPECT_EQ(certificate_json(*read_embedding(request.out).certificate), before);
  certifying.teacher.policy.clear();
  const CertifyResult own = certify(certifying);
  EXPECT_TRUE(own.stored);
  EXPECT_EQ(certificate_json(*read_embedding(request.out).certificate), certificate_json(own.certificate));
}

TEST(Pipeline, NothingIsCertifiedOnEpisodesOfAnotherPurpose) {
  constexpr std::uint64_t apart = std::uint64_t{1} << 32;
  for (const std::uint64_t made : {std::uint64_t{0}, std::uint64_t{7}, apart, apart - 1, 0 - apart, 1 - 2 * apart}) {
    const auto played = seeds_of_embed(made);
    EXPECT_EQ(std::set(played.begin(), played.end()).size(), played.size());
    for (const std::uint64_t one : played) {
      // Of all seeds that could be asked for, those that would meet a purpose after none, one or two steps.
      for (const std::uint64_t asked : {one - apart, one - 2 * apart, one - 3 * apart, one, made}) {
        const std::uint64_t seed = certifying_seed(asked, made);
        EXPECT_EQ(std::ranges::find(played, seed), played.end()) << made << ' ' << asked;
        EXPECT_EQ(static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(asked)) << "other seeds stay apart";
      }
    }
  }
  EXPECT_EQ(certifying_seed(0, 0), apart);
  EXPECT_EQ(certifying_seed(apart, 0), 3 * apart) << "2^33 chose K";
}

TEST(Pipeline, EmbedMeasuresWhatItWrites) {
  const TemporaryFolder folder;
  EmbedRequest request;
  request.task.env = "chain:n=6";
  request.teacher.policy = "uniform";
  request.rollouts = 30;
  request.episodes = 40;
  request.out = (folder.path() / "c.mercer").string();
  const EmbedResult result = embed(request);
  const EmbeddingFile file = read_embedding(request.out);
  ASSERT_TRUE(result.file);
  EXPECT_EQ(result.file->embedding.payload(), file.embedding.payload());
  const auto env = make_env(request.task.env, 0);
  RolloutOptions playing;
  playing.episodes = 40;
  playing.seed = measuring_seed(0);
  EXPECT_EQ(result.embedding.mean, summarise(rollout(*env, file.embedding.policy(), playing).returns).mean);
}

TEST(Pipeline, RequestsThatCannotBeDoneAreRefusedBeforeAnyWork) {
  expect_error(ErrorCode::missing_option, "--env", [] { evaluate({}); });
  EvaluateRequest nobody;
  nobody.task.env = "pendulum";
  expect_error(ErrorCode::missing_option, "--policy", [&] { evaluate(nobody); });
  CompressRequest request = quick();
  request.out = "p.bin";
  expect_error(ErrorCode::bad_value, ".mercer", [&] { compress(request); });
  EmbedRequest embedding;
  embedding.route = Route::continuous;
  embedding.max_loss = 0.1;
  expect_error(ErrorCode::bad_value, "compress", [&] { embed(embedding); });
  expect_error(ErrorCode::missing_option, "no format", [] { export_code({}); });
}

}  // namespace
}  // namespace mercer
