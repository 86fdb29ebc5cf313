// Built where there is no MPI: every process is alone.
#include "cli/ranks.hpp"

void start_ranks(std::vector<std::string>&) {}
int end_ranks(int code) { return code; }
bool has_ranks() { return false; }
std::size_t rank() { return 0; }
std::size_t ranks() { return 1; }
void hand_out(mercer::SweepSchedule&) {}
void serve(const std::function<mercer::SweepOutcome(const mercer::SweepTask&, mercer::SweepProduct&)>&,
           const mercer::Progress&) {}
