"""Runs the real program in a folder of its own."""

import json
import os
import subprocess

import pytest

PROGRAM = os.environ["BINARY_UNDER_TEST"]


class Mercer:
    def __init__(self, folder):
        self.folder = folder

    def run(self, *arguments, **environment):
        variables = {name: value for name, value in os.environ.items() if not name.startswith("MERCER_")}
        variables.update(environment)
        return subprocess.run(
            [PROGRAM, *map(str, arguments)], cwd=self.folder, env=variables, capture_output=True, text=True, timeout=300
        )

    def ok(self, *arguments, **environment):
        done = self.run(*arguments, **environment)
        assert done.returncode == 0, done.stderr
        return done

    def json(self, *arguments, **environment):
        """The one document on standard output; anything else there fails to parse."""
        return json.loads(self.ok(*arguments, "--json", **environment).stdout)

    def fails(self, exit_code, *arguments, **environment):
        """What the program said on standard error when it refused."""
        done = self.run(*arguments, **environment)
        assert done.returncode == exit_code, (done.returncode, done.stderr)
        assert done.stdout == ""
        return done.stderr


@pytest.fixture
def mercer(tmp_path):
    return Mercer(tmp_path)
