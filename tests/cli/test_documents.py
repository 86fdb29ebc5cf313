"""Every command in README and docs runs as printed, page by page and from top to bottom, with less work (hasty_mercer.py)."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(os.environ["SOURCE_FOLDER"])
HASTY = pathlib.Path(__file__).with_name("hasty_mercer.py")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
STARTS = ("mercer ", "./", "build/", "cc ", "cmake ", "cd ", "openssl ", "paper/", "pip ", "source ", "tools/")
PROMISES = ("compress", "certify", "embed")  # may end with 5 where so little was searched

# What is not run here, with the test that does it or the reason why none can.
ELSEWHERE = {
    r"^\./run |^tools/side_by_side": "./run builds; tests/cli/test_demo.py and test_picture.py run what it calls",
    r"^build/": "what the demo and the examples build: tests/cli/test_demo.py, tests/install",
    r"^kit/build/": "cmake builds it: tests/cli/test_kit.py",
    r"^pip ": "needs a build: the page says from where",
    r"^cmake |^cd build/examples|cruise\.so": "tests/install/consume.cmake",
    r"^openssl pkeyutl": "tests/cli/test_digests.py takes the signature apart first",
}
# Files of other people, which are not in the repository: the program must get as far as opening them.
FOREIGN = re.compile(r"HalfCheetah-v3\.zip|Hopper-v3\.zip|cheetah\.mercer|cheetah_check|\.cleanrl_model|\.msgpack|Pendulum\.pth|model_1500\.pt|exported/policy\.pt|reach\.toml")


def commands(page):
    """Of the fenced blocks without a language; a command may go over several lines."""
    for language, block in FENCE.findall(page.read_text()):
        lines = re.sub(r"\\\n\s*", " ", block).splitlines() if language == "" else []
        session = any(line.startswith("$ ") for line in lines)
        for line in lines:
            if line.startswith("$ ") if session else line.startswith(STARTS):
                yield re.sub(r"\s{2,}#.*", "", line.removeprefix("$ ")).strip()


PAGES = [page for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if any(commands(page))]


@pytest.fixture
def folder(tmp_path):
    """A checkout as far as documents name it, and what earlier pages made."""
    for name in ("tests", "examples", "paper"):
        (tmp_path / name).symlink_to(ROOT / name)
    for name in ("actor.onnx", "your_actor.onnx"):
        shutil.copy(ROOT / "tests/data/policies/pendulum_5000_actor.onnx", tmp_path / name)
    shutil.copy(ROOT / "tests/data/sb3/pendulum_5000_actor.zip", tmp_path / "agent.zip")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/mercer").symlink_to(HASTY)
    (tmp_path / ".zfunc").mkdir()
    run(tmp_path, "mercer embed --route continuous --env pendulum --policy actor.onnx --k 3 --rounds 1 --out p.mercer")
    return tmp_path


def run(folder, command):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MERCER_")}
    environment.update(PATH=f"{folder / 'bin'}:{os.environ['PATH']}", HOME=str(folder), TMPDIR=str(folder), MPLBACKEND="Agg")
    return subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=600)


def check(command, done):
    if FOREIGN.search(command) and ("E301" in done.stderr or "No such file" in done.stderr):
        return
    if "libmujoco-dev" in done.stderr or "libbox2d-dev" in done.stderr:
        return  # built without them
    allowed = (0, 5) if any(f"mercer {verb} " in command for verb in PROMISES) else (0,)
    assert done.returncode in allowed, f"{command}\n{done.stdout[-1000:]}\n{done.stderr[-2000:]}"


@pytest.mark.skipif(os.environ.get("SANITIZERS", "") != "", reason="too slow under a sanitizer")
@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_the_commands_of_a_page(page, folder):
    for command in commands(page):
        if not any(re.search(pattern, command) for pattern in ELSEWHERE):
            check(command, run(folder, command.replace("man -l -", "cat")))


def test_commands_are_found_and_exceptions_are_used():
    found = [command for page in PAGES for command in commands(page)]
    assert len(found) > 90
    assert "mercer export c small.mercer --out firmware --name pilot" in found
    assert [pattern for pattern in ELSEWHERE if not any(re.search(pattern, command) for command in found)] == []
    assert all(any(name in command for command in found) for name in ("cheetah.mercer", "model_1500.pt"))
