#include "pipeline/doctor.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "export/chip/shell.hpp"
#include "io/file.hpp"
#include "mercer/env.hpp"
#include "mercer/error.hpp"
#include "mercer/export.hpp"
#include "mercer/file.hpp"
#include "mercer/pipeline.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Where a program of the PATH is; empty where there is none.
std::string program_file(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file = fs::path(folder) / program;
    if (::access(file.c_str(), X_OK) == 0 && !fs::is_directory(file)) return file.string();
  }
  return {};
}

// A task that needs a simulator: whether this build has it.
OptionalPart simulator(const std::string& name, const std::string& task, const std::string& use) {
  try {
    make_env(task);
    return {name, true, use, "in this build"};
  } catch (const Error& error) {
    return {name, false, use, error.remedy()};
  }
}

OptionalPart tool(const std::string& program, const std::string& use, const std::string& package) {
  const std::string found = program_file(program);
  return {program, !found.empty(), use, found.empty() ? fmt::format("apt-get install {}", package) : found};
}

// What every check works with: a folder of its own and a policy that was trained there.
class SelfTest {
 public:
  explicit SelfTest(const Progress& progress)
      : progress_{{}, progress.stop}, folder_(fs::temp_directory_path() / fmt::format("mercer-doctor-{}", ::getpid())) {
    fs::create_directories(folder_);
  }
  ~SelfTest() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  SelfTest(const SelfTest&) = delete;
  SelfTest& operator=(const SelfTest&) = delete;

  // Going right, the last of 10 states is reached after 9 of 100 steps.
  std::string known_return() const {
    std::vector<double> right;
    for (int s = 0; s < 10; ++s) right.insert(right.end(), {0, 1});
    EvaluateRequest request;
    request.task.env = "chain";
    request.policy.object = std::make_shared<TabularPolicy>("right", 10, 2, right);
    const double mean = evaluate(request, progress_).returns.mean;
    return mean == 91 ? "" : fmt::format("the return on the chain is {}, and must be 91", mean);
  }

  std::string same_on_any_threads() const {
    RolloutRequest request;
    request.task.env = "pendulum";
    request.policy.policy = "uniform";
    const auto all = rollout(request, progress_).rollouts.returns;
    const ThreadLimit limit(1);
    return rollout(request, progress_).rollouts.returns == all ? "" : "one thread and all threads play differently";
  }

  std::string train() const {
    TrainRequest request;
    request.env = "pendulum";
    request.algorithm = Algorithm::sac;
    request.steps = 300;
    request.warmup = 100;
    request.hidden = std::vector<std::size_t>{16};
    request.eval_episodes = 2;
    request.out = (folder_ / "run").string();
    const TrainOutcome made = mercer::train(request, progress_);
    return made.result.steps >= 300 ? "" : fmt::format("{} of 300 steps were trained", made.result.steps);
  }

  std::string embed() const {
    EmbedRequest request;
    request.route = Route::continuous;
    request.task.env = "pendulum";
    request.teacher.policy = (folder_ / "run" / "policy.safetensors").string();
    request.k = 6;
    request.rollouts = 20;
    request.episodes = 20;
    request.out = embedding();
    const EmbedResult made = mercer::embed(request, progress_);
    const EmbeddingFile read = read_embedding(embedding());
    if (!read.verified) return "the file that was written is not verified";
    return read.embedding.payload() == made.file->embedding.payload() ? "" : "the file holds another payload";
  }

  std::string certify() const {
    CertifyRequest request;
    request.file = embedding();
    request.episodes = 200;
    const CertifyResult made = mercer::certify(request, progress_);
    if (made.certificate.upper_return < made.certificate.loss_return) return "a bound lies below what was measured";
    return read_embedding(embedding()).certificate ? "" : "the file holds no certificate";
  }

  std::string run_c() const {
    COptions options;
    options.name = "doctor";
    const CExport made = export_c(read_embedding(embedding()), options);
    const auto write = [&](const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; };
    write("doctor.h", made.header);
    write("doctor.c", made.source);
    write("check.c", "#include \"doctor.h\"\nint main(void) { return doctor_selftest(); }\n");
    if (const Ran made_program = run_command(folder_, "cc -std=c99 -O1 doctor.c check.c -o check -lm");
        made_program.exit != 0)
      return "the exported C does not compile: " + made_program.output;
    return run_command(folder_, "./check").exit == 0 ? "" : "the self-test of the exported C fails";
  }

 private:
  std::string embedding() const { return (folder_ / "doctor.mercer").string(); }

  Progress progress_;
  fs::path folder_;
};

}  // namespace

Machine this_machine() {
  Machine out;
  out.threads = thread_count();
  std::ifstream cpus("/proc/cpuinfo");
  for (std::string line; out.cpu.empty() && std::getline(cpus, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) out.cpu = line.substr(colon + 2);
  }
  const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
  if (pages > 0 && size > 0) out.memory_bytes = static_cast<std::size_t>(pages) * static_cast<std::size_t>(size);
  return out;
}

std::vector<OptionalPart> optional_parts() {
  return {
      simulator("MuJoCo", "inverted-double-pendulum", "robots: half-cheetah, ant, your own MJCF"),
      simulator("Box2D", "lunar-lander", "lunar-lander, bipedal-walker"),
      tool("cc", "compile and test exported C here", "gcc"),
      tool("arm-none-eabi-gcc", "exported C for Cortex-M", "gcc-arm-none-eabi libnewlib-arm-none-eabi"),
      tool("riscv64-unknown-elf-gcc", "exported C for RISC-V", "gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf"),
      tool("avr-gcc", "exported C for AVR", "gcc-avr avr-libc"),
      tool("qemu-system-arm", "--core cortex-*: run exported C on an emulated chip", "qemu-system-arm"),
      tool("qemu-system-riscv32", "--core rv32imc: the same", "qemu-system-misc"),
      tool("simavr", "--core avr: the same, with cycles", "simavr"),
      tool("rustc", "compile exported Rust", "rustc"),
      tool("node", "play exported JavaScript", "nodejs"),
      tool("cmake", "build a kit", "cmake"),
      tool("cppcheck", "check a kit against MISRA C:2012", "cppcheck"),
      tool("mpirun", "sweep and compress over several processes", "openmpi-bin"),
      tool("openssl", "keys for --sign", "openssl")};
}

std::vector<Check> self_test(const std::function<void(const Check&)>& sink, const Progress& progress,
                             double most_seconds) {
  const SelfTest test(progress);
  using Test = std::string (SelfTest::*)() const;
  const std::pair<const char*, Test> all[] = {{"play a known chain", &SelfTest::known_return},
                                              {"same result on any number of threads", &SelfTest::same_on_any_threads},
                                              {"train a small network", &SelfTest::train},
                                              {"embed, write and verify a file", &SelfTest::embed},
                                              {"certify it", &SelfTest::certify},
                                              {"compile and run it as C", &SelfTest::run_c}};
  const auto begin = Clock::now();
  const auto since = [](Clock::time_point when) { return std::chrono::duration<double>(Clock::now() - when).count(); };
  std::vector<Check> out;
  bool broken = false;
  for (const auto& [name, run] : all) {
    Check check;
    check.name = name;
    const auto start = Clock::now();
    if (since(begin) > most_seconds || broken || (run == &SelfTest::run_c && program_file("cc").empty())) {
      check.state = Check::State::skipped;
      check.detail = broken                        ? "one before it failed"
                     : since(begin) > most_seconds ? fmt::format("{:g} seconds have passed", most_seconds)
                                                   : "there is no cc";
    } else {
      try {
        check.detail = (test.*run)();
      } catch (const Error& error) {
        if (error.code() == ErrorCode::interrupted) throw;
        check.detail = error.what();
      }
      if (!check.detail.empty()) check.state = Check::State::failed;
      broken = broken || check.state == Check::State::failed;
    }
    check.seconds = since(start);
    if (sink) sink(check);
    out.push_back(std::move(check));
  }
  return out;
}

}  // namespace mercer
