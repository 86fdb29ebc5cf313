"""Rows for the table from what `./run front` wrote: the smallest of each kind that loses at most one percent.

Of the document only this is asked: a list "rows" whose entries name a task and a kind, and have a list "repeats" of
{"bytes", "loss_percent"}. Other keys and other rows are left alone.
"""

import statistics

GROUP = "Bytes that lose at most 1% of the return"
MOST_PERCENT = 1.0


def usable(document):
    """(task, kind, detail, [bytes], [percent]) of the rows that can be read."""
    for row in document.get("rows", []):
        repeats = [one for one in row.get("repeats", []) if "bytes" in one and "loss_percent" in one]
        if repeats and "kind" in row:
            yield (row.get("policy") or row.get("task", ""), row["kind"], str(row.get("detail", "")),
                   [one["bytes"] for one in repeats], [one["loss_percent"] for one in repeats])


def smallest(rows):
    """By (task, kind): the fewest bytes whose median loss is small enough, or None."""
    best = {}
    for task, kind, detail, sizes, losses in rows:
        best.setdefault((task, kind), None)
        known = best[task, kind]
        if statistics.median(losses) <= MOST_PERCENT and (
                known is None or statistics.median(sizes) < statistics.median(known["bytes"])):
            best[task, kind] = {"detail": detail, "bytes": sizes, "losses": losses}
    return best


def front_rows(document):
    """Mercer against each other kind, one row for each task and kind."""
    best = smallest(usable(document))
    rows = []
    for (task, kind), found in best.items():
        if kind.lower().startswith("mercer"):
            continue
        own = next((value for (t, k), value in best.items() if t == task and k.lower().startswith("mercer")), None)
        sizes = found["bytes"] if found else []
        rows.append({
            "name": f"front/{task}/{kind}", "group": GROUP, "what": task + ("" if own else ": none within 1%"), "unit": "bytes",
            "values": own["bytes"] if own else [], "against": f"{kind} {found['detail']}".strip() if found else kind,
            "reference": sizes, "reference_unit": "bytes",
            "ratios": [theirs / ours for theirs, ours in zip(sizes, own["bytes"])] if own else [],
            "asked": None, "most": None, "met": None, "note": None if found else "none within 1%"})
    return rows
