#!/usr/bin/python3
"""Writes what `mercer reproduce` found into docs/reference/reproduction.md, an item's section for each result.

usage: paper/document.py RESULTS

Sections of items that are not in RESULTS stay as they are, and so does their line in the table of verdicts. Figures that
`paper/draw.py` drew are copied to docs/figures.
"""

import json
import pathlib
import re
import shutil
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/reference/reproduction.md"
WIDTH = 124


def filled(text):
    """Lines of a paragraph; a word that starts one must not look like a list."""
    return "\n".join(textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False))


def number(value):
    return "" if value is None else f"{value:.3g}"


def rules_table(rules):
    lines = ["| rule | left | right | effect, 95% interval | below | p | |", "| --- | ---: | ---: | --- | ---: | ---: | --- |"]
    for rule in rules:
        effect = bound = ""
        if rule["p"] is not None:
            low, high = (number(end) for end in rule["interval"])
            effect, bound = f"{number(rule['effect'])} [{low}, {high}]", number(rule["bound"])
        lines.append(f"| {rule['name']} | {number(rule['left'])} | {number(rule['right'])} | {effect} | {bound} | "
                     f"{number(rule['p_adjusted'])} | {rule['outcome']} |")
    return "\n".join(lines)


def section(item):
    """The text below the heading of an item."""
    parts = [f"{item['title']}.", f"![{item['title']}](../figures/{item['id']}.svg)", filled(f"**Claim.** {item['claim']}")]
    for judged in item["judged"]:
        where = f" on {judged['env']}" if judged["env"] else ""
        parts.append(filled(f"**Seen{where}: {judged['verdict']}.** {judged['saw']}"))
        if judged["verdict"] != "holds" and judged["reason"]:
            parts.append(filled(f"**Why.** {judged['reason']}"))
        parts.append(rules_table(judged["rules"]))
    parts.append(filled("Left open, chosen here: " + "; ".join(item["open"]) + "."))
    seeds = item["seeds"]
    parts.append(filled(f"Seeds {seeds[0]} to {seeds[-1]}; rules of commit {item['commits']['rules']}, results of commit "
                        f"{item['commits']['measured']}."))
    return "\n\n".join(parts) + "\n"


def verdict_line(item):
    def word(judged):
        held = sum(rule["outcome"] == "holds" for rule in judged["rules"])
        return f"{judged['verdict']}, {held} of {len(judged['rules'])}"

    first, *others = item["judged"]
    beside = word(others[0]) if others else ""
    return f"| {item['number']} | [{item['title']}](#{item['number']}-{item['id']}) | {word(first)} | {beside} |"


def with_line(text, item):
    """The table of verdicts with an item's line; what stands behind it, the verdict by earlier rules, is kept."""
    row = re.compile(rf"^\| {item['number']} \|.*$", re.MULTILINE)
    found = row.search(text)
    if not found:
        sys.exit(f"document.py: the table of verdicts has no line for item {item['number']}")
    former = found[0].rsplit("|", 2)[1].strip()
    return row.sub(lambda _: f"{verdict_line(item)} {former} |", text, count=1)


def with_section(text, item):
    heading = f"## {item['number']} {item['id']}\n"
    start = text.find(heading)
    if start < 0:
        sys.exit(f"document.py: {DOCUMENT.name} has no section '{heading.strip()}'")
    end = text.find("\n## ", start + len(heading))
    rest = "" if end < 0 else text[end:]
    return text[:start] + heading + "\n" + section(item) + rest


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    results = pathlib.Path(sys.argv[1])
    text = DOCUMENT.read_text()
    for item in json.loads((results / "index.json").read_text()):
        if item["configuration"]["quick"]:
            sys.exit(f"document.py: '{item['id']}' is of a quick run, which has too few seeds to be documented")
        text = with_section(with_line(text, item), item)
        drawn = results / item["id"] / "figure.svg"
        if drawn.exists():
            shutil.copyfile(drawn, ROOT / f"docs/figures/{item['id']}.svg")
        print(item["id"])
    DOCUMENT.write_text(text)


if __name__ == "__main__":
    main()
