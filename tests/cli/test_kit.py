"""The kit of 'mercer export c --kit': built by CMake, as Arduino, PlatformIO and Zephyr would, played on emulated chips."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from chips import exit_on, run, said_on_avr

DATA = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "tests/data"
PENDULUM = DATA / "export/pendulum_5000.mercer"
LATTICES = ("db4_snake", "dct_tour_discrete", "fourier_mean_action", "svd_lexicographic")
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
FILES = {"README.md", "src/pilot.h", "src/pilot.c", "test/pilot_task.h", "test/test_closed_loop.c", "main.c", "CMakeLists.txt",
         "library.properties", "examples/pilot_loop/pilot_loop.ino", "library.json", "zephyr/module.yml", "zephyr/CMakeLists.txt",
         "zephyr/Kconfig", "MISRA.md", "misra_suppressions.txt"}


def needs(*programs):
    missing = [program for program in programs if shutil.which(program) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


@pytest.fixture
def kit(mercer):
    mercer.ok("export", "c", PENDULUM, "--out", "kit", "--name", "pilot", "--kit")
    return mercer.folder / "kit"


def written(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def break_coefficient(kit):
    """The first coefficient changes its sign."""
    source = kit / "src/pilot.c"
    text = source.read_text()
    at = re.search(r"coefficient\[\d+\]\[\d+\] = \{\s*\{", text).end()
    source.write_text(text[:at] + ("-" + text[at:] if text[at] != "-" else text[at + 1:]))


def test_a_kit_is_asked_for(mercer, kit):
    assert written(kit) == FILES
    mercer.ok("export", "c", PENDULUM, "--out", "plain", "--name", "pilot")
    assert written(mercer.folder / "plain") == {"pilot.h", "pilot.c", "main.c"}
    for name in ("h", "c"):
        assert (kit / f"src/pilot.{name}").read_text() == (mercer.folder / f"plain/pilot.{name}").read_text()
    for other in ("st", "json"):
        assert "E203" in mercer.fails(2, "export", other, PENDULUM, "--out", "d", "--kit")
        assert "E203" in mercer.fails(2, "export", other, PENDULUM, "--out", "d", "--core", "host")


@needs("cmake", "ctest")
def test_cmake_builds_tests_and_prints_an_episode(kit):
    run("cmake", "-S", ".", "-B", "build", cwd=kit)
    run("cmake", "--build", "build", cwd=kit)
    run("ctest", "--test-dir", "build", cwd=kit)
    lines = run("build/episode", cwd=kit).splitlines()
    assert lines[0] == "step,cos_theta,sin_theta,speed,torque,reward" and len(lines) == 202
    rows = [[float(number) for number in line.split(",")] for line in lines[1:-1]]
    said = re.fullmatch(r"return (\S+), the embedding's (\S+)", lines[-1])
    assert abs(sum(row[-1] for row in rows) - float(said[1])) < 0.01
    assert abs(float(said[1]) - float(said[2])) < 0.002 * abs(float(said[2]))
    # Gymnasium's Pendulum-v1, from one printed row to the next.
    for (_, cosine, sine, speed, torque, reward), (_, _, _, after, _, _) in zip(rows, rows[1:]):
        wanted = min(max(speed + (15 * sine + 3 * torque) * 0.05, -8), 8)
        assert abs(after - wanted) < 1e-3 and reward <= 0


def test_the_closed_loop_sees_a_wrong_controller(mercer, kit):
    command = ["gcc", *STRICT, "-Isrc", "src/pilot.c", "test/test_closed_loop.c", "-o", "closed", "-lm"]
    run(*command, cwd=kit)
    said = run("./closed", cwd=kit)
    assert said.count("episode ") == 10 and said.endswith("all 10 returns agree\n")
    # The stored returns are those that the library earns in the same episodes.
    library = mercer.json("evaluate", "--env", "pendulum", "--policy", PENDULUM, "--act", "mean", "--episodes", "10", "--seed", "1")
    returns = [float(number) for number in re.findall(r"the embedding's (\S+),", said)]
    assert abs(sum(returns) / 10 - library["return"]["mean"]) < 1e-3 * abs(library["return"]["mean"]), library
    break_coefficient(kit)
    run(*command, cwd=kit)
    assert subprocess.run(["./closed"], cwd=kit, stdout=subprocess.DEVNULL).returncode == 1


@pytest.mark.parametrize("numbers", ["float", "fixed"])
def test_a_task_without_a_model_is_compared_at_recorded_observations(mercer, numbers):
    mercer.ok("embed", "--route", "continuous", "--env", "acrobot", "--policy", "uniform", "--basis", "legendre", "--k", "6",
              "--rollouts", "5", "--rounds", "1", "--episodes", "5", "--out", "a.mercer")
    mercer.ok("export", "c", "a.mercer", "--out", "kit", "--name", "pilot", "--kit", "--numbers", numbers)
    kit = mercer.folder / "kit"
    assert written(kit) == FILES - {"test/test_closed_loop.c"} | {"test/test_recorded.c"}
    run("gcc", *STRICT, "-Isrc", "src/pilot.c", "test/test_recorded.c", "-o", "recorded", "-lm", cwd=kit)
    assert re.fullmatch(r"all \d+ actions agree\n", run("./recorded", cwd=kit))
    run("gcc", *STRICT, "-Isrc", "src/pilot.c", "main.c", "-o", "episode", "-lm", cwd=kit)
    assert len(run("./episode", cwd=kit).splitlines()) > 5
    readme = (kit / "README.md").read_text()
    assert "no model in C" in readme
    printed = re.search(r"\| `main.c` \| prints (\d+) recorded observations with their actions as CSV", readme)
    assert len(run("./episode", cwd=kit).splitlines()) == int(printed[1]) + 1


def test_a_perturbed_task_is_compared_at_recorded_observations(mercer):
    mercer.ok("embed", "--route", "continuous", "--env", "pendulum:m=1.2", "--policy", "uniform", "--basis", "legendre", "--k", "6",
              "--rollouts", "5", "--rounds", "1", "--episodes", "5", "--out", "p.mercer")
    mercer.ok("export", "c", "p.mercer", "--out", "kit", "--name", "pilot", "--kit")
    kit = mercer.folder / "kit"
    assert written(kit) == FILES - {"test/test_closed_loop.c"} | {"test/test_recorded.c"}
    for name in ("README.md", "main.c", "test/test_recorded.c"):
        text = (kit / name).read_text()
        assert "the task is perturbed, and its C model plays only the unperturbed task" in text and "no model" not in text, name


@pytest.mark.parametrize("name", LATTICES)
@pytest.mark.parametrize("numbers", ["float", "fixed"])
def test_lattices_have_kits(mercer, name, numbers):
    mercer.ok("export", "c", DATA / f"embeddings/{name}.mercer", "--out", "kit", "--name", "pilot", "--kit", "--numbers", numbers)
    kit = mercer.folder / "kit"
    test = next((kit / "test").glob("test_*.c"))
    run("gcc", *STRICT, "-Isrc", "src/pilot.c", test, "-o", "test.out", "-lm", cwd=kit)
    run("./test.out", cwd=kit)


def test_the_home_page_is_the_users(mercer, kit):
    assert "before you publish it, set `url` in `library.properties`" in (kit / "README.md").read_text()
    mercer.ok("export", "c", PENDULUM, "--out", "own", "--name", "pilot", "--kit", "--url", "https://tank.example/pilot")
    own = mercer.folder / "own"
    assert "\nurl=https://tank.example/pilot\n" in (own / "library.properties").read_text()
    assert "before you publish" not in (own / "README.md").read_text()
    for url in ("tank.example", "ftp://tank.example", "https://a b", "https://a\nname=b"):
        assert "E203" in mercer.fails(2, "export", "c", PENDULUM, "--out", "bad", "--kit", "--url", url)
    assert "E203" in mercer.fails(2, "export", "c", PENDULUM, "--out", "bad", "--url", "https://tank.example/")
    assert "E203" in mercer.fails(2, "export", "js", PENDULUM, "--out", "bad", "--url", "https://tank.example/")
    assert not (mercer.folder / "bad").exists()


def test_arduino_finds_a_library(kit):
    """The rules of the Arduino library specification 1.5 that arduino-lint checks in a folder."""
    properties = dict(line.split("=", 1) for line in (kit / "library.properties").read_text().splitlines())
    assert {"name", "version", "author", "maintainer", "sentence", "paragraph", "category", "url", "architectures"} <= set(properties)
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 _.-]{0,62}", properties["name"])
    assert re.fullmatch(r"\d+\.\d+\.\d+", properties["version"])
    assert properties["category"] in {"Display", "Communication", "Signal Input/Output", "Sensors", "Device Control", "Timing",
                                      "Data Storage", "Data Processing", "Other"}
    assert properties["architectures"] == "*" and not properties["sentence"].lower().startswith("arduino")
    for header in properties["includes"].split(","):
        assert (kit / "src" / header).is_file()
    assert not (kit / "utility").exists() and {path.suffix for path in (kit / "src").iterdir()} == {".c", ".h"}
    for sketch in (kit / "examples").iterdir():
        assert (sketch / f"{sketch.name}.ino").is_file()


ARDUINO = """#pragma once
struct Port { void begin(long) {} template <class... T> void println(T...) {} };
static Port Serial;
static inline unsigned long millis() { return 0; }
"""


@needs("g++")
@pytest.mark.parametrize("compiler", ["g++", "avr-g++ -mmcu=atmega328p"])
@pytest.mark.parametrize("numbers", ["float", "fixed"])
def test_the_sketch_compiles(mercer, compiler, numbers):
    if shutil.which(compiler.split()[0]) is None:
        pytest.skip(f"{compiler.split()[0]} is not installed")
    mercer.ok("export", "c", PENDULUM, "--out", "kit", "--name", "pilot", "--kit", "--numbers", numbers)
    folder = mercer.folder / "kit"
    (folder / "Arduino.h").write_text(ARDUINO)
    run(*compiler.split(), "-std=gnu++11", "-Wall", "-Wextra", "-Werror", "-Isrc", "-include", "Arduino.h", "-x", "c++", "-c",
        "examples/pilot_loop/pilot_loop.ino", "-o", "sketch.o", cwd=folder)


def test_the_sketch_keeps_the_period_of_the_contract_or_asks_for_it(mercer, kit):
    sketch = (kit / "examples/pilot_loop/pilot_loop.ino").read_text()
    assert "period_ms = 50;\n" in sketch and "millis()" in sketch and "delay(" not in sketch
    mercer.ok("embed", "--route", "continuous", "--env", "mountain-car", "--policy", "uniform", "--k", "2", "--rollouts", "5", "--rounds", "1",
              "--episodes", "5", "--out", "m.mercer")
    mercer.ok("export", "c", "m.mercer", "--out", "free", "--name", "pilot", "--kit")
    sketch = (mercer.folder / "free/examples/pilot_loop/pilot_loop.ino").read_text()
    assert re.search(r"period_ms = \d+;  // the task states no period: set it\n", sketch)


def test_platformio_finds_a_library(kit):
    library = json.loads((kit / "library.json").read_text())
    assert {"name", "version", "description", "keywords", "frameworks", "platforms", "headers", "build"} <= set(library)
    assert (kit / library["build"]["srcDir"] / library["headers"]).is_file()


ZEPHYR = """cmake_minimum_required(VERSION 3.13)
project(app C)
macro(zephyr_library)
  add_library(module STATIC)
endmacro()
macro(zephyr_library_sources)
  target_sources(module PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${ARGV})
endmacro()
macro(zephyr_include_directories)
  include_directories(${ARGV})
endmacro()
macro(zephyr_library_compile_definitions)
  target_compile_definitions(module PRIVATE ${ARGV})
endmacro()
add_subdirectory(${MODULE_CMAKE} module)
"""


@needs("cmake", "nm")
@pytest.mark.parametrize("selftest", ["y", ""])
def test_zephyr_finds_a_module(kit, selftest):
    """The manifest points at files that exist, and its CMake code builds with Zephyr's commands replaced by plain ones."""
    manifest = (kit / "zephyr/module.yml").read_text()
    assert re.fullmatch(r"name: pilot\nbuild:\n  cmake: zephyr\n  kconfig: zephyr/Kconfig\n", manifest)
    kconfig = (kit / "zephyr/Kconfig").read_text()
    assert re.findall(r"^config (\w+)$", kconfig, re.M) == ["PILOT", "PILOT_SELFTEST"]
    assert all(line.startswith(("config ", "\t")) or not line for line in kconfig.splitlines())
    app = kit / "app"
    app.mkdir()
    (app / "CMakeLists.txt").write_text(ZEPHYR)
    run("cmake", "-S", "app", "-B", "b", f"-DMODULE_CMAKE={kit / 'zephyr'}", "-DCONFIG_PILOT=y", f"-DCONFIG_PILOT_SELFTEST={selftest}",
        cwd=kit)
    run("cmake", "--build", "b", cwd=kit)
    symbols = run("nm", next((kit / "b").rglob("libmodule.a")), cwd=kit)
    assert " T pilot_act\n" in symbols and (" T pilot_selftest\n" in symbols) == (selftest == "y")


@pytest.mark.parametrize("machine, numbers", [("cortex-m0", "fixed"), ("cortex-m4f", "float"), ("cortex-m33", "float"),
                                              ("rv32imc", "fixed"), ("rv32imc", "float")])
def test_ten_episodes_on_a_chip(mercer, machine, numbers):
    mercer.ok("export", "c", PENDULUM, "--out", "kit", "--name", "pilot", "--kit", "--numbers", numbers)
    kit = mercer.folder / "kit"
    play = (machine, kit, "pilot_episodes", "src/pilot.c", "test/test_closed_loop.c")
    assert exit_on(*play) == 0
    break_coefficient(kit)
    assert exit_on(*play) == 1


@needs("avr-gcc", "simavr")
def test_ten_episodes_on_an_avr(mercer):
    """In float: a double of AVR has single precision, so the test itself would round observations coarser than integers do."""
    mercer.ok("export", "c", PENDULUM, "--out", "kit", "--name", "pilot", "--kit")
    kit = mercer.folder / "kit"
    for word in ("agree", "differ"):
        assert said_on_avr(kit, "pilot_episodes", "src/pilot.c", "test/test_closed_loop.c") == word
        break_coefficient(kit)


@needs("avr-gcc", "simavr")
def test_integers_of_an_avr_agree_with_test_vectors(mercer):
    """An int of AVR has 16 bits."""
    mercer.ok("inspect", PENDULUM, "--test-vectors", "100", "--out", "v")
    mercer.ok("export", "c", PENDULUM, "--out", "d/src", "--name", "pilot", "--numbers", "fixed", "--check", "v.json")
    sources = ("src/pilot.c", "src/pilot_check.c")
    assert said_on_avr(mercer.folder / "d", "pilot_selftest", *sources) == "agree"
    assert said_on_avr(mercer.folder / "d", "pilot_check", *sources) == "agree"
    break_coefficient(mercer.folder / "d")
    assert said_on_avr(mercer.folder / "d", "pilot_check", *sources) == "differ"


@needs("cppcheck")
def test_misra_reports_nothing_beyond_the_documented_deviations(mercer):
    """cppcheck's MISRA addon on controllers of all kinds: 0 undocumented rules, and every documented one is needed."""
    embeddings = [PENDULUM, *(DATA / f"embeddings/{name}.mercer" for name in LATTICES)]
    for kind, more in {"gaussian": (), "ridge": ("--basis", "ridge"), "matern": ("--basis", "kernel:matern52"), "gauss": ("--basis", "kernel:gaussian"),
                       "cosine": ("--basis", "cosine"), "waves": ("--basis", "rff:gaussian")}.items():
        mercer.ok("embed", "--route", "continuous", "--env", "pendulum", "--policy", DATA / "policies/pendulum_5000_actor.onnx", "--k", "6",
                  "--rollouts", "5", "--rounds", "1", "--episodes", "5", "--out", f"{kind}.mercer", *more)
        embeddings.append(mercer.folder / f"{kind}.mercer")
    reported = set()
    for number, embedding in enumerate(embeddings):
        for numbers in ("float", "fixed"):
            for mode in ("table", "coefficients") if embedding.parent.name == "embeddings" else ("table",):
                folder = f"m{number}{numbers}{mode}"
                mercer.ok("export", "c", embedding, "--out", folder, "--name", "pilot", "--kit", "--numbers", numbers, "--mode", mode)
                kit = mercer.folder / folder
                check = ("cppcheck", "--quiet", "--addon=misra", "--std=c99", "-q", "-Isrc", "--template={id} {file}:{line}", "src/pilot.c")
                every = subprocess.run(check, cwd=kit, text=True, capture_output=True).stderr
                lines = [line for line in every.splitlines() if re.match(r"\S+ \S+:\d+$", line)]
                assert all(line.startswith("misra-") for line in lines), lines  # nor anything else that cppcheck finds
                reported |= set(re.findall(r"misra-c2012-(\d+\.\d+)", every))
                documented = set(re.findall(r"^\| (\d+\.\d+) \|", (kit / "MISRA.md").read_text(), re.M))
    listed = {line.removeprefix("misra-c2012-") for line in (kit / "misra_suppressions.txt").read_text().split()}
    print(f"reported: {sorted(reported)}; undocumented: {len(reported - documented)}")
    assert documented == listed and reported <= documented
    said = subprocess.run([*check, "--suppressions-list=misra_suppressions.txt"], cwd=kit, text=True, capture_output=True)
    assert said.stdout + said.stderr == "", said.stderr
    assert documented <= reported, documented - reported


def test_the_readme_says_what_matters(kit):
    text = (kit / "README.md").read_text()
    assert "cppcheck --quiet --addon=misra" in (kit / "MISRA.md").read_text()
    for word in ("cos\\_theta", "rad/s", "an estimate", "SHA-256", "Certificate id", "this code is yours", "in closed loop", "embedding",
                 "network", "`pilot_selftest() == 0`".strip("`")):
        assert word in text, word
    assert "the model" not in text
    for name in re.findall(r"`((?:src|test|zephyr|examples)/[^`]*)`", text):
        assert (kit / name).exists(), name
