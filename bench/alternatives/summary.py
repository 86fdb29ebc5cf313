"""Rows of all repeats made into few: the front of a family, and the smallest of it that loses at most so much, by the return alone
or among those that also keep roughness and failures (`admissible`)."""

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


def facts(rows):
    """What tables show of rows that go together. `failures` is None where the end of an episode means nothing."""
    failures = [row["failures"] for row in rows]
    return {"bytes": spread([row["bytes"] for row in rows]), "loss": spread([row["loss_percent"] for row in rows]),
            "roughness": spread([row["roughness"] for row in rows]), "failures": None if None in failures else spread(failures),
            "too_rough": any(row["too_rough"] for row in rows), "fails_too_often": any(row["fails_too_often"] for row in rows)}


def admissible(rows):
    return [row for row in rows if row["admissible"]]


def sizes(rows):
    """A family whose sizes have names: what each came to over the repeats."""
    details = {}
    for row in rows:
        details.setdefault(row["detail"], []).append(row)
    return [{"detail": detail, **facts(same), "cpu_seconds": statistics.median(r["cpu_seconds"] for r in same)}
            for detail, same in details.items()]


def teacher_of(rows):
    """Roughness of the network and its failures, over the repeats."""
    failures = [row["teacher_failures"] for row in rows]
    return {"roughness": spread([row["teacher_roughness"] for row in rows]),
            "failures": None if None in failures else spread(failures)}


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


def smallest_within(rows, percent, keeps=False):
    """In each repeat the smallest that lost no more, with `keeps` the smallest admissible one; None if fewer than half of the
    repeats have one."""
    repeats = by_repeat(rows)
    chosen = [min(good, key=lambda row: (row["bytes"], row["loss_percent"])) for repeat in repeats
              if (good := [row for row in repeat if row["loss_percent"] <= percent and (row["admissible"] or not keeps)])]
    if 2 * len(chosen) < len(repeats) or not chosen:
        return None
    return {"reached": len(chosen), "repeats": len(repeats), **facts(chosen), "details": sorted({row["detail"] for row in chosen})}


def certified(rows):
    """What the search chose and promised, over the repeats that kept the promise."""
    kept = [row for row in rows if row.get("chosen") and row["met"]]
    if not kept:
        return None
    return {"reached": len(kept), "repeats": len(by_repeat(rows)), **facts(kept),
            "upper": spread([row["upper_percent"] for row in kept])}
