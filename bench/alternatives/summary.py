"""Rows of all repeats made into few: the front of a family, and the smallest of it that loses at most so much."""

import statistics


def spread(values):
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def by_repeat(rows):
    repeats = {}
    for row in rows:
        repeats.setdefault(row["repeat"], []).append(row)
    return list(repeats.values())


def undominated(points):
    """Of (bytes, loss, ...) those that nothing as small or smaller beats, by rising bytes."""
    kept = []
    for point in sorted(points):
        if not kept or point[1] < kept[-1][1]:
            kept.append(point)
    return kept


def sizes(rows):
    """A family whose sizes have names: bytes and loss of each over the repeats."""
    details = {}
    for row in rows:
        details.setdefault(row["detail"], []).append(row)
    return [{"detail": detail, "bytes": spread([r["bytes"] for r in same]), "loss": spread([r["loss_percent"] for r in same]),
             "cpu_seconds": statistics.median(r["cpu_seconds"] for r in same)} for detail, same in details.items()]


def front_of_search(rows):
    """A family whose searches keep other sizes in each repeat: at each size that occurs, the loss of the largest that is no
    larger. Each search has ordered its own by other episodes, so nothing is picked by the numbers shown."""
    repeats = by_repeat(rows)
    points = []
    for limit in sorted({row["bytes"] for row in rows}):
        reached = [[row for row in repeat if row["bytes"] <= limit] for repeat in repeats]
        if all(reached):
            losses = [max(some, key=lambda row: row["bytes"])["loss_percent"] for some in reached]
            if not points or statistics.median(losses) < points[-1]["loss"]["median"]:
                points.append({"bytes": limit, "loss": spread(losses)})
    return points


def smallest_within(rows, percent):
    """In each repeat the smallest that lost no more; None if fewer than half of the repeats have one."""
    repeats = by_repeat(rows)
    chosen = [min(good, key=lambda row: (row["bytes"], row["loss_percent"])) for repeat in repeats
              if (good := [row for row in repeat if row["loss_percent"] <= percent])]
    if 2 * len(chosen) < len(repeats) or not chosen:
        return None
    return {"reached": len(chosen), "repeats": len(repeats), "bytes": spread([row["bytes"] for row in chosen]),
            "loss": spread([row["loss_percent"] for row in chosen]), "details": sorted({row["detail"] for row in chosen})}


def certified(rows):
    """What the search chose and promised: bytes, loss and upper bound over the repeats that kept the promise."""
    kept = [row for row in rows if row.get("chosen") and row["met"]]
    if not kept:
        return None
    return {"reached": len(kept), "repeats": len(by_repeat(rows)), "bytes": spread([row["bytes"] for row in kept]),
            "loss": spread([row["loss_percent"] for row in kept]), "upper": spread([row["upper_percent"] for row in kept])}
