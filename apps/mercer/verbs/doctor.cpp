#include "pipeline/doctor.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "cli/output.hpp"
#include "cli/program.hpp"
#include "cli/ranks.hpp"
#include "cli/terminal.hpp"
#include "cli/version.hpp"

using json = nlohmann::ordered_json;
using mercer::Check;

namespace {

constexpr std::pair<Check::State, const char*> words[] = {
    {Check::State::passed, "ok"}, {Check::State::failed, "FAILED"}, {Check::State::skipped, "skipped"}};

std::string word(Check::State state) {
  for (const auto& [one, text] : words) {
    if (one == state) return text;
  }
  return {};
}

std::vector<mercer::OptionalPart> all_parts() {
  std::vector<mercer::OptionalPart> parts = mercer::optional_parts();
  const std::string how = has_ranks() ? "in this build" : "apt-get install libopenmpi-dev, and build again";
  parts.insert(parts.begin() + 2, {"MPI", has_ranks(), "run one command in several processes", how});
  return parts;
}

void show_machine(const mercer::Machine& machine) {
  fmt::print("{}cpu       {}\nthreads   {}\nmemory    {:.1f} GiB\n\noptional parts\n", version_text(),
             machine.cpu.empty() ? "unknown" : machine.cpu, machine.threads,
             static_cast<double>(machine.memory_bytes) / 0x1p30);
}

void run(const CommonOptions& common) {
  const mercer::Machine machine = mercer::this_machine();
  const std::vector<mercer::OptionalPart> parts = all_parts();
  if (!common.json) {
    show_machine(machine);
    for (const mercer::OptionalPart& part : parts) {
      fmt::print("  {} {:<24} {}: {}\n", part.found ? "yes" : "no ", part.name, part.use, part.how);
    }
    fmt::print("\nself-test\n");
  }
  const auto show = [&](const Check& check) {
    if (common.json) return;
    fmt::print("  {:<8} {}, {:.1f} s{}{}\n", word(check.state), check.name, check.seconds,
               check.detail.empty() ? "" : ": ", check.detail);
    std::fflush(stdout);
  };
  const std::vector<Check> checks = mercer::self_test(show, terminal_progress(true));
  std::string failed;
  for (const Check& check : checks) {
    if (check.state == Check::State::failed) failed = check.name;
  }
  if (common.json) {
    json document{{"version", version_number()},
                  {"about", version_text()},
                  {"cpu", machine.cpu},
                  {"threads", machine.threads},
                  {"memory_bytes", machine.memory_bytes},
                  {"parts", json::array()},
                  {"checks", json::array()}};
    for (const mercer::OptionalPart& part : parts) {
      document["parts"].push_back({{"name", part.name}, {"found", part.found}, {"use", part.use}, {"how", part.how}});
    }
    for (const Check& check : checks) {
      document["checks"].push_back(
          {{"name", check.name}, {"state", word(check.state)}, {"detail", check.detail}, {"seconds", check.seconds}});
    }
    print_json(document);
  } else if (failed.empty()) {
    fmt::print("Mercer works here.\n");
  }
  if (!failed.empty()) throw std::runtime_error(fmt::format("the self-test '{}' failed", failed));
}

}  // namespace

void add_doctor(Program& program) {
  Verb& verb =
      program.add_verb("doctor", "Show versions, CPU and optional parts, and run a self-test of a few seconds");
  verb.run = [&program] { run(program.common()); };
}
