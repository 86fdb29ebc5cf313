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
    r"^paper/document\.py": "writes into the sources: tests/cli/test_reproduce.py does so into a copy",
    r"^paper/commits\.py r": "fails while rules are edited, as it should: tests/cli/test_reproduce.py",
    r"^build/": "what the demo and the examples build: tests/cli/test_demo.py, tests/install",
    r"^kit/build/": "cmake builds it: tests/cli/test_kit.py",
    r"^pip ": "needs a build: the page says from where",
    r"^cmake |^cd build/examples|cruise\.so": "tests/install/consume.cmake",
    r"^openssl pkeyutl": "tests/cli/test_digests.py takes the signature apart first",
}
# Files of other people, which are not in the repository: the program must get as far as opening them.
FOREIGN = re.compile(r"cheetah\.onnx|HalfCheetah-v3\.zip|Hopper-v3\.zip|cheetah\.mercer|cheetah_check|\.cleanrl_model|\.msgpack|Pendulum\.pth|model_1500\.pt|exported/policy\.pt|reach\.toml")


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


# First words of commands that no block may hold unseen: one that is not run stands in a block with a language, or in STARTS.
PROGRAMS = {"apt", "apt-get", "arm-none-eabi-gcc", "bench", "cargo", "curl", "ctest", "docker", "dpkg", "gcc", "git", "make", "mpirun", "node",
            "npm", "npx", "python", "python3", "rustc", "sbatch", "srun", "ssh", "sudo"}


def test_no_command_is_overlooked():
    for page in PAGES:
        for language, block in FENCE.findall(page.read_text()):
            lines = re.sub(r"\\\n\s*", " ", block).splitlines()
            if language == "" and not any(line.startswith("$ ") for line in lines):
                overlooked = [line for line in lines if re.split(r"[ /]", line)[0] in PROGRAMS and not line.startswith(STARTS)]
                assert overlooked == [], f"{page.name}: write '$ ' in front, or name the block's language"


def flags_of(*verb):
    said = subprocess.run([os.environ["BINARY_UNDER_TEST"], *verb, "--help"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", said)) | {"--help"}


@pytest.fixture(scope="module")
def verbs():
    said = subprocess.run([os.environ["BINARY_UNDER_TEST"], "--help"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^  ([a-z]+) ", said[said.index("Verbs:"):], re.M)
    assert {"compress", "watch", "export"} <= set(names)
    return {name: flags_of(name) for name in names}


TEXTS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")] + sorted((ROOT / "docs").rglob("*.md"))
SCRIPTS = [command for page in TEXTS for language, block in FENCE.findall(page.read_text()) if language in ("sh", "fish")
           for command in re.sub(r"\\\n\s*", " ", block).splitlines() if re.search(r"(^|\s)mercer ", command) and not command.startswith("#")]


def test_commands_within_sentences_exist(verbs):
    """What stands in a line of text is not run: its verb and its flags exist."""
    inline = [found for page in TEXTS for found in re.findall(r"`mercer ([a-z]+(?: [^`]*[^` ])?)`", FENCE.sub("", page.read_text()))]
    scripts = [re.search(r"(?:^|\s)mercer (.*)", command)[1] for command in SCRIPTS]
    assert len(inline) > 100 and len(scripts) == 3
    families = {"return"}  # of performance.md: `mercer return` is no command
    for command in [*(one for one in inline if one not in families), *scripts]:
        verb, *words = command.split()
        assert verb in verbs, f"mercer {command}"
        flags = {word.split("=")[0] for word in words if word.startswith("--")}
        assert flags <= verbs[verb], f"mercer {command}: {flags - verbs[verb]}"


# Documents also name flags of other programs.
OTHERS = {"--bind-to", "--map-by", "--oversubscribe", "--allow-run-as-root"}  # of mpirun


def test_flags_within_sentences_exist(verbs):
    known = set().union(*verbs.values()) | {"--version"}
    for folder in ("tools", "bench", "paper"):
        for script in (ROOT / folder).rglob("*.py"):
            known |= set(re.findall(r'"(--[a-z][a-z-]+)"', script.read_text()))
    known |= set(re.findall(r"--[a-z][a-z-]+", (ROOT / "run").read_text()))
    for page in TEXTS:
        named = set(re.findall(r"`(--[a-z][a-z-]+)", FENCE.sub("", page.read_text())))
        assert named - known - OTHERS == set(), page.name


@pytest.mark.parametrize("page", [page for page in TEXTS if "```sh\n" in page.read_text()], ids=lambda page: page.name)
def test_scripts_are_sound(page):
    for language, block in FENCE.findall(page.read_text()):
        if language == "sh":
            done = subprocess.run(["sh", "-n"], input=block, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
