#!/usr/bin/env python3
"""Joins the page's ES modules to one script that a page opened from disk can carry.

    join_modules.py MAIN.js OUT.js

Modules may only use `import { a, b } from "./x.js"` and `export` in front of a function, class or const. Each becomes
a function that returns its exports, in the order in which they need each other.
"""

import pathlib
import re
import sys

IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([a-z_]+)\.js";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) ([\w$]+))", re.MULTILINE)


def join(main):
    done, under_way, parts = set(), [], []

    def add(name):
        if name in done:
            return
        if name in under_way:
            raise SystemExit(f"join_modules: {' needs '.join([*under_way, name])}: a circle")
        under_way.append(name)
        text = (main.parent / f"{name}.js").read_text(encoding="utf-8")
        for _, needed in IMPORT.findall(text):
            add(needed)
        exports = EXPORT.findall(text)
        body = EXPORT.sub("", IMPORT.sub(lambda found: f"const {{{found[1]}}} = module_{found[2]};\n", text))
        if re.search(r"^(import|export)\b", body, re.MULTILINE):
            raise SystemExit(f"join_modules: {name}.js uses a form of import or export that is not known here")
        parts.append(f"const module_{name} = (() => {{\n{body}return {{ {', '.join(exports)} }};\n}})();\n")
        under_way.pop()
        done.add(name)

    add(main.stem)
    return '"use strict";\n(() => {\n' + "".join(parts) + "})();\n"


if __name__ == "__main__":
    script = join(pathlib.Path(sys.argv[1]))
    if "</script" in script.lower():
        raise SystemExit("join_modules: a module holds '</script', which would end the script of a report")
    pathlib.Path(sys.argv[2]).write_text(script, encoding="utf-8")
