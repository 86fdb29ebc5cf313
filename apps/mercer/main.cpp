#include "interrupt.hpp"
#include "program.hpp"
#include "terminal.hpp"

int main(int argc, char** argv) {
  open_standard_streams();
  catch_interrupts();
  Program program;
  add_train(program);
  add_rollout(program);
  add_embed(program);
  add_evaluate(program);
  add_certify(program);
  add_compress(program);
  add_export(program);
  add_inspect(program);
  add_reproduce(program);
  add_sweep(program);
  add_list(program);
  add_completion(program);
  add_manual(program);
  return program.run(argc, argv);
}
