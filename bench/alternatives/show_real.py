"""Tables of `./run front --real-size`, as Markdown."""

from .summary import undominated

LEGEND = """Loss in percent of the teacher's |mean return| on the same {episodes} starts, with its 95% interval; under perturbations against
the teacher in the same perturbed task. In the teacher's row: what it earns, and what it loses itself there. Roughness: mean change of
the action a step, saturation: actions within 1% of a bound, both shares of the range in percent. A row that is too rough is marked !
(more than 1.25 times the teacher's plus 0.5%). Polished: generations of evolution on the return after imitation, as many as fit
into {polish} CPU seconds. CPU seconds are those of making a row, without judging it."""


def percent(share):
    return f"{100 * share:.1f}"


def interval(row):
    return " to ".join(f"{end:.2f}" for end in row["ci95_percent"])


def teacher_line(row):
    """The teacher, from what any row knows of it."""
    earned = row["teacher_return"]
    lost = [f"{100 * (earned - point['teacher_return']) / abs(earned):.2f}" for point in row["points"]]
    size = "" if row["teacher_bytes"] is None else f"{row['teacher_bytes']:,}"
    return (f"| teacher | float32 | | {size} | return {earned:.5g} | | {percent(row['teacher_roughness'])} | "
            f"{percent(row['teacher_saturation'])} | " + " | ".join(lost) + " | |")


def line(row):
    lost = [f"{point['loss_percent']:.2f} ({interval(point)})" for point in row["points"]]
    return (f"| {row['family']} | {row['detail']} | {row['polish'] or ''} | {row['bytes']:,} | {row['loss_percent']:.2f} | "
            f"{interval(row)} | {percent(row['roughness'])}{'!' if row['too_rough'] else ''} | {percent(row['saturation'])} | "
            + " | ".join(lost) + f" | {row['cpu_seconds']:.0f} |")


def table(rows, policy, families):
    """Every row of one teacher, then the front of bytes and loss, and what was left out."""
    mine = sorted((row for row in rows if row["policy"] == policy and row["family"] in families),
                  key=lambda row: (row["repeat"], families.index(row["family"])))
    full = [row for row in mine if "left_out" not in row]
    for repeat in sorted({row["repeat"] for row in full}):
        some = [row for row in full if row["repeat"] == repeat]
        points = [point["point"].replace("=", " ") for point in some[0]["points"]]
        yield f"\n**{policy}**" + (f", repeat {repeat + 1}" if repeat else "") + "\n"
        yield ("| | size | polished | bytes | loss, % | 95% interval | roughness, % | saturation, % | "
               + " | ".join(f"{point}: loss, %" for point in points) + " | CPU s |")
        yield "| --- | --- | --- |" + " ---: |" * (6 + len(points))
        yield teacher_line(some[0])
        yield from map(line, some)
        yield "\nFront of bytes and these losses: " + ", ".join(f"{size:,} B {loss:.2f}% ({who})" for size, loss, who in undominated(
            [(row["bytes"], row["loss_percent"], f"{row['family']} {row['detail']}{', polished' if row['polish'] else ''}")
             for row in some])) + "."
    for row in mine:
        if "left_out" in row:
            yield f"\nLeft out: {row['family']}, for {row['left_out']}."


def tables(rows, policies, families, settings):
    yield LEGEND.format(episodes=settings["episodes"], polish=f"{settings['polish_seconds']:g}")
    for policy in policies:
        yield from table(rows, policy, families)
