"""The table of the publication is complete: no empty cell, and everything that it names is there."""

import os
import pathlib
import re

ROOT = pathlib.Path(os.environ.get("SOURCE_FOLDER", pathlib.Path(__file__).resolve().parents[2]))
PAGE = ROOT / "docs/reference/publication.md"
SECTIONS = ["Definitions", "Algorithms and pseudocode", "Lemmas, theorems and remarks", "Figures and tables", "Parameters", "Claims",
            "Limits and future work"]


def rows():
    """Section and cells of every row of the page's tables."""
    section = None
    for line in PAGE.read_text().splitlines():
        if line.startswith("## "):
            section = line[3:]
        if line.startswith("|") and not line.startswith(("| ---", "| item |")):
            yield section, [cell.strip() for cell in line.strip("|").split("|")]


def empty_cells(cells):
    return len(cells) != 4 or any(not cell or set(cell) <= set("-?.") for cell in cells)


def test_no_row_is_empty():
    found = list(rows())
    assert [name for name in SECTIONS if not any(section == name for section, _ in found)] == []
    assert len(found) > 100
    assert [cells for _, cells in found if empty_cells(cells)] == []
    assert empty_cells(["a", "", "b", "c"]) and empty_cells(["a", "-", "b", "c"]) and empty_cells(["a", "b", "c"])


def test_what_it_names_is_there():
    """Files and folders, items, rows of certificates, rules."""
    text = PAGE.read_text()
    paths = {word for word in re.findall(r"`([\w./-]+)`", text) if "/" in word}
    assert len(paths) > 30
    assert sorted(path for path in paths if not (ROOT / path).exists()) == []
    items = {int(number) for numbers in re.findall(r"items? ((?:\d+(?:, | and | to )?)+)", text)
             for number in re.findall(r"\d+", numbers)}
    known = {int(number) for number in re.findall(r"^## (\d+) ", (ROOT / "docs/reference/reproduction.md").read_text(), re.MULTILINE)}
    assert items <= known, items - known
    assert known - items == set(), "items that the table does not use"
    bounds = "".join(file.read_text() for file in (ROOT / "src/certify").glob("*.cpp"))
    assert [id for id in re.findall(r"`(paper_\w+)`", text) if f'"{id}"' not in bounds] == []
    assert [file.name for file in (ROOT / "paper/rules").glob("*.cpp") if f"paper/{file.name}" not in text
            and f"paper/rules/{file.name}" not in text and file.name not in ("pendulum.cpp", "printed.cpp", "additions.cpp")] == []


def test_every_statement_of_the_source_is_counted():
    """As many rows as the publication has of each kind, counted by hand in its text."""
    cells = [cells[0].lower() for section, cells in rows() if section == "Lemmas, theorems and remarks"]
    for name, least in (("lemma on", 7), ("theorem on", 4), ("corollary", 1), ("remark", 9), ("parameters", 3)):
        assert sum(cell.startswith(name) for cell in cells) >= least, name
    assert sum(cells[0].startswith("Algorithm ") for _, cells in rows()) == 2
    assert sum(cells[0].startswith("pseudocode") for _, cells in rows()) == 3


def test_every_item_has_a_file_of_rules():
    """So that a commit can be named for it."""
    rules = {file.stem.replace("_", "-") for file in (ROOT / "paper/rules").glob("*.cpp")}
    ids = {found[1] for file in (ROOT / "paper").glob("*.cpp")
           if (found := re.search(r'^ *(?:return )?\{?\s*\d+,\s+"([a-z-]+)",$', file.read_text(), re.MULTILINE))}
    assert len(ids) == 20
    assert {"pendulum" if id.startswith("pendulum-") else id for id in ids} == rules
