#include <algorithm>
#include <cctype>
#include <fstream>
#include <regex>

#include "export/c/c_text.hpp"
#include "export/chip/cores.hpp"
#include "export/chip/shell.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t tried = 8;

constexpr const char* linker_script = R"(ENTRY(@entry@)
SECTIONS {
  . = @code@;
  .text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) *(.srodata*) }
  . = @ram@;
  .data : { *(.data*) *(.sdata*) }
  .bss : { *(.bss*) *(.sbss*) *(COMMON) }
  stack_low = @ram@ + 0x1000;
  stack_top = @ram@ + 0x3000;
}
)";

// Grows a program that does nothing by one call.
constexpr const char* size_program = R"(#include "@name@.h"
@board@
volatile @type@ in[@NAME@_OBSERVATIONS], out[@NAME@_ACTIONS];
static void run(void)
{
  @name@_act((const @type@ *)in, (@type@ *)out);
}
)";

constexpr const char* empty_controller = R"(#include "@name@.h"
void @name@_act(const @type@ obs[@NAME@_OBSERVATIONS], @type@ act[@NAME@_ACTIONS])
{
  act[0] = obs[0];
}
)";

// The stack below the caller is painted, then searched for the lowest byte that changed. Instructions are those that
// the emulator prints between two functions; on AVR a timer counts cycles, coarser where it would overflow.
constexpr const char* measuring_program = R"(#include "@name@.h"
@board@
static const @type@ obs[@count@][@NAME@_OBSERVATIONS] = {
@obs@};
static @type@ act[@NAME@_ACTIONS];
static volatile unsigned char *from;
static void say_number(unsigned long n)
{
  char text[12];
  int i = 11;
  text[11] = 0;
  do {
    text[--i] = (char)('0' + n % 10);
    n /= 10;
  } while (n > 0);
  say(text + i);
}
#ifdef __AVR
static unsigned long most;
static unsigned long ticks(const @type@ *o, unsigned char clock) __attribute__((noinline));
static unsigned long ticks(const @type@ *o, unsigned char clock)
{
  unsigned count;
  unsigned char over;
  STACK_POINTER(from);
  TCCR1A = 0;
  TCNT1 = 0;
  TIFR1 = 1 << TOV1;
  TCCR1B = clock;
  @name@_act(o, act);
  count = TCNT1;
  over = TIFR1 & (1 << TOV1);
  TCCR1B = 0;
  return over ? 0 : 1ul + count;
}
static void timed(const @type@ *o)
{
  unsigned long cycles = ticks(o, 1);
  if (cycles == 0) cycles = 64ul * ticks(o, 3);
  if (cycles == 0) cycles = 1024ul * ticks(o, 5);
  most = cycles > most ? cycles : most;
}
#else
void measure_begin(void) __attribute__((noinline));
void measure_begin(void) { __asm__ volatile(""); }
void measure_end(void) __attribute__((noinline));
void measure_end(void) { __asm__ volatile(""); }
static void timed(const @type@ *o) __attribute__((noinline));
static void timed(const @type@ *o)
{
  STACK_POINTER(from);
  measure_begin();
  @name@_act(o, act);
  measure_end();
}
#endif
static void run(void) __attribute__((noinline));
static void run(void)
{
  volatile unsigned char *p, *top;
  unsigned i;
  STACK_POINTER(top);
  for (p = LOWEST; p < top - 16; p++) *p = 0xa5;
  for (i = 0; i < @count@; i++) timed(obs[i]);
  for (p = LOWEST; p < top && *p == 0xa5; p++) { }
  say("\nstack ");
  say_number((unsigned long)(from - p));
#ifdef __AVR
  say("\ncycles ");
  say_number(most);
#endif
  say("\n");
}
)";

std::string upper(std::string name) {
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

// Observations that cover the ranges; the middle alone where the policy jumps everywhere.
std::vector<double> tried_observations(const EmbeddingFile& file) {
  try {
    return make_test_vectors(file, tried, 1).observations;
  } catch (const Error&) {
    return std::vector<double>(file.embedding.policy().observation_dimensions());
  }
}

class Bench {
 public:
  Bench(const EmbeddingFile& file, const COptions& options, const CExport& made, const CoreEntry& entry)
      : options_(options), made_(made), entry_(entry), fixed_(options.numbers == CNumbers::fixed) {
    const std::vector<double> seen = tried_observations(file);
    const std::size_t n = file.embedding.policy().observation_dimensions();
    count_ = seen.size() / n;
    std::string rows;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      rows += i % n == 0 ? "  {" : ", ";
      rows += fixed_ ? fmt::format("(int32_t)({:.9g} * @NAME@_OBS_ONE_{})", seen[i], i % n) : c_float(seen[i]);
      if (i % n == n - 1) rows += "},\n";
    }
    places_ = {{"board", entry.board},
               {"obs", rows},
               {"count", std::to_string(count_)},
               {"type", fixed_ ? "int32_t" : "float"},
               {"name", options.name},
               {"NAME", upper(options.name)}};
    write("chip.ld", fill(linker_script, Places{{"entry", "start"}, {"code", entry.code}, {"ram", entry.ram}}));
    write(options.name + ".h", made.header);
    write(options.name + ".c", made.source);
    write("size.c", fill(size_program, places_));
    write("empty.c", fill(empty_controller, places_));
    write("measure.c", fill(measuring_program, places_));
  }

  ChipCost measure() {
    ChipCost cost;
    cost.core = entry_.core;
    cost.compiler = version_line();
    const auto [text, ram] = linked("size.c", options_.name + ".c");
    const auto [own_text, own_ram] = linked("size.c", "empty.c");
    cost.flash_bytes = text - std::min(text, own_text);
    cost.ram_bytes = ram - std::min(ram, own_ram);
    if (!on_path(entry_.emulator)) {
      cost.missing = fmt::format("Stack and instructions were not measured: '{}' is not installed ({}).",
                                 entry_.emulator.substr(0, entry_.emulator.find(' ')), entry_.packages);
      return cost;
    }
    link("measure.c", options_.name + ".c");
    run(cost);
    return cost;
  }

 private:
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_.path() / name) << text; }

  void link(const std::string& program, const std::string& controller) const {
    const std::string libm = made_.source.find("<math.h>") == std::string::npos ? "" : " -lm";
    const Ran ran = run_command(
        folder_.path(), fmt::format("{} -std=gnu99 -Os -D{}_NO_SELFTEST {} {} {} -o chip.elf{}", entry_.compiler,
                                    upper(options_.name), entry_.link, program, controller, libm));
    if (ran.exit == 0) return;
    throw Error(ErrorCode::bad_format,
                fmt::format("'{}' refuses the exported code for {}: {}", entry_.compiler, entry_.title, ran.output),
                "Export without --core, and report this with the embedding");
  }

  // Bytes of flash and of variables.
  std::pair<std::size_t, std::size_t> linked(const std::string& program, const std::string& controller) const {
    link(program, controller);
    std::istringstream said(run_command(folder_.path(), entry_.size + " chip.elf").output);
    std::string heading;
    std::getline(said, heading);
    std::size_t text = 0, data = 0, bss = 0;
    said >> text >> data >> bss;
    return {text + data, data + bss};
  }

  std::string version_line() const {
    const std::string program = entry_.compiler.substr(0, entry_.compiler.find(' '));
    std::string version = run_command(folder_.path(), program + " -dumpfullversion -dumpversion").output;
    version.erase(std::ranges::find(version, '\n'), version.end());
    return fmt::format("{} {} -Os", program, version);
  }

  void run(ChipCost& cost) const {
    const std::string plain = run_command(folder_.path(), entry_.emulator + " chip.elf").output;
    const auto said = [&](const char* what) -> std::optional<std::size_t> {
      std::smatch found;
      if (!std::regex_search(plain, found, std::regex(fmt::format("{} ([0-9]+)", what)))) return std::nullopt;
      return std::stoull(found[1]);
    };
    cost.stack_bytes = said("stack");
    cost.emulator = entry_.emulator.substr(0, entry_.emulator.find(' '));
    cost.observations = count_;
    if (!cost.stack_bytes) {
      cost.missing = fmt::format("Stack and instructions were not measured: {} did not finish.", cost.emulator);
    } else if (entry_.count.empty()) {
      cost.cycles = said("cycles");
    } else {
      cost.instructions = counted_instructions();
      if (!cost.instructions)
        cost.missing = fmt::format("Instructions were not counted: the trace of {} is not whole.", cost.emulator);
    }
  }

  // The most lines between the last one in measure_begin and the first one in measure_end; empty if the trace is cut
  // short. It comes through a named pipe: qemu drops lines on a pipe that it shares with its serial port.
  std::optional<std::size_t> counted_instructions() const {
    const std::size_t at = entry_.emulator.find(' ');
    const std::string flags = at == std::string::npos ? "" : entry_.emulator.substr(at);
    std::size_t most = 0, now = 0, calls = 0;
    bool inside = false;
    run_command(folder_.path(),
                fmt::format("sh -c 'mkfifo trace && {{ {} {} -D trace{} chip.elf >said 2>&1 & cat trace; }}'",
                            entry_.emulator.substr(0, at), entry_.count, flags),
                [&](const std::string& line) {
                  if (!line.starts_with("Trace ")) return;
                  if (line.ends_with(" measure_begin\n")) {
                    inside = true;
                    now = 0;
                  } else if (line.ends_with(" measure_end\n")) {
                    most = std::max(most, inside ? now : 0);
                    calls += inside ? 1 : 0;
                    inside = false;
                  } else {
                    ++now;
                  }
                });
    return calls == count_ ? std::optional(most) : std::nullopt;
  }

  const COptions& options_;
  const CExport& made_;
  const CoreEntry& entry_;
  bool fixed_;
  std::size_t count_ = 0;
  Places places_;
  ScratchFolder folder_;
};

}  // namespace

ChipCost measure_on_core(const EmbeddingFile& file, const COptions& options, const CExport& made, Core core) {
  const CoreEntry& entry = core_entry(core);
  if (!on_path(entry.compiler) || !on_path(entry.size)) {
    ChipCost cost;
    cost.core = core;
    cost.missing = fmt::format("Nothing was measured on {}: '{}' is not installed ({}).", entry.title,
                               entry.compiler.substr(0, entry.compiler.find(' ')), entry.packages);
    return cost;
  }
  return Bench(file, options, made, entry).measure();
}

std::string chip_sentence(const ChipCost& cost) {
  if (!cost.flash_bytes) return cost.missing;
  std::string text = fmt::format(
      "Measured on {} ({}): {} bytes of linked flash, library routines included; {} bytes "
      "of RAM for variables",
      core_entry(cost.core).title, cost.compiler, *cost.flash_bytes, *cost.ram_bytes);
  if (cost.stack_bytes) {
    text += fmt::format("; at most {} bytes of stack", *cost.stack_bytes);
    if (cost.instructions) text += fmt::format(" and {} instructions", *cost.instructions);
    if (cost.cycles) text += fmt::format(" and {} clock cycles", *cost.cycles);
    text += fmt::format(" per action, over {} observations ({})", cost.observations, cost.emulator);
  }
  return text + "." + (cost.missing.empty() ? "" : " " + cost.missing);
}

}  // namespace mercer
