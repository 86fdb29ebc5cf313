#include "export/chip/cores.hpp"

#include <algorithm>
#include <vector>

#include "mercer/error.hpp"

namespace mercer {
namespace {

// Semihosting: a breakpoint that the emulator answers. 4 prints a text, 0x18 ends.
constexpr const char* arm_board = R"(extern unsigned char stack_low[], stack_top[];
#define LOWEST stack_low
#define STACK_POINTER(p) __asm__ volatile("mov %0, sp" : "=r"(p))
static void ask(long operation, const void *argument)
{
  register long r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}
static void say(const char *text) { ask(4, text); }
static void run(void);
void start(void);
void start(void)
{
#ifdef __ARM_FP
  *(volatile unsigned long *)0xe000ed88 |= 0xf00000; /* the floating-point unit is off after a reset */
  __asm__ volatile("dsb; isb");
#endif
  run();
  ask(0x18, (const void *)0x20026);
  for (;;) { }
}
__attribute__((section(".vectors"), used)) static const void *const vectors[] = {stack_top, (const void *)start};
)";

// The serial port and the power switch of qemu's machine `virt`.
constexpr const char* riscv_board = R"(extern unsigned char stack_low[], stack_top[];
#define LOWEST stack_low
#define STACK_POINTER(p) __asm__ volatile("mv %0, sp" : "=r"(p))
static void say(const char *text) { while (*text != 0) *(volatile unsigned char *)0x10000000 = (unsigned char)*text++; }
static void run(void);
void start(void);
void start(void)
{
  run();
  *(volatile unsigned *)0x100000 = 0x5555;
  for (;;) { }
}
__attribute__((section(".vectors"), naked, used)) static void entry(void) { __asm__ volatile("la sp, stack_top\n j start"); }
)";

constexpr const char* avr_board = R"(#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
extern unsigned char _end;
#define LOWEST (&_end)
#define STACK_POINTER(p) ((p) = (volatile unsigned char *)SP)
static void say(const char *text)
{
  for (; *text != 0; text++) {
    while (!(UCSR0A & (1 << UDRE0))) { }
    UDR0 = (unsigned char)*text;
  }
}
static void run(void);
int main(void)
{
  UCSR0B = 1 << TXEN0;
  run();
  cli();
  sleep_enable();
  sleep_cpu(); /* without interrupts: simavr ends */
  return 0;
}
)";

constexpr const char* host_board = R"(#include <unistd.h>
static volatile unsigned char *lowest;
#define LOWEST lowest
#if defined(__x86_64__)
#define STACK_POINTER(p) __asm__ volatile("mov %%rsp, %0" : "=r"(p))
#else
#define STACK_POINTER(p) ((p) = (volatile unsigned char *)__builtin_frame_address(0))
#endif
static void say(const char *text)
{
  const char *end = text;
  while (*end != 0) end++;
  if (write(1, text, (size_t)(end - text)) < 0) _exit(1);
}
static void run(void);
int main(void)
{
  volatile unsigned char *here;
  STACK_POINTER(here);
  lowest = here - 65536;
  run();
  return 0;
}
)";

const std::string trace = "-singlestep -d nochain,exec";
const std::string bare = "-ffunction-sections -fdata-sections -Wl,--gc-sections";
const std::string arm = "arm-none-eabi-gcc -mthumb -mcpu=", arm_size = "arm-none-eabi-size";
const std::string arm_packages = "gcc-arm-none-eabi, libnewlib-arm-none-eabi and qemu-system-arm";
const std::string machine = " -display none -monitor none -serial stdio -semihosting -kernel";

}  // namespace

const CoreEntry& core_entry(Core core) {
  static const std::vector<CoreEntry> all{
      {Core::cortex_m0, "Cortex-M0", arm + "cortex-m0", arm_size, arm_packages, bare + " -nostartfiles -T chip.ld", "0",
       "0x20000000", "qemu-system-arm -M microbit" + machine, trace, arm_board},
      {Core::cortex_m4f, "Cortex-M4F", arm + "cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard", arm_size, arm_packages,
       bare + " -nostartfiles -T chip.ld", "0", "0x20000000", "qemu-system-arm -M mps2-an386" + machine, trace,
       arm_board},
      {Core::cortex_m33, "Cortex-M33", arm + "cortex-m33 -mfpu=fpv5-sp-d16 -mfloat-abi=hard", arm_size, arm_packages,
       bare + " -nostartfiles -T chip.ld", "0x10000000", "0x38000000", "qemu-system-arm -M mps2-an505" + machine, trace,
       arm_board},
      {Core::rv32imc, "RISC-V rv32imc", "riscv64-unknown-elf-gcc -march=rv32imc -mabi=ilp32 --specs=picolibc.specs",
       "riscv64-unknown-elf-size", "gcc-riscv64-unknown-elf, picolibc-riscv64-unknown-elf and qemu-system-misc",
       bare + " -nostartfiles -T chip.ld", "0x80000000", "0x80100000",
       "qemu-system-riscv32 -M virt -bios none" + machine, trace, riscv_board},
      {Core::avr, "AVR (ATmega328P)", "avr-gcc -mmcu=atmega328p", "avr-size", "gcc-avr, avr-libc and simavr", bare, "",
       "", "simavr -m atmega328p -f 16000000", "", avr_board},
      {Core::host, "this computer", "cc", "size", "gcc and qemu-user", bare, "", "", "qemu-x86_64", trace, host_board},
  };
  return *std::ranges::find(all, core, &CoreEntry::core);
}

}  // namespace mercer
