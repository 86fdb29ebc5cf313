"""Runs the recorded commands, in their order, with one program in one fresh folder."""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib

import parts

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent / "data"


def commands():
    """Those of commands.toml: `run` for the program, or `call`, a function of calls.py."""
    return tomllib.loads((HERE / "commands.toml").read_text())["command"]


class Build:
    """A program, the folder of the Python package beside it (None: not built), and the libraries of both."""

    def __init__(self, program, python=None, threads=None):
        self.program = pathlib.Path(program).resolve()
        self.python = python and pathlib.Path(python).resolve()
        self.threads = threads

    def environment(self, more=()):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("MERCER_", "PYTHONPATH"))}
        libraries = [str(self.program.parent.parent / "lib"), os.environ.get("LD_LIBRARY_PATH")]
        kept.update(LC_ALL="C.UTF-8", LD_LIBRARY_PATH=":".join(filter(None, libraries)),
                    PYTHONPATH=f"{self.python}:{HERE.parent / 'python'}")
        if self.threads:
            kept["MERCER_THREADS"] = str(self.threads)
        return {**kept, **dict(more)}

    def words(self, command):
        if "call" in command:
            return [sys.executable, "-B", str(HERE / "calls.py"), command["call"]]
        return [str(self.program), *shlex.split(command["run"])]


def written(folder):
    """Every file with what changes when it is written anew."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.stat().st_ino) for path in files}


def run(command, folder, build):
    """Exit code and parts of one command."""
    for name, text in command.get("write", {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    before = written(folder)
    done = subprocess.run(build.words(command), cwd=folder, env=build.environment(command.get("set", {}).items()),
                          capture_output=True, text=True, timeout=1200)
    found = parts.of_output(done.stdout, done.stderr)
    for name, state in sorted(written(folder).items()):
        if before.get(name) != state:
            found.update(parts.of_file(name, (folder / name).read_bytes()))
    expected = command.get("exit", 0)
    return {"exit": done.returncode, **({"stderr": done.stderr[-2000:]} if done.returncode != expected else {}), "parts": found}


def record(build, each=lambda name, result: None):
    """Results of all commands by name. Without the Python package its calls are left out."""
    results = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for name in ("policies", "embeddings", "export", "sb3"):
            shutil.copytree(DATA / name, folder / name)
        for command in commands():
            if "call" in command and not build.python:
                continue
            results[command["name"]] = run(command, folder, build)
            each(command["name"], results[command["name"]])
    return results
