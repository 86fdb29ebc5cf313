#include "cli/program.hpp"
#include "cli/ranks.hpp"
#include "cli/terminal.hpp"
#include "mercer/error.hpp"

int main(int argc, char** argv) {
  open_standard_streams();
  catch_interrupts();
  std::vector<std::string> words(argv, argv + argc);
  try {
    start_ranks(words);
  } catch (const mercer::Error& error) {
    tell("mercer: error {}\n", error.what());
    return end_ranks(error.exit_code());
  }
  std::vector<char*> given;
  for (std::string& word : words) given.push_back(word.data());
  Program program;
  add_train(program);
  add_rollout(program);
  add_embed(program);
  add_evaluate(program);
  add_certify(program);
  add_compress(program);
  add_export(program);
  add_inspect(program);
  add_report(program);
  add_serve(program);
  add_reproduce(program);
  add_sweep(program);
  add_watch(program);
  add_list(program);
  add_doctor(program);
  add_completion(program);
  add_manual(program);
  return end_ranks(program.run(static_cast<int>(given.size()), given.data()));
}
