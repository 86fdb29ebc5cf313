#include "interrupt.hpp"
#include "program.hpp"

int main(int argc, char** argv) {
  catch_interrupts();
  Program program;
  add_rollout(program);
  add_evaluate(program);
  add_list(program);
  add_completion(program);
  add_manual(program);
  return program.run(argc, argv);
}
