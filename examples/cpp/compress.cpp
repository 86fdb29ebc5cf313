// From an actor network to the smallest embedding that loses at most 5% of its return, with a certificate at 95%
// confidence. Run it from the root of the repository: compress [ACTOR [OUT.mercer]].

#include <cstdio>

#include <mercer/mercer.hpp>

int main(int argc, char** argv) try {
  mercer::CompressRequest request;
  request.task.env = "pendulum";
  request.teacher.policy = argc > 1 ? argv[1] : "tests/data/policies/pendulum_5000_actor.onnx";
  request.options.judge.max_loss = 0.05;
  request.out = argc > 2 ? argv[2] : "small.mercer";
  request.seed = 1;

  // A short search. Without these lines it takes a quarter of a minute, finds less loss and bounds it more closely.
  request.route = mercer::CompressRequest::Routes::continuous;
  request.bases = {"chebyshev"};
  request.options.most_terms = 4;
  request.options.search.generations = 12;
  request.options.search.episodes = 64;
  request.options.judge.select_episodes = 300;
  request.options.judge.certify_episodes = 3000;

  const mercer::CompressResult result = mercer::compress(request);  // searches, certifies, writes the file
  mercer::require_budget(result);
  const mercer::Certificate& certificate = *result.found.certificate;
  std::printf("%s: %zu bytes, loss %.2f%% of the return, at most %.2f%% with 95%% confidence\n", result.out.c_str(),
              result.found.winner().payload_bytes(), certificate.loss_percent, certificate.upper_percent.value());
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.exit_code();
}
