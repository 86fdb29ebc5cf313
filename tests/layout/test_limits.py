"""Every budget of a reader is declared in src/io/limits.hpp, and so stands in docs/reference/limits.md (tests/io compares them)."""

import os
import pathlib
import re

ROOT = pathlib.Path(os.environ["SOURCE_FOLDER"])
READERS = [ROOT / "src" / folder for folder in ("io", "policy", "embed/payload", "env/mujoco")]
HEADER = ROOT / "src/io/limits.hpp"
DECLARED = re.compile(r"constexpr [\w:]+ ((?:\w+ = [^;]+?)(?:,\s*\w+ = [^;,]+)*);")
# Numbers called "most" or "longest" that bound nothing of a file's, with the reason.
OTHERS = {
    ("zip.cpp", "most_inflation"): "what deflate can do at most",
    ("file.cpp", "longest"): "a name that is written",
    ("mapped_table.cpp", "most"): "what a size can be",
    ("naming.cpp", "longest_name"): "names that a person gives", ("naming.cpp", "longest_unit"): "the same",
    ("naming.cpp", "longest_period"): "the same", ("naming.cpp", "most_steps_ago"): "the same",
    ("batch.hpp", "most"): "a tile", ("elementwise.cpp", "most"): "the largest float",
    ("graph.cpp", "most"): "the end of a slice", ("robot.cpp", "most"): "a weight or a limit, not an amount",
    ("physics.cpp", "most_parts"): "parts that a person names", ("physics.cpp", "most_bytes"): "copies for drawn parameters",
    ("term_code.cpp", "most_ranked"): "which of two codings is shorter",
    ("range_code.hpp", "most_bits"): "the code",
}


def sources(*folders):
    for folder in folders:
        yield from (path for path in sorted(folder.rglob("*")) if path.suffix in (".cpp", ".hpp"))


def budgets(text):
    """Constants named like a budget, with their values."""
    for declared in DECLARED.findall(text):
        for one in re.split(r",\s*(?=\w+ = )", declared):
            name, value = (part.strip() for part in one.split(" = ", 1))
            if re.match(r"(most|longest|deepest|max)(_|$)", name):
                yield name, value


def test_readers_have_no_budgets_of_their_own():
    found = set()
    for path in sources(*READERS):
        for name, value in budgets(path.read_text()):
            if (path.name, name) in OTHERS:
                found.add((path.name, name))
            elif path != HEADER:
                assert "limits::" in value, f"{path.name}: {name} = {value} belongs into src/io/limits.hpp"
        bare = re.findall(r"(?:size\(\)|length\(\)|count) >=? \d{2,}", path.read_text())
        assert bare == [], f"{path.name}: {bare}"
    assert found == set(OTHERS), "reasons for what is gone"


def test_the_check_sees_a_budget():
    assert list(budgets("constexpr std::size_t most_things = 7;")) == [("most_things", "7")]
    assert list(budgets("inline constexpr std::size_t a = 1, most_b = 2 << 3,\n  longest_c = 4;")) == [("most_b", "2 << 3"), ("longest_c", "4")]


def test_every_limit_is_listed_and_used():
    names = {name for line in re.findall(r"^inline constexpr std::size_t ([^;]+);", HEADER.read_text(), re.MULTILINE)
             for name in re.findall(r"(\w+) =", line)} - {"kib", "mib", "gib"}
    assert len(names) > 60
    listed = set(re.findall(r'ReaderLimit\{"[^"]*",\s*"[^"]*",\s*(\w+)\}', (ROOT / "src/io/limits.cpp").read_text()))
    assert listed == names
    text = "".join(path.read_text() for path in sources(ROOT / "src", ROOT / "apps") if path.stem != "limits" or path.parent.name != "io")
    assert {name for name in names if f"limits::{name}" not in text} == set()


def test_every_file_that_is_read_whole_has_a_limit():
    for path in sources(ROOT / "src", ROOT / "apps", ROOT / "python"):
        if path.name in ("file.hpp", "file.cpp") and path.parent.name == "io":
            continue
        for call in re.findall(r"\bread_(?:file|text)\((?:[^()]|\([^()]*\))*\)", path.read_text()):
            assert "limits::" in call or "most_" in call or ".size()" in call, f"{path.name}: {call}"
