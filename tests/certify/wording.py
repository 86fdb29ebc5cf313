"""Holds what people read against the JSON it stands for: numbers rounded to the safe side, levels in words."""

import re

NUMBER = r"(-?[0-9.]+(?:e[+-]?[0-9]+)?)"
WORDS = {"statistical": "Guaranteed", "estimate": "Estimated (no guarantee)"}


_PERCENT = r"(?:(?:plus )?(?P<plus>[0-9.]+)|minus (?P<minus>[0-9.]+))%"
_LIMIT = rf"at most (?:(?:[0-9.]+ times )?the teacher's )?{_PERCENT}"
# What is promised as a share of episodes, steps, states or a range: its words and its code.
SHARES = (
    (rf"fails in {_LIMIT} of the episodes", "failures"),
    (r"failure rate is at most (?P<plus>[0-9.]+) percentage points above the teacher's", "failures"),
    (r"failure rate is at least (?P<minus>[0-9.]+) percentage points below the teacher's", "failures"),
    (rf"at most {_PERCENT} of the episodes have a return outside", "outside"),
    (rf"mean change of the action from step to step is {_LIMIT} of its range", "roughness"),
    (rf"share of steps at which the action changes is {_LIMIT}", "roughness"),
    (rf"the action differs from the teacher's by {_LIMIT} of its range on average in states that the teacher", "distance_teacher"),
    (rf"the action differs from the teacher's by {_LIMIT} of its range on average in states that it visits", "distance_embedding"),
    (rf"another action than the teacher in {_LIMIT} of the states that the teacher", "distance_teacher"),
    (rf"another action than the teacher in {_LIMIT} of the states that it visits", "distance_embedding"),
)


def header_text(text):
    """The comment on top of an exported file as one line."""
    end = text.index("*/") if text.startswith("/*") else text.index("*)")
    return " ".join(line.strip().removeprefix("*").strip() for line in text[2:end].splitlines())


def _number(report, shown, stored, what):
    """A bound that is shown may be above the stored one, by less than a person minds."""
    if stored is None:
        report.check(False, "rounding", f"{what}: {shown} is shown, and no number is stored")
        return
    report.check(shown >= stored, "rounding", f"{what}: {shown} is shown, {stored} is stored")
    report.check(shown - stored <= 1e-4 + 2e-5 * abs(stored), "rounding", f"{what}: {shown} is far from {stored}")


def _upper(certificate, about):
    return next((one["upper"] for one in certificate["promises"] if one["about"] == about), None)


def sentence(text, certificate, report, where):
    """The promise in words, wherever it stands."""
    for line in re.split(r"(?<=\.)\s", text):
        if "no promise about the return" not in line:
            report.check(certificate["about"] == "return" or not re.search("loses at most|gains at least", line),
                         "quantity", f"{where}: a certificate about actions says '{line}'")
    if certificate["about"] == "action":
        report.check("no promise about the return" in text, "quantity", f"{where}: does not say what is not promised")
    report.check(WORDS[certificate["level"]] in text, "words", f"{where}: no '{WORDS[certificate['level']]}'")
    for found in re.finditer(rf"with {NUMBER}% confidence", text):
        report.check(float(found[1]) <= 100 * certificate["confidence"] * (1 + 1e-9), "rounding",
                     f"{where}: {found[1]}% confidence is shown, {certificate['confidence']} is stored")
    if certificate["level"] == "estimate":
        report.check(not re.search("guaranteed(?! by theorem)", text, re.I), "words", f"{where}: guaranteed")
    if certificate["about"] == "action":
        for found in re.finditer(rf"differ from the teacher's by at most {NUMBER}%", text):
            _number(report, float(found[1]), certificate["upper_percent"], f"{where}, actions")
        return
    for found in re.finditer(rf"(loses at most|gains at least) {NUMBER}(%?)", text):
        shown = float(found[2]) * (1 if found[1] == "loses at most" else -1)
        about = "return_percent" if found[3] else "return"
        _number(report, shown, _upper(certificate, about), f"{where}, {about}")
    for phrase, about in SHARES:
        for found in re.finditer(phrase, text):
            parts = found.groupdict()
            shown = -float(parts["minus"]) if parts.get("minus") else float(parts["plus"])
            _number(report, shown, 100 * _upper(certificate, about), f"{where}, {about}")
    promised = {one["about"] for one in certificate["promises"] if one["upper"] is not None}
    for _, about in SHARES:
        said = any(re.search(phrase, text) for phrase, of in SHARES if of == about)
        report.check(said == (about in promised), "quantity", f"{where}: {about} is promised or worded, and not both")


def _promised_table(lines, certificate, report, where):
    head = next((i for i, line in enumerate(lines) if line.startswith("promised together")), None)
    report.check((head is None) == (not certificate["promises"]), "table", f"{where}: promises without their table")
    if head is None:
        return
    for line, promise in zip(lines[head + 1:], certificate["promises"]):
        known = [promise[key] for key in ("teacher", "embedding", "measured") if promise[key] is not None]
        cells = line[52:].split()
        shown, stored = cells[len(known)], promise["upper"]
        if stored is not None and promise["about"] in {about for _, about in SHARES}:
            stored = 100 * stored
        if stored is None:
            report.check(shown == "none", "table", f"{where}: {promise['about']} shows {shown}")
        else:
            _number(report, float(shown.rstrip("%")), stored, f"{where}, table, {promise['about']}")


def _bounds_table(lines, certificate, report, where):
    """Each row's "at most" under the words of its level."""
    level, rows = None, 0
    for line in lines:
        if line.startswith("What each bound rests on"):
            break
        title = re.match(r"(statistical|estimate|rigorous|exact|model|paper), .*: ", line)
        if title:
            level = title[1]
            if level in ("estimate", "model", "paper"):
                report.check("no guarantee" in line and "guaranteed" not in line, "words", f"{where}: '{line}'")
            continue
        found = re.match(rf"  (\S+) +{NUMBER} +(?:{NUMBER}|unknown) +(?:{NUMBER}|unknown)", line)
        if not found or level is None:
            continue
        rows += 1
        stored = [row["value"] for row in certificate["rows"] if row["term"] == found[1] and row["level"] == level]
        if not stored:
            report.check(False, "table", f"{where}: {found[1]} is shown as {level} and stored as something else")
            continue
        shown = float(found[2])
        nearest = min((value for value in stored if value is not None), key=lambda value: abs(value - shown))
        if level in ("statistical", "rigorous"):
            report.check(shown >= nearest, "rounding", f"{where}: {found[1]} is shown as {shown}, stored as {nearest}")
    known = sum(row["value"] is not None for row in certificate["rows"])
    report.check(rows == known, "table", f"{where}: {rows} rows are shown, {known} are stored")


def page(text, certificate, report, where):
    """The page of `certify`, `inspect` and `compress`."""
    begin = text.find("Certificate of an embedding")
    report.check(begin >= 0, "table", f"{where}: no certificate is shown")
    if begin < 0:
        return
    lines = text[begin:].splitlines()
    top = lines[:next((i for i, line in enumerate(lines) if not line.strip()), len(lines))]
    sentence(" ".join(top), certificate, report, where)
    _promised_table(lines, certificate, report, where)
    _bounds_table(lines, certificate, report, where)
