// The published route: the table of an actor on a lattice of states and actions, in 300 coefficients of a cosine basis.
// Run it from the root of the repository: embed_lattice [ACTOR [OUT.mercer]].

#include <cstdio>

#include <mercer/mercer.hpp>

int main(int argc, char** argv) try {
  mercer::EmbedRequest request;
  request.task.env = "pendulum";
  request.teacher.policy = argc > 1 ? argv[1] : "tests/data/policies/pendulum_5000_actor.onnx";
  request.route = mercer::Route::lattice;
  request.basis = "dct";
  request.k = 300;
  request.rollouts = 100;  // episodes that show which cells are visited
  request.episodes = 200;  // episodes that measure the result
  request.seed = 1;
  request.out = argc > 2 ? argv[2] : "lattice.mercer";
  const mercer::EmbedResult result = mercer::embed(request);

  std::printf("%s: %zu visited cells in %zu coefficients, %zu bytes\n", result.out.c_str(), result.cells,
              result.file->embedding.k(), result.file->embedding.payload().size());
  std::printf("mean return %.2f, of the teacher %.2f\n", result.embedding.mean, result.teacher.mean);
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.exit_code();
}
