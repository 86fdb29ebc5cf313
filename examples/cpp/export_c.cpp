// An actor as C99 without a heap or a library: fits six terms to it and writes controller.h, controller.c and a main.c
// that tests them. Run it from the root of the repository: export_c [ACTOR [FOLDER]].

#include <cstdio>
#include <filesystem>

#include <mercer/mercer.hpp>

int main(int argc, char** argv) try {
  const std::filesystem::path folder = argc > 2 ? argv[2] : "firmware";
  mercer::EmbedRequest made;
  made.task.env = "pendulum";
  made.teacher.policy = argc > 1 ? argv[1] : "tests/data/policies/pendulum_5000_actor.onnx";
  made.route = mercer::Route::continuous;
  made.k = 6;
  made.rollouts = 50;
  made.episodes = 100;
  made.seed = 1;
  made.out = folder / "controller.mercer";
  std::filesystem::create_directories(folder);
  mercer::embed(made);

  mercer::ExportRequest request;
  request.format = mercer::ExportRequest::Format::c;
  request.file = made.out;
  request.options.math = mercer::CMath::none;
  request.out = folder;
  const mercer::ExportResult result = mercer::export_code(request);

  std::printf("%s: %zu bytes of constants, %zu operations an action\n", result.files[1].c_str(), result.c->flash_bytes,
              result.c->operations.total());
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.exit_code();
}
