"""Emulated chips: start code, a script for the linker and how to end with an exit code, so that exported C runs there alone."""

import re
import shutil
import subprocess

import pytest

# `{call}` returns 0 where all is well.
ARM_START = """extern unsigned long stack_top;
int {call}(void);
static void leave(long code)
{{
  register long r0 __asm__("r0") = 0x18;
  register long r1 __asm__("r1") = code;
  __asm__ volatile("bkpt 0xab" : : "r"(r0), "r"(r1));
  for (;;) {{ }}
}}
void start(void)
{{
#ifdef __ARM_FP
  *(volatile unsigned long *)0xe000ed88 |= 0xf00000; /* the floating-point unit is off after a reset */
  __asm__ volatile("dsb; isb");
#endif
  leave({call}() == 0 ? 0x20026 : 0x20023);
}}
__attribute__((section(".vectors"), used)) static const void *vectors[] = {{&stack_top, (const void *)start}};
int __errno_at; int *__errno(void) {{ return &__errno_at; }}
"""
RISCV_START = """int {call}(void);
void start(void)
{{
  *(volatile unsigned *)0x100000 = {call}() == 0 ? 0x5555 : 0x13333;
  for (;;) {{ }}
}}
__attribute__((section(".vectors"), naked, used)) void entry(void) {{ __asm__ volatile("la sp, stack_top\\n j start"); }}
"""
AVR_START = """#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
int {call}(void);
int main(void)
{{
  const char *text = {call}() == 0 ? "agree\\n" : "differ\\n";
  UCSR0B = 1 << TXEN0;
  for (; *text != 0; text++) {{
    while (!(UCSR0A & (1 << UDRE0))) {{ }}
    UDR0 = (unsigned char)*text;
  }}
  cli();
  sleep_enable();
  sleep_cpu();
  return 0;
}}
"""
SCRIPT = """ENTRY(start)
SECTIONS {{ . = {code}; .text : {{ KEEP(*(.vectors)) *(.text*) *(.rodata*) *(.srodata*) *(.ARM.*) }}
. = {ram}; .data : {{ *(.data*) *(.sdata*) }} .bss : {{ *(.bss*) *(.sbss*) *(COMMON) }} stack_top = {ram} + 0x3000; }}
"""
ARM = "arm-none-eabi-gcc -mthumb -nostartfiles -T chip.ld -mcpu="
MACHINES = {
    "cortex-m0": (ARM + "cortex-m0", "0", "0x20000000", "qemu-system-arm -M microbit", ARM_START),
    "cortex-m4f": (ARM + "cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard", "0", "0x20000000", "qemu-system-arm -M mps2-an386", ARM_START),
    "cortex-m33": (ARM + "cortex-m33 -mfpu=fpv5-sp-d16 -mfloat-abi=hard", "0x10000000", "0x38000000", "qemu-system-arm -M mps2-an505",
                   ARM_START),
    "rv32imc": ("riscv64-unknown-elf-gcc -march=rv32imc -mabi=ilp32 --specs=picolibc.specs -nostartfiles -T chip.ld", "0x80000000",
                "0x80100000", "qemu-system-riscv32 -M virt -bios none", RISCV_START),
}


def skip_without(*programs):
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


def run(*command, cwd):
    done = subprocess.run([str(word) for word in command], cwd=cwd, text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def exit_on(machine, folder, call, *sources):
    """Links the sources for a chip to chip.elf, runs them in its emulator, and gives the exit code: 0 where `call` returns 0."""
    compiler, code, ram, emulator, start = MACHINES[machine]
    skip_without(compiler.split()[0], emulator.split()[0])
    (folder / "start.c").write_text(start.format(call=call))
    (folder / "chip.ld").write_text(SCRIPT.format(code=code, ram=ram))
    run(*compiler.split(), "-Os", "-DPILOT_TEST_NO_MAIN", "-I.", "-Isrc", "start.c", *sources, "-o", "chip.elf", "-lm", cwd=folder)
    play = (*emulator.split(), "-display", "none", "-monitor", "none", "-semihosting", "-kernel", "chip.elf")
    return subprocess.run(play, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=300).returncode


def said_on_avr(folder, call, *sources):
    (folder / "start.c").write_text(AVR_START.format(call=call))
    run("avr-gcc", "-mmcu=atmega328p", "-Os", "-DPILOT_TEST_NO_MAIN", "-DPILOT_CHECK_NO_MAIN", "-I.", "-Isrc", "start.c", *sources, "-o",
        "chip.elf", "-lm", cwd=folder)
    done = subprocess.run(["simavr", "-m", "atmega328p", "-f", "16000000", "chip.elf"], cwd=folder, text=True, capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=300)
    return re.search("agree|differ", done.stdout + done.stderr)[0]
