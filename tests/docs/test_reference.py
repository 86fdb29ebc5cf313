"""The site of `./run docs`: Doxygen finds nothing to warn of, headers and documents are all there, links lead somewhere."""

import html
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(os.environ["SOURCE_FOLDER"])
PAGES = sorted((ROOT / "docs").rglob("*.md"))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("docs")
    settings = (ROOT / "docs/Doxyfile").read_text() + f"\nOUTPUT_DIRECTORY = {folder}\n"
    done = subprocess.run(["doxygen", "-"], input=settings, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return folder / "html"


def document_pages(site):
    """The main page and those of the guides."""
    return {site / "index.html", *site.glob("design.html"), *site.glob("*-*.html")} - set(site.glob("*-members.html"))


def test_every_public_header_and_document_has_a_page(site):
    for header in (ROOT / "include/mercer").iterdir():
        assert (site / (header.stem.replace("_", "__") + "_8hpp.html")).exists(), header.name
    titles = {re.search(r"<title>(.*?)</title>", page.read_text(), re.DOTALL)[1] for page in document_pages(site)}
    for page in PAGES:
        assert f"Mercer: {html.escape(page.read_text().splitlines()[0][2:])}" in titles, page.name
    assert "mercer::CompressRequest" in (site / "pipeline_8hpp.html").read_text()


def test_links_of_the_documents_lead_somewhere(site):
    links = 0
    for page in document_pages(site):
        for target in re.findall(r'(?:href|src)="([^"]+)"', page.read_text()):
            file, _, part = html.unescape(target).partition("#")
            if re.match(r"[a-z]+:", file):
                continue
            links += 1
            other = site / file if file else page
            assert other.exists(), f"{page.name}: {target}"
            assert not part or f'id="{part}"' in other.read_text(), f"{page.name}: {target}"
    assert links > 300


def test_every_example_is_listed(site):
    listed = {path.name for path in site.glob("*-example.html")}
    for example in [*(ROOT / "examples/cpp").iterdir(), *(ROOT / "examples/python").iterdir()]:
        assert f"{example.stem}_8{example.suffix[1:]}-example.html" in listed, example.name
