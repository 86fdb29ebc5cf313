"""The shape of the repository: modules include only what stands above them, and the documents keep up with the code."""

import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(os.environ["SOURCE_FOLDER"])
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"](?:mercer/)?([a-z]+)/', re.MULTILINE)


def module_order():
    """The modules of docs/design.md, first to last."""
    table = (ROOT / "docs/design.md").read_text().split("## Modules", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^\| `([a-z]+)` \|", table, re.MULTILINE)


def includes_below(text, module, order):
    """Modules that `text`, a file of `module`, includes and may not."""
    return [name for name in INCLUDE.findall(text) if name in order and order.index(name) > order.index(module)]


def files_of(module):
    for folder in (ROOT / "include/mercer" / module, ROOT / "src" / module):
        yield from (path for path in folder.rglob("*") if path.suffix in (".hpp", ".cpp"))


def test_every_folder_is_a_module_of_the_design():
    order = module_order()
    for folder in ("include/mercer", "src"):
        assert {path.name for path in (ROOT / folder).iterdir() if path.is_dir()} <= set(order)


@pytest.mark.parametrize("module", module_order())
def test_modules_include_only_what_stands_above(module):
    order = module_order()
    wrong = {str(path.relative_to(ROOT)): below for path in files_of(module)
             if (below := includes_below(path.read_text(), module, order))}
    assert wrong == {}


def test_the_check_itself_catches_both_kinds_of_include():
    order = module_order()
    assert includes_below('#include "mercer/rollout/rollout.hpp"\n', "env", order) == ["rollout"]
    assert includes_below('#include "rollout/lockstep.hpp"\n', "core", order) == ["rollout"]
    assert includes_below('#include "mercer/core/error.hpp"\n#include <io/x.hpp>\n', "env", order) == []


def test_public_headers_keep_libraries_to_themselves():
    hidden = re.compile(r"#include\s*[<\"](fmt|nlohmann|toml\+\+|oneapi|tbb|Random123|Eigen|CLI|spdlog|zlib|fftw3|openssl|boost|nanoflann)")
    wrong = [path.name for path in (ROOT / "include").rglob("*.hpp") if hidden.search(path.read_text())]
    assert wrong == []


def test_every_error_is_explained_and_thrown():
    header = (ROOT / "include/mercer/core/error.hpp").read_text()
    codes = dict(re.findall(r"^  ([a-z_]+) = (\d+),", header, re.MULTILINE))
    explained = re.findall(r"^## E(\d+) ", (ROOT / "docs/errors.md").read_text(), re.MULTILINE)
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
