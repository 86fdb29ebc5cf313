#include "cli/program.hpp"
#include "cli/ranks.hpp"
#include "cli/terminal.hpp"

namespace {

int run(int argc, char** argv) {
  open_standard_streams();
  catch_lack_of_memory();
  catch_interrupts();
  std::vector<std::string> words(argv, argv + argc);
  start_ranks(words);
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
  return program.run(static_cast<int>(given.size()), given.data());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return end_ranks(run(argc, argv));
  } catch (const std::exception& trouble) {
    return end_ranks(report(trouble));
  }
}
