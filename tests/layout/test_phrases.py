"""Texts for users are plain English: none of the phrases of banned_phrases.txt is in them."""

import html
import os
import pathlib
import re

import pytest

ROOT = pathlib.Path(os.environ["SOURCE_FOLDER"])
LIST = pathlib.Path(__file__).with_name("banned_phrases.txt")
STYLE = re.compile(r"## Style of texts.*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)


def banned():
    """(expression, advice) of every line."""
    lines = [line for line in LIST.read_text().splitlines() if line and not line.startswith("#")]
    return [(re.compile(rf"\b(?:{one})\b", re.IGNORECASE), advice) for one, advice in (re.split(r"\s{2,}", line, 1) for line in lines)]


def words_of_script(text):
    """What a script may show: its strings, without comments and without what templates compute."""
    strings = re.compile(r"""//[^\n]*|/\*.*?\*/|"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`""", re.DOTALL)
    found = (next((part for part in match.groups() if part), "") for match in strings.finditer(text))
    return "\n".join(re.sub(r"\$\{[^}]*\}", " ", part) for part in found)


def words_of_page(text):
    text = re.sub(r"<!--.*?-->|<(script|style)\b.*?</\1>", " ", text, flags=re.DOTALL)
    attributes = re.findall(r'\b(?:title|alt|placeholder|aria-label|content)="([^"]*)"', text)
    return html.unescape("\n".join([re.sub(r"<[^>]*>", " ", text), *attributes]))


def texts():
    """Name and words of every document; the style sheet's examples are left out."""
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / ".github").rglob("*.md")]:
        yield str(path.relative_to(ROOT)), STYLE.sub("", path.read_text())
    yield "run", (ROOT / "run").read_text()
    for path in (ROOT / "web").glob("*.html"):
        yield str(path.relative_to(ROOT)), words_of_page(path.read_text())
    for path in (ROOT / "web").glob("*.js"):
        yield str(path.relative_to(ROOT)), words_of_script(path.read_text())


@pytest.mark.parametrize("name, text", [pytest.param(*one, id=one[0]) for one in texts()])
def test_no_banned_phrase(name, text):
    text = re.sub(r"\s+", " ", text)  # phrases may span lines
    found = [f"'{text[max(0, match.start() - 40) : match.end() + 30]}': instead: {advice}"
             for expression, advice in banned() for match in expression.finditer(text)]
    assert found == [], name


def test_the_check_finds_what_it_should():
    found = lambda text: [advice for expression, advice in banned() if expression.search(re.sub(r"\s+", " ", text))]  # noqa: E731
    assert found("The file stands\nbeside it") and found("Whoever calls") and found("A whole number")
    assert not found("Retold storytelling aside, the anewed") and not found("Errors are printed.")
    script = "const told = 1; // tells nobody\nshow(`went on ${tell(anew)} for ${n} s`, 'whole number');"
    assert words_of_script(script).split() == "went on for s whole number".split()
    assert "anew" not in words_of_page("<!-- anew --><script>anew()</script><p>x</p>")
    assert "told" in words_of_page('<img alt="told &amp; said">')


def test_the_style_sheet_shows_before_and_after():
    sheet = STYLE.search((ROOT / "CONTRIBUTING.md").read_text())[0]
    assert len(re.findall(r"^\| [^|]+ \| [^|]+ \|$", sheet, re.MULTILINE)) >= 10
    assert LIST.name in sheet
