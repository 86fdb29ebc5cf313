"""From what Google Benchmark and the peers measured to the rows of the table.

A benchmark's measurements are kept round by round: [[values of round 1], [values of round 2], ...]. The ratio of a row is
taken in each round, where both sides met the same weather, so that it has a spread as well.
"""

import statistics

from report.labels import LABELS, OTHER, Label
from report.text import spread

HEADER = ["what", "Mercer", "spread", "against", "its", "spread", "ratio", "spread", "asked", "met"]
LEFT = (0, 3, 9)


def own_rounds(documents):
    """(nanoseconds an item, counters, errors) of every benchmark from Google Benchmark's documents, one a round."""
    nanoseconds, counters, errors = {}, {}, {}
    for number, document in enumerate(documents):
        for run in document["benchmarks"]:
            if run.get("run_type") != "iteration":
                continue
            name = run["run_name"].removesuffix("/real_time")
            if run.get("error_occurred"):
                errors[name] = run.get("error_message", "failed")
                continue
            for values, value in ((nanoseconds, 1e9 / run["items_per_second"]), (counters, run)):
                rounds = values.setdefault(name, [])
                rounds.extend([] for _ in range(number + 1 - len(rounds)))
                rounds[number].append(value)
    return nanoseconds, counters, errors


def peer_rounds(documents):
    """Peers by (benchmark, what it is held against), with the measurements of all rounds."""
    peers = {}
    for document in documents:
        for peer in document["peers"]:
            known = peers.setdefault((peer["subject"], peer["what"]),
                                     {"asked": peer.get("asked"), "missing": peer.get("missing"), "rounds": []})
            if "nanoseconds" in peer:
                known["rounds"].append(peer["nanoseconds"])
    return peers


def _flat(rounds):
    return [value for one in rounds or [] for value in one]


def _ratios(reference, own):
    return [statistics.median(theirs) / statistics.median(ours)
            for theirs, ours in zip(reference, own) if theirs and ours]


def _shown(name, label, nanoseconds, counters):
    """Values in the unit of the label."""
    if label.counter:
        return [run[label.counter] for run in _flat(counters.get(name))]
    values = _flat(nanoseconds.get(name))
    return values if label.unit == "time" else [1e9 / value for value in values]


def _row(name, label, own, unit):
    return {"name": name, "group": label.group, "what": label.what, "unit": unit, "values": own, "against": None,
            "reference": [], "reference_unit": unit, "ratios": [], "asked": None, "most": label.most, "met": None, "note": None}


def _judge(row):
    if row["asked"] is not None and row["ratios"]:
        row["met"] = statistics.median(row["ratios"]) >= row["asked"]
    elif row["most"] is not None and row["values"]:
        row["met"] = statistics.median(row["values"]) <= row["most"]
    return row


def make_rows(own_documents, peer_documents, ratios):
    """Rows of the table in its order. `ratios`: what the benchmarks themselves ask of each other."""
    nanoseconds, counters, errors = own_rounds(own_documents)
    peers = peer_rounds(peer_documents)
    order = [*LABELS, *(name for name in [*nanoseconds, *errors] if name not in LABELS)]
    references = {ratio["reference"] for ratio in ratios}
    rows = []
    for name in dict.fromkeys(order):
        if name not in nanoseconds and name not in errors:
            continue
        label = LABELS.get(name, Label(OTHER, name))
        start = lambda: _row(name, label, _shown(name, label, nanoseconds, counters), label.unit)  # noqa: B023, E731
        held = []
        if name in errors:
            held.append({**start(), "note": errors[name]})
        for ratio in ratios:
            if ratio["subject"] != name or name in errors or ratio["reference"] not in nanoseconds:
                continue
            other = LABELS.get(ratio["reference"], Label(OTHER, ratio["reference"]))
            held.append({**start(), "against": other.what, "asked": ratio["at_least"], "reference_unit": other.unit,
                         "reference": _shown(ratio["reference"], other, nanoseconds, counters),
                         "ratios": _ratios(nanoseconds[ratio["reference"]], nanoseconds[name])})
        for (subject, what), peer in peers.items():
            if subject != name or name in errors:
                continue
            times = _flat(peer["rounds"])
            missing = None if times else f"{peer['missing']} is not installed"
            held.append({**start(), "against": what, "asked": peer["asked"], "note": missing,
                         "reference": times if label.unit == "time" else [1e9 / value for value in times],
                         "ratios": _ratios(peer["rounds"], nanoseconds[name])})
        if not held and name not in references:
            held.append(start())
        rows += [_judge(row) for row in held]
    return rows


def _cells_of(values, unit):
    """A number without a spread is none."""
    return spread(values, unit) if len(values) > 1 else ("measured once" if values else "", "")


def cells(row):
    """The strings of a row."""
    mercer = _cells_of(row["values"], row["unit"])
    reference = _cells_of(row["reference"], row["reference_unit"])
    ratio = _cells_of(row["ratios"], "")
    asked = f"{row['asked']:.3g}" if row["asked"] is not None else ""
    if not asked and row["most"] is not None:
        asked = "<= " + spread([row["most"]], "time")[0]
    against = row["against"] or ""
    if row["note"]:
        against = f"{against}: {row['note']}" if against else row["note"]
    met = {True: "met", False: "MISSED", None: ""}[row["met"]]
    return [row["what"], *mercer, against, *reference, *ratio, asked, met]


def grouped(rows):
    """(title, rows of strings), groups in the order of their first rows."""
    groups = {}
    for row in rows:
        groups.setdefault(row["group"], []).append(cells(row))
    return list(groups.items())


def missed(rows):
    return [f"{row['what']}" + (f" against {row['against']}" if row["against"] else "") for row in rows if row["met"] is False]
