"""A page of the documents as Doxygen reads it: prints the Markdown file that it is given.

Doxygen 1.9 knows neither GitHub's anchors of headings nor paths from one page to another, and takes an apostrophe for
the end of a code span. Headings get labels here, links to pages become references by label, links to examples lead to
their listings, and links to other files of the repository become plain text.
"""

import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^(```.*?^```$)", re.DOTALL | re.MULTILINE)
SPAN = re.compile(r"`[^`]+`")
HEADING = re.compile(r"^(#+) (.*)$", re.MULTILINE)
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def page_label(page):
    """Of a page by its path from the root: docs/guide/tasks.md is guide-tasks."""
    return re.sub(r"\W", "-", page.removeprefix("docs/").removesuffix(".md"))


def anchor(heading):
    """As GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def link(page, image, text, target):
    if re.match(r"[a-z]+:", target):
        return f"{image}[{text}]({target})"
    path, _, part = target.partition("#")
    path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    if image:
        return f"![{text}]({os.path.basename(path)})"
    example = re.fullmatch(r"examples/(?:cpp|python)/(\w+)\.(cpp|py)", path)
    if example:
        return f"[{text}]({example[1]}_8{example[2]}-example.html)"
    if not re.fullmatch(r"README\.md|docs/.*\.md", path) or not (ROOT / path).exists():
        return text
    if path == "README.md":
        return f"[{text}](index.html)"
    return f"[{text}](@ref {page_label(path)}{'-' + part if part else ''})"


def convert(page, prose):
    spans = []

    def hide(match):
        span = match[0]
        spans.append(f"`{span}`" if "'" in span else span)
        return f"\x00{len(spans) - 1}\x00"

    def label(match):
        level, heading = match.groups()
        if page == "README.md" and level == "#":
            return match[0]
        plain = re.sub("\x00(\\d+)\x00", lambda hidden: spans[int(hidden[1])].strip("`"), heading)
        own = page_label(page) + ("" if level == "#" else "-" + anchor(plain))
        return f"{level} {heading} {{#{own}}}"

    prose = SPAN.sub(hide, prose)
    prose = LINK.sub(lambda found: link(page, *found.groups()), prose)
    prose = HEADING.sub(label, prose)
    return re.sub("\x00(\\d+)\x00", lambda hidden: spans[int(hidden[1])], prose)


if __name__ == "__main__":
    file = pathlib.Path(sys.argv[1]).resolve()
    page = str(file.relative_to(ROOT))
    parts = FENCE.split(file.read_text())
    sys.stdout.write("".join(part if part.startswith("```") else convert(page, part) for part in parts))
