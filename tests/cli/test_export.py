"""Exported C through the program: files, refusals, and the chips it is for."""

import json
import os
import pathlib
import re
import shutil
import struct
import subprocess

import pytest

from chips import exit_on

DATA = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "tests/data"
# mercer compress --env pendulum --policy pendulum_5000_actor.onnx --max-loss 1% --seed 1
PENDULUM = DATA / "export/pendulum_5000.mercer"
LATTICE = DATA / "embeddings/fourier_mean_action.mercer"
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror")
ARM = "arm-none-eabi-gcc"
CORES = {
    "m0": ("-mcpu=cortex-m0", "-mthumb"),
    "m4f": ("-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"),
}


@pytest.fixture
def embedding():
    return PENDULUM


def size(file):
    """Bytes of text, data and bss."""
    said = subprocess.run(["arm-none-eabi-size", str(file)], check=True, text=True, capture_output=True).stdout
    return [int(number) for number in said.splitlines()[1].split()[:3]]


def damaged(source, target, change):
    """A copy of an embedding whose manifest `change` has been at."""
    data = source.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    head = json.loads(data[8:8 + length])
    manifest = json.loads(head["__metadata__"]["mercer"])
    change(manifest)
    head["__metadata__"]["mercer"] = json.dumps(manifest)
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    target.write_bytes(struct.pack("<Q", len(text)) + text + data[8 + length:])


@pytest.mark.parametrize("numbers, math", [("float", "libm"), ("float", "none"), ("fixed", "none")])
def test_what_is_written_compiles_and_checks_itself(mercer, embedding, numbers, math):
    said = mercer.json("export", "c", embedding, "--out", "d", "--name", "pilot", "--numbers", numbers, "--math", math)
    assert {"files", "flash_bytes", "operations"} <= set(said)
    assert [pathlib.Path(name).name for name in said["files"]] == ["pilot.h", "pilot.c", "main.c"]
    assert 0 < said["flash_bytes"] < 400 and 0 < said["operations"] < 1000
    libraries = ["-lm"] if math == "libm" else []
    subprocess.run(["gcc", *STRICT, "pilot.c", "main.c", "-o", "pilot", *libraries], cwd=mercer.folder / "d", check=True)
    shown = subprocess.run(["./pilot"], cwd=mercer.folder / "d", check=True, stdout=subprocess.PIPE, text=True).stdout
    names, numbers_shown = zip(*(line.split() for line in shown.splitlines()))
    assert names == ("observation",) * 3 + ("action",)
    source = (mercer.folder / "d/pilot.c").read_text()
    first = re.search(r"test_obs\[\d+\]\[3\] = \{\s*\{([^}]*)\}", source)[1].replace("f", "").split(",")
    header = (mercer.folder / "d/pilot.h").read_text()
    units = [float(re.search(rf"OBS_ONE_{i} (\S+)", header)[1]) if numbers == "fixed" else 1 for i in range(3)]
    assert [float(number) for number in numbers_shown[:3]] == pytest.approx([float(one) / unit for one, unit in zip(first, units)], rel=1e-4)
    called = [name for name in ("tanhf", "expf", "sqrtf") if f" {name}(" in source]
    wanted = f"needs the C library's {' and '.join(called)} (link with -lm)" if math == "libm" else "needs no library"
    assert wanted in re.sub(r"\s*\n \*\s*", " ", header) and bool(called) == (math == "libm")
    for word in ("obs[0]", "rad/s", "Certificate", "Flash", "bytes of stack"):
        assert word in header, word
    assert "the model" not in header
    said = re.sub(r"\s*\n \*\s*", " ", header)
    for words in ("Made by Mercer ", "SHA-256 of the network: ", "Licence: this code is yours", "of this code differ from the embedding's by",
                  "the network's"):
        assert words in said, words


def test_the_certificate_id_is_the_digest_in_the_file(mercer):
    mercer.ok("embed", "--route", "continuous", "--env", "pendulum", "--policy", DATA / "policies/pendulum_5000_actor.onnx", "--k", "4",
              "--rounds", "1", "--episodes", "20", "--out", "p.mercer")
    mercer.ok("certify", "p.mercer", "--episodes", "50")
    mercer.ok("export", "c", "p.mercer", "--out", "d")
    data = (mercer.folder / "p.mercer").read_bytes()
    head = json.loads(data[8:8 + struct.unpack("<Q", data[:8])[0]])
    manifest = json.loads(head["__metadata__"]["mercer"])
    header = (mercer.folder / "d/controller.h").read_text()
    assert f"Certificate id: {manifest['digests']['certificate'][:16]}." in header
    assert manifest["teacher_sha256"] in header


def test_a_certificate_of_drawn_actions_is_not_that_of_the_code(mercer):
    actor = DATA / "policies/pendulum_5000_actor.onnx"
    mercer.ok("embed", "--env", "pendulum", "--policy", actor, "--rollouts", 20, "--episodes", 2, "--k", 50, "--state-bins", 5, "--out", "p.mercer")
    mercer.ok("certify", "p.mercer", "--episodes", 50)
    for verb in (("c",), ("c", "--kit"), ("st",), ("rust",), ("js",)):
        said = mercer.ok("export", verb[0], "p.mercer", "--out", "-".join(verb), *verb[1:]).stderr
        assert "warning: the certificate of 'p.mercer' is about drawn actions, but exported code plays the mean action" in said
    assert "warning" not in mercer.ok("export", "json", "p.mercer", "--out", "json").stderr
    for path in ("c/controller.h", "c---kit/README.md"):
        text = " ".join(re.sub(r"\n \*", " ", (mercer.folder / path).read_text()).split())
        assert "It is about drawn actions, but this code plays the mean action, for which nothing is promised" in text
    mercer.ok("certify", "p.mercer", "--act", "mean", "--episodes", 50)
    assert "warning" not in mercer.ok("export", "c", "p.mercer", "--out", "mean").stderr
    assert "nothing is promised" not in (mercer.folder / "mean/controller.h").read_text()


def test_nothing_is_replaced_without_force(mercer, embedding):
    export = ("export", "c", embedding, "--out", "d")
    mercer.ok(*export)
    mercer.ok(*export)  # the same text: nothing is lost
    mine = mercer.folder / "d/main.c"
    mine.write_text("int main(void) { return 7; }\n")
    said = mercer.fails(3, *export)
    assert "E302" in said and "main.c' exists and holds something else" in said and "--force" in said
    assert "return 7" in mine.read_text()
    assert "E302" in mercer.fails(3, *export, "--numbers", "fixed")
    assert "unusable" in (mercer.folder / "d/controller.c").read_text()  # no file changes where one may not
    mercer.ok(*export, "--force")
    assert "return 7" not in mine.read_text()
    for format in ("st", "json"):
        (mercer.folder / f"d/controller.{format}").write_text("mine")
        assert "E302" in mercer.fails(3, "export", format, embedding, "--out", "d")


@pytest.mark.parametrize("name", ["main", "math", "stdint", "stdio"])
def test_a_name_must_not_hide_another_file(mercer, embedding, name):
    assert f"'{name}' is the name of another file" in mercer.fails(2, "export", "c", embedding, "--out", "d", "--name", name)
    assert not (mercer.folder / "d").exists()


@pytest.mark.parametrize("name", ["test", "check", "recorded"])
def test_a_name_must_not_be_one_of_the_code_itself(mercer, embedding, name):
    """test_act was a function and a table of the self-test at once, check_act and recorded_act two of others."""
    assert "names its cases" in mercer.fails(2, "export", "c", embedding, "--out", "d", "--name", name)
    assert not (mercer.folder / "d").exists()


@pytest.mark.parametrize("high", [2.0, 0.01, 1e-5])
def test_units_of_integers_are_powers_of_two_in_c(mercer, high):
    """2^34 was written as 1.717986918e+10.0: an action of 0.00001 had a header that did not compile."""
    def narrow(manifest):
        manifest["contract"]["action"]["axes"][0]["range"] = [-high, high]
        manifest["contract"]["scale"], manifest["contract"]["clip"] = [high], [[-high, high]]

    damaged(PENDULUM, mercer.folder / "narrow.mercer", narrow)
    mercer.ok("export", "c", "narrow.mercer", "--out", "d", "--numbers", "fixed")
    unit = re.search(r"ACT_ONE_0 (\S+)", (mercer.folder / "d/controller.h").read_text())[1]
    assert float(unit) > 1 and float(unit).hex().startswith("0x1.0000000000000p"), unit
    subprocess.run(["gcc", *STRICT, "controller.c", "main.c", "-o", "c"], cwd=mercer.folder / "d", check=True)
    subprocess.run(["./c"], cwd=mercer.folder / "d", check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("mode", ["table", "coefficients"])
@pytest.mark.parametrize("basis", ["svd:centred", "dct"])
def test_a_policy_that_does_the_same_everywhere_has_integers_too(mercer, basis, mode):
    """Its factors are next to nothing, and a row was shifted by 99 bits."""
    mercer.ok("embed", "--env", "pendulum", "--policy", "uniform", "--horizon", 10, "--state-bins", 4, "--action-bins", 4,
              "--rollouts", 4, "--episodes", 4, "--seed", 1, "--k", 3, "--basis", basis, "--out", "p.mercer")
    mercer.ok("export", "c", "p.mercer", "--out", "d", "--numbers", "fixed", "--mode", mode)
    for flags in ((), ("-fsanitize=undefined", "-fno-sanitize-recover=all")):
        subprocess.run(["gcc", *STRICT, *flags, "controller.c", "main.c", "-o", "c"], cwd=mercer.folder / "d", check=True)
        subprocess.run(["./c"], cwd=mercer.folder / "d", check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("format", ["c", "st", "rust"])
def test_text_of_a_file_does_not_turn_code_around(mercer, format):
    """Compilers warn of such marks: an editor shows other code than they compile."""
    damaged(PENDULUM, mercer.folder / "p.mercer", lambda manifest: manifest.update(teacher="a\u202eb", env="c\u2066d"))
    mercer.ok("export", format, "p.mercer", "--out", "d")
    for path in (mercer.folder / "d").rglob("*.*"):
        assert not re.search("[\u202a-\u202e\u2066-\u2069]", path.read_text()), path


def test_bounds_beyond_single_precision_are_refused(mercer):
    """Such files gave inf and nan in the code."""
    def widen(manifest):
        manifest["contract"]["action"]["axes"][0]["range"] = [-1e39, 1e39]
        manifest["contract"]["scale"], manifest["contract"]["clip"] = [1e39], [[-1e39, 1e39]]

    wide = mercer.folder / "wide.mercer"
    damaged(PENDULUM, wide, widen)
    for format in ("c", "st"):
        said = mercer.fails(2, "export", format, wide, "--out", "d")
        assert "E202" in said and "1e+39; legal in single precision" in said, said
    assert not (mercer.folder / "d").exists()


@pytest.mark.parametrize("numbers", ["float", "fixed"])
@pytest.mark.parametrize("mode", ["table", "coefficients"])
@pytest.mark.parametrize("name", ["export/pendulum_5000", "embeddings/db4_snake", "embeddings/dct_tour_discrete",
                                  "embeddings/fourier_mean_action", "embeddings/svd_lexicographic"])
def test_bytes_of_tables_are_as_stated(mercer, name, mode, numbers):
    said = mercer.json("export", "c", DATA / f"{name}.mercer", "--out", "d", "--numbers", numbers, "--mode", mode)
    subprocess.run(["gcc", "-std=c99", "-O0", "-DCONTROLLER_NO_SELFTEST", "-c", "controller.c"], cwd=mercer.folder / "d",
                   check=True)
    symbols = subprocess.run(["nm", "-S", "controller.o"], cwd=mercer.folder / "d", check=True, text=True,
                             capture_output=True).stdout.splitlines()
    tables = [line.split() for line in symbols if len(line.split()) == 4 and line.split()[2] == "r"]
    assert sum(int(size, 16) for _, size, _, _ in tables) == said["flash_bytes"], tables


def test_the_self_test_sees_a_changed_coefficient(mercer, embedding):
    mercer.ok("export", "c", embedding, "--out", "d")
    source = (mercer.folder / "d/controller.c").read_text()
    before, table = source.split("coefficient[", 1)
    number = table.split("{", 2)[2].split("}", 1)[0]
    changed = table.replace(number, "-" + number if number[0] != "-" else number[1:], 1)
    (mercer.folder / "d/controller.c").write_text(before + "coefficient[" + changed)
    subprocess.run(["gcc", "controller.c", "main.c", "-o", "c", "-lm"], cwd=mercer.folder / "d", check=True)
    assert subprocess.run(["./c"], cwd=mercer.folder / "d", stdout=subprocess.DEVNULL).returncode == 1


def test_json_holds_everything(mercer, embedding):
    said = mercer.json("export", "json", embedding, "--out", "d")
    document = json.loads(pathlib.Path(mercer.folder / said["files"][0]).read_text())
    assert document["route"] == "continuous" and document["k"] == len(document["continuous"]["terms"])
    assert {"contract", "certificate", "basis", "payload_bytes"} <= set(document)
    assert all(term["kind"] == "product" and term["factors"] for term in document["continuous"]["terms"])
    said = mercer.json("export", "json", LATTICE, "--out", "d", "--name", "lattice")
    document = json.loads(pathlib.Path(mercer.folder / said["files"][0]).read_text())
    cells = document["lattice"]["cells"]
    assert document["route"] == "lattice" and len(cells) == len(document["lattice"]["table"])
    assert all(abs(sum(row) - 1) < 1e-9 for row in document["lattice"]["table"])


@pytest.mark.parametrize("name", ["db4_snake", "dct_tour_discrete", "fourier_mean_action", "svd_lexicographic"])
@pytest.mark.parametrize("numbers", ["float", "fixed"])
def test_lattices_have_two_modes(mercer, name, numbers):
    for mode in ("table", "coefficients"):
        said = mercer.json("export", "c", DATA / f"embeddings/{name}.mercer", "--out", mode, "--numbers", numbers,
                           "--mode", mode, "--math", "none")
        assert set(said["modes"]) == {"table", "coefficients"}
        assert said["flash_bytes"] == said["modes"][mode]["flash_bytes"]
        assert said["operations"] == said["modes"][mode]["operations"]
        subprocess.run(["gcc", *STRICT, "controller.c", "main.c", "-o", "c"], cwd=mercer.folder / mode, check=True)
        subprocess.run(["./c"], cwd=mercer.folder / mode, check=True, stdout=subprocess.DEVNULL)


def test_refusals(mercer, embedding):
    export = ("export", "c", embedding, "--out", "d")
    assert "E203" in mercer.fails(2, *export, "--name", "1st")
    assert "E202" in mercer.fails(2, *export, "--safe-action", "7")
    assert "E203" in mercer.fails(2, *export, "--safe-action", "0,0")
    assert "E204" in mercer.fails(2, "export", "c", embedding)
    assert "E204" in mercer.fails(2, "export", "c", "--out", "d")
    assert "E201" in mercer.fails(2, "export", "fortran", embedding, "--out", "d")
    assert "E2" in mercer.fails(2, *export, "--mode", "neither")
    newer, without = mercer.folder / "newer.mercer", mercer.folder / "without.mercer"
    damaged(embedding, newer, lambda manifest: manifest.update(format=99))
    damaged(embedding, without, lambda manifest: manifest.pop("contract"))
    assert "99" in mercer.fails(3, "export", "c", newer, "--out", "d")
    assert "E304" in mercer.fails(3, "export", "c", without, "--out", "d")
    assert not (mercer.folder / "d").exists()


@pytest.mark.skipif(shutil.which(ARM) is None, reason="gcc-arm-none-eabi is not installed")
@pytest.mark.parametrize("core, numbers", [("m0", "fixed"), ("m4f", "float")])
def test_it_fits_a_chip(mercer, embedding, core, numbers):
    mercer.ok("export", "c", embedding, "--out", "d", "--numbers", numbers, "--math", "none")
    folder = mercer.folder / "d"
    for selftest in ("-DCONTROLLER_NO_SELFTEST", "-DNOTHING"):
        subprocess.run([ARM, *STRICT, *CORES[core], "-Os", selftest, "-c", "controller.c"], cwd=folder, check=True)
        text, data, bss = size(folder / "controller.o")
        print(f"{core} {numbers} {selftest}: {text} bytes of code and tables")
        assert text + data < 1024 and data == 0 and bss == 0


@pytest.mark.skipif(shutil.which(ARM) is None, reason="gcc-arm-none-eabi is not installed")
@pytest.mark.parametrize("core, machine, numbers", [("m0", "cortex-m0", "fixed"), ("m4f", "cortex-m4f", "float")])
def test_the_self_test_passes_on_a_chip(mercer, embedding, core, machine, numbers):
    mercer.ok("export", "c", embedding, "--out", "d", "--numbers", numbers, "--math", "none")
    folder = mercer.folder / "d"
    assert exit_on(machine, folder, "controller_selftest", "controller.c") == 0
    subprocess.run([ARM, *CORES[core], "-Os", "-c", "controller.c"], cwd=folder, check=True)
    print(f"{core}: {size(folder / 'chip.elf')[0]} bytes linked, {size(folder / 'controller.o')[0]} of them exported")
    # A wrong table must fail there, too, or the line above says nothing.
    source = (folder / "controller.c").read_text()
    start = source.index("{", source.index("test_act[5]")) + 1
    number = source.index("{", start) + 1
    (folder / "controller.c").write_text(source[:number] + "1" + source[number:].replace("-", "", 1))
    assert exit_on(machine, folder, "controller_selftest", "controller.c") == 1
