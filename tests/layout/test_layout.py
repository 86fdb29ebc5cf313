"""The shape of the repository: modules include only what stands above them, and the documents keep up with the code."""

import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(os.environ["SOURCE_FOLDER"])
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"](?:mercer/([a-z_]+)\.hpp|([a-z]+)/)', re.MULTILINE)
DOOR = {"mercer"}  # includes all others, and no module may include it


def module_order():
    """The modules of docs/design.md, first to last."""
    table = (ROOT / "docs/design.md").read_text().split("## Modules", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^\| `([a-z]+)` \|", table, re.MULTILINE)


def public_headers():
    """The module of each public header, by the same table."""
    table = (ROOT / "docs/design.md").read_text().split("## Modules", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| `([a-z]+)` \| ([^|]*)\|", table, re.MULTILINE)
    return {header: module for module, headers in rows for header in re.findall(r"`([a-z_]+)\.hpp`", headers)}


def includes_below(text, module, order):
    """Modules that `text`, a file of `module`, includes and may not."""
    headers = public_headers()
    found = [headers.get(public, public) if public else private for public, private in INCLUDE.findall(text)]
    return [name for name in found if name in DOOR or (name in order and order.index(name) > order.index(module))]


def files_of(module):
    yield from (ROOT / "include/mercer" / f"{name}.hpp" for name, owner in public_headers().items() if owner == module)
    yield from (path for path in (ROOT / "src" / module).rglob("*") if path.suffix in (".hpp", ".cpp"))


def test_every_folder_and_public_header_is_in_the_design():
    assert {path.name for path in (ROOT / "src").iterdir() if path.is_dir()} <= set(module_order())
    there = {path.stem for path in (ROOT / "include/mercer").iterdir()}
    assert there == set(public_headers()) | DOOR


def test_the_front_door_includes_every_public_header():
    text = (ROOT / "include/mercer/mercer.hpp").read_text()
    assert set(re.findall(r'#include "mercer/([a-z_]+)\.hpp"', text)) == set(public_headers())


def test_the_guide_shows_the_program_of_the_front_door():
    """tests/install/consume.cmake compiles it."""
    header = re.findall(r"^///     (.*)|^///$", (ROOT / "include/mercer/mercer.hpp").read_text(), re.MULTILINE)
    shown = re.search(r"^```cpp\n(.*?)^```", (ROOT / "docs/guide/cpp.md").read_text(), re.DOTALL | re.MULTILINE).group(1)
    assert shown == "\n".join(header[1:-1]) + "\n"


def test_the_readme_is_short_and_the_guide_lists_every_page():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120
    index = (ROOT / "docs/guide/README.md").read_text()
    assert [path.name for path in (ROOT / "docs/guide").glob("*.md") if path.name != "README.md" and f"]({path.name})" not in index] == []


def test_documents_name_the_version_of_the_header():
    version = ".".join(re.findall(r"#define MERCER_VERSION_\w+ (\d+)", (ROOT / "include/mercer/version.hpp").read_text()))
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[1] == version


@pytest.mark.parametrize("module", module_order())
def test_modules_include_only_what_stands_above(module):
    order = module_order()
    wrong = {str(path.relative_to(ROOT)): below for path in files_of(module)
             if (below := includes_below(path.read_text(), module, order))}
    assert wrong == {}


def test_the_check_itself_catches_both_kinds_of_include():
    order = module_order()
    assert includes_below('#include "mercer/rollout.hpp"\n', "env", order) == ["rollout"]
    assert includes_below('#include "mercer/mercer.hpp"\n', "run", order) == ["mercer"]
    assert includes_below('#include "rollout/lockstep.hpp"\n', "core", order) == ["rollout"]
    assert includes_below('#include "mercer/error.hpp"\n#include <io/x.hpp>\n', "env", order) == []


def test_public_headers_keep_libraries_to_themselves():
    hidden = re.compile(
        r"#include\s*[<\"](fmt|nlohmann|toml\+\+|oneapi|tbb|Random123|Eigen|CLI|spdlog|zlib|fftw3|openssl|boost|nanoflann)")
    wrong = [path.name for path in (ROOT / "include").rglob("*.hpp") if hidden.search(path.read_text())]
    assert wrong == []


def test_every_error_is_explained_and_thrown():
    header = (ROOT / "include/mercer/error.hpp").read_text()
    codes = dict(re.findall(r"^  ([a-z_]+) = (\d+),", header, re.MULTILINE))
    explained = re.findall(r"^## E(\d+) ", (ROOT / "docs/reference/errors.md").read_text(), re.MULTILINE)
    assert explained == sorted(codes.values(), key=int)
    sources = "".join(path.read_text() for folder in ("src", "apps") for path in (ROOT / folder).rglob("*.cpp"))
    sources = sources.replace((ROOT / "src/core/error.cpp").read_text().split("Error::Error")[0], "")
    assert [name for name in codes if f"ErrorCode::{name}" not in sources] == []


def test_links_in_the_documents_lead_somewhere():
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_sources_are_formatted():
    files = [str(path) for folder in ("apps", "bench", "examples", "include", "paper", "python", "src", "tests")
             for path in (ROOT / folder).rglob("*") if path.suffix in (".hpp", ".cpp")]
    done = subprocess.run(["clang-format", "--dry-run", "-Werror", *files], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2000]
