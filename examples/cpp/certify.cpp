// How much return an embedding may cost: fits six terms to an actor, then bounds the loss on episodes that the fit
// never saw. Run it from the root of the repository: certify [ACTOR [OUT.mercer]].

#include <cstdio>

#include <mercer/mercer.hpp>

int main(int argc, char** argv) try {
  mercer::EmbedRequest made;
  made.task.env = "pendulum";
  made.teacher.policy = argc > 1 ? argv[1] : "tests/data/policies/pendulum_5000_actor.onnx";
  made.route = mercer::Route::continuous;
  made.k = 6;
  made.rollouts = 50;
  made.episodes = 100;
  made.seed = 1;
  made.out = argc > 2 ? argv[2] : "six_terms.mercer";
  mercer::embed(made);

  mercer::CertifyRequest request;  // the file stores the task and the teacher
  request.file = made.out;
  request.episodes = 2000;
  request.levels = {mercer::Level::statistical};
  request.max_loss = 0.2;
  const mercer::Certificate certificate = mercer::certify(request).certificate;  // also stored in the file
  mercer::require_budget(certificate);                                           // throws unless 20% is kept

  std::printf("%s: loss %.2f%% of the return, at most %.2f%% with 95%% confidence\n", made.out.c_str(),
              certificate.loss_percent, certificate.upper_percent.value());
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.exit_code();
}
