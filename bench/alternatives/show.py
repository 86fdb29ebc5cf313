"""The outcome as tables: for a terminal, and as Markdown."""

from .mercer_route import RUNS
from .summary import certified, front_of_search, sizes, smallest_within, undominated


def several(values, form):
    """The median, and the ends where they differ from it."""
    texts = [format(values[key], form) for key in ("median", "least", "most")]
    return texts[0] if len(set(texts)) == 1 else f"{texts[0]} ({texts[1]} to {texts[2]})"


def of(rows, policy, family):
    return [row for row in rows if row["policy"] == policy and row["family"] == family]


def terminal(rows, policy, families):
    """Every size of every family."""
    yield f"\n{policy}\n{'what':<23} {'size':<34} {'bytes':>8} {'loss %':>9} {'from':>9} {'to':>9} {'CPU s':>7}"
    for family in families:
        for one in sizes(of(rows, policy, family)):
            loss = one["loss"]
            yield (f"{family:<23} {one['detail']:<34} {one['bytes']['median']:>8.0f} {loss['median']:>9.3f} {loss['least']:>9.3f} "
                   f"{loss['most']:>9.3f} {one['cpu_seconds']:>7.2f}")


def within(rows, policies, families, percent):
    """For each policy a table with a line for each family: the smallest that loses at most so much."""
    for policy in policies:
        yield f"\n**{policy}**\n"
        yield f"| | smallest within {percent}%, bytes | its loss, % | what |"
        yield "| --- | --- | --- | --- |"
        for family in families:
            if not (mine := of(rows, policy, family)):
                continue
            found = smallest_within(mine, percent)
            if found is None:
                yield f"| {family} | none | least: {min(row['loss_percent'] for row in mine):.2f} | |"
                continue
            rare = "" if found["reached"] == found["repeats"] else f" ({found['reached']} of {found['repeats']} repeats)"
            yield (f"| {family} | {several(found['bytes'], ',.0f')}{rare} | {several(found['loss'], '.2f')} | "
                   f"{'; '.join(found['details'])} |")
            if promise := certified(mine):
                yield (f"| {family}, certified | {several(promise['bytes'], ',.0f')} | {several(promise['loss'], '.2f')} | "
                       f"promised at most {several(promise['upper'], '.2f')}, {promise['reached']} of {promise['repeats']} repeats |")


def matrix(rows, policies, families, percent):
    """The same in one table: a line for each policy, a column for each family."""
    present = [family for family in families if any(row["family"] == family for row in rows)]
    yield "| | " + " | ".join(present) + " |"
    yield "| --- |" + " --- |" * len(present)
    for policy in policies:
        cells = []
        for family in present:
            mine = of(rows, policy, family)
            found = smallest_within(mine, percent)
            tried = "none" if mine else ""
            cells.append(f"{several(found['bytes'], ',.0f')} B: {several(found['loss'], '.1f')}" if found else tried)
        yield f"| {policy} | " + " | ".join(cells) + " |"


def fronts(rows, policies, families):
    """Mercer's fronts, then that of everything together: bytes, loss and who it is."""
    for policy in policies:
        everything = []
        for family in (name for name in families if name in RUNS):
            points = front_of_search(of(rows, policy, family))
            if points:
                yield f"\n{policy}, {family}: " + ", ".join(
                    f"{point['bytes']} B {several(point['loss'], '.2f')}%" for point in points)
            everything += [(point["bytes"], point["loss"]["median"], family) for point in points]
        for family in (name for name in families if name not in RUNS):
            everything += [(one["bytes"]["median"], one["loss"]["median"], f"{family} {one['detail']}")
                           for one in sizes(of(rows, policy, family))]
        yield f"\n{policy}, everything: " + ", ".join(
            f"{size:.0f} B {loss:.2f}% ({who})" for size, loss, who in undominated(everything))
