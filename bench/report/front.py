"""Rows for the table from what `./run front` wrote: for each network Mercer's certified embedding, and the smallest of every
other family that loses at most one percent and keeps roughness and failures.

Of the document only this is asked: a list "rows" whose entries have "policy", "family", "repeat", "detail", "bytes",
"loss_percent" and "admissible", and for what a search chose "chosen" and "met". Other rows are left alone.
"""

GROUP = "Bytes that lose at most 1% of the return and keep the behaviour"
MOST_PERCENT = 1.0
ASKED = {"policy", "family", "repeat", "bytes", "loss_percent", "admissible"}


def smallest(rows, allowed):
    """Of each repeat the row with the fewest bytes among those that are allowed."""
    best = {}
    for row in rows:
        known = best.get(row["repeat"])
        if allowed(row) and (known is None or row["bytes"] < known["bytes"]):
            best[row["repeat"]] = row
    return list(best.values())


def front_rows(document):
    """Mercer against each other family, one row for each network and family."""
    families = {}
    for row in document.get("rows", []):
        if ASKED <= row.keys():
            families.setdefault((row["policy"], row["family"]), []).append(row)
    table, policies = [], list(dict.fromkeys(policy for policy, _ in families))
    for (policy, family), rows in sorted(families.items(), key=lambda item: policies.index(item[0][0])):
        if family.startswith("mercer"):
            continue
        own = [row["bytes"] for row in families.get((policy, "mercer"), []) if row.get("chosen") and row.get("met")]
        found = smallest(rows, lambda row: row["admissible"] and row["loss_percent"] <= MOST_PERCENT)
        details = sorted({str(row.get("detail", "")) for row in found})
        sizes = [row["bytes"] for row in found]
        table.append({
            "name": f"front/{policy}/{family}", "group": GROUP, "what": policy + ("" if own else ": none certified"),
            "unit": "bytes", "values": own, "against": f"{family} {', '.join(details)}".strip(), "reference": sizes,
            "reference_unit": "bytes", "ratios": [theirs / ours for theirs, ours in zip(sizes, own)],
            "asked": None, "most": None, "met": None, "note": None if found else "none admissible within 1%"})
    return table
