"""'mercer export c --core': what is said to be measured on a chip is what independent programs measure there."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

PENDULUM = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "tests/data/export/pendulum_5000.mercer"
ARM = "arm-none-eabi-gcc -mthumb -mcpu="
CORES = {
    "cortex-m0": (ARM + "cortex-m0", "qemu-system-arm"),
    "cortex-m4f": (ARM + "cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard", "qemu-system-arm"),
    "cortex-m33": (ARM + "cortex-m33 -mfpu=fpv5-sp-d16 -mfloat-abi=hard", "qemu-system-arm"),
    "rv32imc": ("riscv64-unknown-elf-gcc -march=rv32imc -mabi=ilp32 --specs=picolibc.specs", "qemu-system-riscv32"),
    "avr": ("avr-gcc -mmcu=atmega328p", "simavr"),
    "host": ("cc", "qemu-x86_64"),
}


def skip_without(core):
    for program in (CORES[core][0].split()[0], CORES[core][1]):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


def object_bytes(folder, compiler):
    """Code and constants, and variables, of controller.o alone; on AVR constants are variables as well."""
    subprocess.run([*compiler.split(), "-std=gnu99", "-Os", "-DCONTROLLER_NO_SELFTEST", "-c", "controller.c"], cwd=folder, check=True)
    size = compiler.split()[0].replace("gcc", "size").replace("cc", "size")
    said = subprocess.run([size, "-A", "controller.o"], cwd=folder, check=True, text=True, capture_output=True).stdout
    of = {part: sum(int(bytes_) for bytes_ in re.findall(rf"^\.{part}\S* +(\d+)", said, re.M)) for part in ("text", "rodata", "data", "bss")}
    constants = of["rodata"] if compiler.startswith("avr") else 0
    return of["text"] + of["rodata"] + of["data"], of["data"] + of["bss"] + constants


@pytest.mark.parametrize("numbers", ["float", "fixed"])
@pytest.mark.parametrize("core", CORES)
def test_costs_are_measured(mercer, core, numbers):
    skip_without(core)
    chip = mercer.json("export", "c", PENDULUM, "--out", "d", "--core", core, "--numbers", numbers, "--math", "none")["chip"]
    print(core, numbers, chip)
    flash, ram = object_bytes(mercer.folder / "d", CORES[core][0])
    # The linker may drop a few bytes of alignment and adds library routines: whole soft-float ones on chips without a unit.
    assert flash - 64 <= chip["flash_bytes"] <= flash + 6144
    assert ram <= chip["ram_bytes"] + 16 and chip["ram_bytes"] <= ram + 64
    assert 8 <= chip["stack_bytes"] < 2048 and chip["missing"] == ""
    count = chip["cycles"] if core == "avr" else chip["instructions"]
    assert 100 < count < 100000 and (chip["cycles"] is None) == (core != "avr")
    header = re.sub(r"\s*\n \*\s*", " ", (mercer.folder / "d/controller.h").read_text())
    wanted = (f"{chip['flash_bytes']} bytes of linked flash", f"{chip['stack_bytes']} bytes of stack",
              f"{count} {'clock cycles' if core == 'avr' else 'instructions'} per action", chip["compiler"])
    for words in wanted:
        assert words in header, words
    assert "an estimate" not in header


@pytest.mark.parametrize("core", CORES)
def test_functions_come_from_where_a_program_is_smaller(mercer, core):
    """Why --math none is the default: a linked program is smaller with it on ARM and RISC-V. With --core of a chip the smaller one is taken."""
    skip_without(core)
    flash = {}
    for math in ("none", "libm"):
        flash[math] = mercer.json("export", "c", PENDULUM, "--out", math, "--core", core, "--math", math)["chip"]["flash_bytes"]
    print(core, flash)
    assert core in ("avr", "host") or flash["none"] < flash["libm"]
    chosen = mercer.json("export", "c", PENDULUM, "--out", "chosen", "--core", core)["chip"]["flash_bytes"]
    assert chosen == (flash["none"] if core == "host" else min(flash.values()))  # a host's libm is shared, and not counted
    mercer.ok("export", "c", PENDULUM, "--out", "default")
    assert "<math.h>" not in (mercer.folder / "default/controller.c").read_text()


RISCV = """#include "controller.h"
static const float obs[{count}][3] = {{{rows}}};
static float act[1];
static unsigned counter(void) {{ unsigned n; __asm__ volatile("csrr %0, minstret" : "=r"(n)); return n; }}
void start(void)
{{
  unsigned i, before, most = 0, least;
  char text[12];
  before = counter();
  least = counter() - before;
  for (i = 0; i < {count}; i++) {{
    unsigned n;
    before = counter();
    controller_act(obs[i], act);
    n = counter() - before - least;
    most = n > most ? n : most;
  }}
  text[11] = 0;
  for (i = 11; most > 0; most /= 10) text[--i] = (char)('0' + most % 10);
  for (; text[i] != 0; i++) *(volatile unsigned char *)0x10000000 = (unsigned char)text[i];
  *(volatile unsigned *)0x100000 = 0x5555;
  for (;;) {{ }}
}}
__attribute__((section(".vectors"), naked, used)) void entry(void) {{ __asm__ volatile("la sp, stack_top\\n j start"); }}
"""


def test_instructions_agree_with_the_counter_of_the_processor(mercer):
    """The program counts lines of a trace; here the register minstret counts, with qemu's own bookkeeping."""
    skip_without("rv32imc")
    said = mercer.json("export", "c", PENDULUM, "--out", "d", "--core", "rv32imc", "--math", "none")["chip"]
    mercer.ok("inspect", PENDULUM, "--test-vectors", "8", "--seed", "1", "--out", "v")

    vectors = json.loads((mercer.folder / "v.json").read_text())
    rows = ",".join("{" + ",".join(f"{number:.9g}f" if "." in f"{number:.9g}" else f"{number:.9g}.0f" for number in row) + "}"
                    for row in vectors["observations"])
    folder = mercer.folder / "d"
    (folder / "start.c").write_text(RISCV.format(count=8, rows=rows))
    (folder / "chip.ld").write_text("ENTRY(start) SECTIONS { . = 0x80000000; .text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) "
                                    "*(.srodata*) } .bss : { *(.bss*) *(.sbss*) } stack_top = 0x80100000; }")
    compiler = CORES["rv32imc"][0].split()
    counting = [word + "_zicsr" if word.startswith("-march") else word for word in compiler]
    subprocess.run([*counting, "-Os", "-c", "start.c"], cwd=folder, check=True)
    subprocess.run([*compiler, "-Os", "-DCONTROLLER_NO_SELFTEST", "-nostartfiles", "-T", "chip.ld", "start.o", "controller.c", "-o", "c.elf"],
                   cwd=folder, check=True)
    done = subprocess.run(["qemu-system-riscv32", "-M", "virt", "-bios", "none", "-display", "none", "-monitor", "none", "-serial", "stdio",
                           "-icount", "shift=0", "-kernel", "c.elf"], cwd=folder, text=True, capture_output=True, stdin=subprocess.DEVNULL,
                          timeout=120)
    print(f"by trace {said['instructions']}, by minstret {done.stdout}")
    assert abs(int(done.stdout) - said["instructions"]) <= 12  # arguments of the call, on both sides


def test_without_a_compiler_it_is_an_estimate(mercer):
    empty = mercer.folder / "empty"
    empty.mkdir()
    said = mercer.ok("export", "c", PENDULUM, "--out", "d", "--core", "cortex-m0", PATH=str(empty)).stderr
    assert "'arm-none-eabi-gcc' is not installed (gcc-arm-none-eabi" in said and "estimate: flash" in said
    header = re.sub(r"\s*\n \*\s*", " ", (mercer.folder / "d/controller.h").read_text())
    assert "Nothing was measured on Cortex-M0" in header and "(an estimate, for Thumb-2 and -Os)" in header
    assert "E201" in mercer.fails(2, "export", "c", PENDULUM, "--out", "d", "--core", "z80")
