"""Runs the program in a folder of its own."""

import json
import os
import pathlib
import subprocess

SOURCE = pathlib.Path(os.environ["SOURCE_FOLDER"])
POLICIES = SOURCE / "tests/data/policies"
PROGRAM = os.environ["BINARY_UNDER_TEST"]
HEAVY_TAILS = str(pathlib.Path(PROGRAM).with_name("heavy_tails.so"))  # tests/support


class Program:
    """`fault`: the number of a planted fault, in a binary that knows it."""

    def __init__(self, folder, binary=PROGRAM, fault=None):
        self.folder, self.binary = pathlib.Path(folder), binary
        self.variables = {name: value for name, value in os.environ.items() if not name.startswith("MERCER_")}
        if fault is not None:
            self.variables["PLANTED_FAULT"] = str(fault)

    def inside(self, name):
        """The same program in a folder below."""
        other = Program(self.folder / name, self.binary)
        other.folder.mkdir(parents=True)
        other.variables = self.variables
        return other

    def run(self, *arguments):
        return subprocess.run([self.binary, *map(str, arguments), "--threads", "1"], cwd=self.folder,
                              env=self.variables, capture_output=True, text=True, timeout=300)

    def ok(self, *arguments):
        done = self.run(*arguments)
        assert done.returncode == 0, (arguments, done.stderr)
        return done

    def json(self, *arguments):
        """The document, and what people read beside it. A budget that is not kept is no error here."""
        done = self.run(*arguments, "--json")
        assert done.returncode in (0, 5), (arguments, done.returncode, done.stderr)
        return json.loads(done.stdout), done

    def write(self, name, document):
        (self.folder / name).write_text(json.dumps(document))
        return name
