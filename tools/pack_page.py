#!/usr/bin/env python3
"""Packs the page into a C++ header: pack_page.py WEB_FOLDER D3.js OUT.hpp

Modules are joined to one script (join_modules.py). Hashes are those that a content security policy names scripts and
styles by.
"""

import base64
import hashlib
import pathlib
import sys

import join_modules


def literal(text):
    """Pieces below the length that compilers must accept, one after the other."""
    if ')page"' in text:
        raise SystemExit('pack_page: a file holds )page", which ends its literal')
    pieces, size = [], 12000
    for begin in range(0, len(text), size):
        pieces.append(f'R"page({text[begin:begin + size]})page"')
    return "\n".join(pieces) or '""'


def main(web, d3, out):
    web = pathlib.Path(web)
    texts = {
        "html": (web / "index.html").read_text(encoding="utf-8"),
        "css": (web / "style.css").read_text(encoding="utf-8"),
        "js": join_modules.join(web / "main.js"),
        "d3": pathlib.Path(d3).read_text(encoding="utf-8"),
    }
    if not texts["d3"].startswith("// https://d3js.org"):
        raise SystemExit(f"pack_page: {d3} does not begin with D3's licence line")
    lines = ["#pragma once", "#include <string_view>", "namespace page::files {"]
    for name, text in texts.items():
        if name != "html" and "</script" in text.lower() or name == "css" and "</style" in text.lower():
            raise SystemExit(f"pack_page: {name} would end the element that it stands in")
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        lines.append(f"inline constexpr std::string_view {name} =\n{literal(text)};")
        lines.append(f'inline constexpr std::string_view {name}_hash = "sha256-{digest}";')
    lines.append("}  // namespace page::files\n")
    pathlib.Path(out).write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
