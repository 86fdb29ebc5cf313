"""Exported C of many embeddings under many options: it is refused, or it compiles without a warning and agrees with itself."""

import pathlib
import random
import shutil
import subprocess

import mutate
import seeds
from attempt import Row, attempt, left_over, listing, wrong_end

WARNINGS = "-pedantic -Wall -Wextra -Wconversion -Werror"
UNDEFINED = "-fsanitize=undefined -fno-sanitize-recover=all"
NAMES = ["pilot", "controller", "a", "A", "x" * 40, "y" * 41, "int", "class", "double", "template", "restrict", "_Bool", "__x",
         "_x", "x__y", "x_", "main", "math", "stdio", "stdint", "stddef", "string", "float", "limits", "assert", "errno", "NULL",
         "EOF", "linux", "unix", "printf", "act", "check", "selftest", "pilot_check", "MAIN", "Main", "1st", "a-b", "a b",
         "caf\xe9", "a.b", "../a", "a/b", "", "and", "fabsf", "tanhf", "int32_t", "obs", "test", "new", "true", "recorded",
         "INFINITY", "example", "free", "exit", "y0", "j1"]
LABELS = ["*/ #error", "/*", "//", "??/", "a\\", "\\\n", "%d%s%n", "\"", "'", "\n#error", "\r", "caf\xe9", "\x07", "\u202e",
          "x" * 40, "x" * 500, "??=", "*/", "a/*b", "1", "", "int", "theta[t-1]", "a b", "m/s^2", "*/*", "/ *", "%", "...", "-",
          "N m", "\\u000a", "$", "@", "@tables@", "@NAME@", "@places@"]


class Builds:
    def __init__(self, program, base, kept):
        self.program, self.kept, self.base = program, kept, pathlib.Path(base)
        lab = self.base / "lab"
        lab.mkdir(parents=True)
        self.made, _ = seeds.make_embeddings(program, lab)

    def embedding(self, chance):
        """The bytes of one, in six of ten cases changed under digests that fit: other labels, or anything."""
        data = chance.choice(self.made).data
        way = chance.random()
        if way < 0.4:
            return data
        if way < 0.6:
            changed, mended = mutate.embedding(data, chance)
            return changed if mended else data
        _, manifest, payload = mutate.embedding_parts(data)
        axes = manifest["contract"]["observation"]["axes"] + manifest["contract"]["action"]["axes"]
        for axis in chance.sample(axes, chance.randint(1, len(axes))):
            axis[chance.choice(("name", "unit"))] = chance.choice(LABELS)
        for key in chance.sample(("teacher", "env", "basis", "folder"), chance.choice((0, 0, 1))):
            manifest[key] = chance.choice(LABELS)
        return mutate.embedding_file(mutate.sealed(manifest, payload) if "digests" in manifest else manifest, payload)

    def one(self, number, row):
        chance = random.Random(f"{self.kept.seed}/builds/{number}")
        folder = self.base / "run"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "p.mercer").write_bytes(self.embedding(chance))
        name = chance.choice(NAMES) if chance.random() < 0.6 else "controller"
        words = ["export", "c", "p.mercer", "--out", "d", "--name", name, "--numbers", chance.choice(("float", "float", "fixed"))]
        words += chance.choice(([], ["--math", "none"], ["--math", "libm"]))
        words += chance.choice(([], [], ["--mode", "table"], ["--mode", "coefficients"]))
        words += ["--safe-action", chance.choice(("0", "0,0", "nan", "1", "-0", "1e300", "x"))] if chance.random() < 0.2 else []
        for option, count in (("--names", 4), ("--units", 4), ("--action-names", 1), ("--action-units", 1), ("--period", 1)):
            words += [option, ",".join(chance.choices(LABELS, k=count))] if chance.random() < 0.06 else []
        vectors = [self.program, "inspect", "p.mercer", "--test-vectors", 16, "--out", "v"]
        words += ["--check", "v.json"] if chance.random() < 0.4 and attempt(vectors, folder).code == 0 else []
        kit = chance.random() < 0.1
        words += ["--kit"] * kit
        words = [word for word in words if "\x00" not in word]
        before = listing(folder)
        done = attempt([self.program, *words], folder)
        wrong = wrong_end(done) + left_over(before, folder, done)
        if done.code == 0:
            wrong += build(folder / "d", name, kit, "--check" in words)
        row.count(done.code)
        if wrong:
            self.kept.add("builds", number, f"mercer {words}", wrong, folder, {"stdout": done.out, "stderr": done.err})


def compilations(folder, name, kit, check):
    """Commands that compile, and those that run what was compiled and must say that all agrees."""
    source = f"src/{name}.c" if kit else f"{name}.c"
    first = ["test/test_closed_loop.c"] if kit and (folder / "test/test_closed_loop.c").exists() else ["main.c"]
    mains = {"m": first, **({"k": [f"{name}_check.c"]} if check and not kit else {})}
    include = ["-Isrc", "-Itest"] if kit else []
    for target, files in mains.items():
        for compiler in ("gcc", "clang"):
            yield [compiler, "-std=c99", *WARNINGS.split(), *UNDEFINED.split(), *include, source, *files, "-o",
                   f"{compiler}-{target}", "-lm"]
            yield [f"./{compiler}-{target}"]
    yield ["g++", "-x", "c++", "-std=c++11", *WARNINGS.split(), *include, "-c", source, "-o", "cxx.o"]


def build(folder, name, kit, check):
    """What is wrong with exported code."""
    for command in compilations(folder, name, kit, check):
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=300)
        if done.returncode != 0:
            said = (done.stderr + done.stdout).decode(errors="replace")
            return [f"'{' '.join(command)}' ends with {done.returncode}: {said[:600]}"]
    return []


def attack(program, count, base, kept, only=None):
    row = Row("builds")
    builds = Builds(program, base / "builds", kept)
    number = -1
    # What is refused is no build; usually half of the exports are.
    while row.tried == 0 if only is not None else row.accepted < count and row.tried < 10 * count + 50:
        number += 1
        builds.one(number if only is None else only, row)
    if only is None and row.accepted < count:
        kept.add("builds", number, "mercer export c", [f"of {row.tried} exports only {row.accepted} were accepted"])
    return row
