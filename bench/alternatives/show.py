"""The outcome as tables: for a terminal, and as Markdown."""

from .mercer_route import RUNS
from .summary import admissible, by_repeat, certified, front_of_search, sizes, smallest_within, teacher_of, undominated


def several(values, form):
    """The median, and the ends where they differ from it."""
    texts = [format(values[key], form) for key in ("median", "least", "most")]
    return texts[0] if len(set(texts)) == 1 else f"{texts[0]} ({texts[1]} to {texts[2]})"


def of(rows, policy, family):
    return [row for row in rows if row["policy"] == policy and row["family"] == family]


def percent_of(values):
    """A share that may be unknown."""
    return "" if values is None else several({key: 100 * value for key, value in values.items()}, ".1f")


def broken(found):
    """Which limits something breaks, in words."""
    return ", ".join(word for word, key in (("too rough", "too_rough"), ("fails too often", "fails_too_often")) if found[key])


def terminal(rows, policy, families):
    """Every size of every family."""
    if not (mine := [row for row in rows if row["policy"] == policy]):
        return
    teacher = teacher_of(mine)
    yield f"\n{policy}: roughness {several(teacher['roughness'], '.4f')}" + (
        f", failures {percent_of(teacher['failures'])}%" if teacher["failures"] else "")
    yield (f"{'what':<23} {'size':<34} {'bytes':>8} {'loss %':>9} {'from':>9} {'to':>9} {'roughness':>9} {'failures %':>10} "
           f"{'CPU s':>7}")
    for family in families:
        for one in sizes(of(rows, policy, family)):
            loss, failures = one["loss"], "" if one["failures"] is None else f"{100 * one['failures']['median']:.1f}"
            yield (f"{family:<23} {one['detail']:<34} {one['bytes']['median']:>8.0f} {loss['median']:>9.3f} {loss['least']:>9.3f} "
                   f"{loss['most']:>9.3f} {one['roughness']['median']:>9.4f} {failures:>10} {one['cpu_seconds']:>7.2f}  "
                   f"{broken(one)}".rstrip())


def smallest_cells(mine, percent, keeps):
    """Bytes, loss, roughness, failures and name of the smallest, as cells of a table."""
    found = smallest_within(mine, percent, keeps)
    if found is None:
        some = admissible(mine) if keeps else mine
        least = f"least: {min(row['loss_percent'] for row in some):.2f}" if some else "none admissible at any loss"
        return ["none", least, "", "", ""]
    rare = "" if found["reached"] == found["repeats"] else f" ({found['reached']} of {found['repeats']} repeats)"
    words = broken(found)
    return [several(found["bytes"], ",.0f") + rare, several(found["loss"], ".2f"),
            several(found["roughness"], ".4f") + (f", {words}" if words else ""), percent_of(found["failures"]),
            "; ".join(found["details"])]


def within(rows, policies, families, percent):
    """For each policy a table with two lines for each family: the smallest that loses at most so much, by the return alone and
    among the admissible ones."""
    for policy in policies:
        if not (mine := [row for row in rows if row["policy"] == policy]):
            continue
        teacher = teacher_of(mine)
        yield f"\n**{policy}**\n"
        yield f"| | smallest within {percent}% | bytes | its loss, % | roughness | failures, % | what |"
        yield "| --- | --- | --- | --- | --- | --- | --- |"
        yield f"| the network | | | | {several(teacher['roughness'], '.4f')} | {percent_of(teacher['failures'])} | |"
        for family in families:
            if not (mine := of(rows, policy, family)):
                continue
            for word, keeps in (("by return alone", False), ("admissible", True)):
                yield f"| {family} | {word} | " + " | ".join(smallest_cells(mine, percent, keeps)) + " |"
            if promise := certified(mine):
                yield (f"| {family} | certified | {several(promise['bytes'], ',.0f')} | {several(promise['loss'], '.2f')} | "
                       f"{several(promise['roughness'], '.4f')} | {percent_of(promise['failures'])} | "
                       f"promised at most {several(promise['upper'], '.2f')}, {promise['reached']} of {promise['repeats']} repeats |")


def matrix(rows, policies, families, percent, keeps):
    """The same in one table: a line for each policy, a column for each family, in each cell bytes, loss and roughness."""
    present = [family for family in families if any(row["family"] == family for row in rows)]
    title = "smallest admissible" if keeps else "smallest by return alone"
    yield f"\n**{title.capitalize()} within {percent}%: bytes, loss in percent, roughness**\n"
    yield "| | roughness of the network | " + " | ".join(present) + " |"
    yield "| --- | --- |" + " --- |" * len(present)
    for policy in policies:
        everything, cells = [row for row in rows if row["policy"] == policy], []
        for family in present:
            mine = of(rows, policy, family)
            found = smallest_within(mine, percent, keeps)
            if found is None:
                cells.append("none" if mine else "")
                continue
            words = broken(found)
            cells.append(f"{several(found['bytes'], ',.0f')} B: {several(found['loss'], '.1f')}, "
                         f"{several(found['roughness'], '.4f')}" + (f" ({words})" if words else ""))
        own = several(teacher_of(everything)["roughness"], ".4f") if everything else ""
        yield f"| {policy} | {own} | " + " | ".join(cells) + " |"


def always_admissible(rows):
    """Of a family with named sizes those sizes that were admissible in every repeat."""
    spoiled = {row["detail"] for row in rows if not row["admissible"]}
    return [row for row in rows if row["detail"] not in spoiled]


def front(rows, policy, families, keeps):
    """(bytes, loss, who) of all families that nothing as small or smaller beats, and Mercer's own points by family."""
    own, everything = {}, []
    for family in families:
        mine = of(rows, policy, family)
        if family in RUNS:
            kept = admissible(mine) if keeps else mine
            in_each = len(by_repeat(kept)) == len(by_repeat(mine))  # a search that found none must not vanish from the median
            own[family] = points = front_of_search(kept) if in_each else []
            everything += [(point["bytes"], point["loss"]["median"], family) for point in points]
        else:
            everything += [(one["bytes"]["median"], one["loss"]["median"], f"{family} {one['detail']}")
                           for one in sizes(always_admissible(mine) if keeps else mine)]
    return undominated(everything), own


def fronts(rows, policies, families):
    """Mercer's fronts, then that of everything together: bytes, loss and who it is; all again for what is admissible."""
    for policy in policies:
        for keeps, word in ((False, ""), (True, ", admissible")):
            everything, own = front(rows, policy, families, keeps)
            for family, points in own.items():
                if points:
                    yield f"\n{policy}, {family}{word}: " + ", ".join(
                        f"{point['bytes']} B {several(point['loss'], '.2f')}%" for point in points)
            yield f"\n{policy}, everything{word}: " + ", ".join(
                f"{size:.0f} B {loss:.2f}% ({who})" for size, loss, who in everything)
