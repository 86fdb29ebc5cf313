"""One run of all recorded commands, shared by the tests."""

import json
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import compare  # noqa: E402
import fingerprint  # noqa: E402
import runner  # noqa: E402


class Recording:
    """What was recorded, what this build makes, and how far both can be compared."""

    def __init__(self):
        document = json.loads((runner.DATA / "recorded.json").read_text())
        package = pathlib.Path(os.environ["PYTHONPATH"].split(":")[0])
        build = runner.Build(os.environ["BINARY_UNDER_TEST"], package if (package / "mercer").is_dir() else None)
        self.recorded = document["commands"]
        self.other_build = fingerprint.differences(document["fingerprint"],
                                                   fingerprint.of(build, os.environ.get("SANITIZERS", "")))
        self.same_build = not self.other_build
        self.seen = runner.record(build)
        self.exceptions = compare.Exceptions.read()
        self.results = compare.compare_all(self.recorded, self.seen, self.same_build, self.exceptions)

    def told(self):
        if self.same_build:
            return ["recorder: this is the recorded build; every part was compared to the bit"]
        sound = sum("across" in command and command["name"] in self.seen for command in runner.commands())
        return [f"recorder: another build than the recorded one. Figures of {sound} commands were compared to the tolerances of "
                f"commands.toml, of {len(self.seen) - sound} exit code and structure", *(f"  {line}" for line in self.other_build)]


@pytest.fixture(scope="session")
def recording(request):
    request.config.recording = Recording()
    return request.config.recording


def pytest_terminal_summary(terminalreporter, config):
    for line in config.recording.told() if hasattr(config, "recording") else []:
        terminalreporter.write_line(line)
