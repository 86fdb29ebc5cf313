"""Tables of `./run behaviour`."""

from .keeping import FACTOR, MORE_FAILURES, PLUS

# Bytes that were aimed at beforehand.
AIMED = {"pendulum_4000": 16, "pendulum_5000": 14, "pendulum_10000": 32, "cmc_sde_10000": 12, "cmc_sde_20000": 12,
         "cmc_plain_6000": 12, "mc_dqn_120000": 20}
TITLES = {"behaviour": "`--keep behaviour`, the default", "return": "`--keep return`",
          "perturbed": "`--perturb` over the box of the grid"}


def nominal(row):
    return row["points"][0]["program"]


def limit_of(row):
    """The largest roughness that --keep behaviour allows, by the teacher's measured one."""
    return FACTOR * nominal(row)["teacher_roughness"] + PLUS


def worst(row):
    """The point of the grid with the largest measured loss."""
    return max(row["points"], key=lambda point: point["program"]["loss_percent"])


def per_cent(share):
    return "" if share is None else f"{100 * share:.1f}"


def kept_table(rows, keep):
    yield f"\n{TITLES[keep]}:\n"
    yield ("| policy | bytes | aimed at | promised loss, % | measured, % | roughness, teacher | roughness | allowed | failures, teacher, % | "
           "failures, % | distance, teacher's states | distance, its own | worst point | loss there, % |")
    yield "| --- |" + " ---: |" * 11 + " --- | ---: |"
    for row in rows:
        if row["family"] != keep:
            continue
        here, bad = nominal(row), worst(row)
        promised = "" if row["upper_percent"] is None else f"{row['upper_percent']:.2f}"
        yield (f"| {row['policy']} | {row['bytes']} | {AIMED.get(row['policy'], '')} | {promised}{'' if row['met'] else ' (not kept)'} | "
               f"{here['loss_percent']:.2f} | {here['teacher_roughness']:.4f} | {here['roughness']:.4f} | {limit_of(row):.4f} | "
               f"{per_cent(here['teacher_failures'])} | {per_cent(here['failures'])} | {here['distance_teacher']:.4f} | "
               f"{here['distance']:.4f} | {bad['point']} | {bad['program']['loss_percent']:.2f} |")


def grid_table(rows):
    """Loss against the teacher in the same task, and roughness of teacher and embedding, at every point."""
    yield "\nLoss in percent of the teacher's return in the same perturbed task; roughness of the teacher and of the embedding:\n"
    yield "| policy | keep | as it is | strength x 0.8 | strength x 1.2 | noise 0.02 | noise 0.05 | delay 1 |"
    yield "| --- | --- |" + " ---: |" * 6
    for row in rows:
        cells = [f"{one['loss_percent']:.2f}; {one['teacher_roughness']:.3f}, {one['roughness']:.3f}"
                 for one in (point["program"] for point in row["points"])]
        yield f"| {row['policy']} | {row['family']} | " + " | ".join(cells) + " |"


def check_table(rows):
    """What the exported C comes to in numpy, beside the program."""
    yield "\nThe exported C, compiled and played in numpy, beside the program; apart in standard errors, the most of all points:\n"
    yield ("| policy | keep | return, program | return, C in numpy | roughness, program | roughness, C in numpy | most apart, return | "
           "most apart, roughness |")
    yield "| --- | --- |" + " ---: |" * 6
    for row in rows:
        claimed, twin = nominal(row), row["points"][0]["twin"]
        apart = {key: max(abs(point["errors_apart"][key]) for point in row["points"]) for key in ("return", "roughness")}
        yield (f"| {row['policy']} | {row['family']} | {claimed['return']:.2f} | {twin['return']:.2f} | {claimed['roughness']:.4f} | "
               f"{twin['roughness']:.4f} | {apart['return']:.1f} | {apart['roughness']:.1f} |")


def tables(rows):
    for keep in TITLES:
        if any(row["family"] == keep for row in rows):
            yield from kept_table(rows, keep)
    yield from grid_table(rows)
    yield from check_table(rows)


def troubles(rows, most_errors):
    """What must not be: measurements that disagree, and behaviour that is not kept."""
    found = []
    for row in rows:
        name = f"{row['policy']}, {row['family']}"
        found += [f"{name}, {point['point']}: {key} by the program and by the exported C in numpy are {abs(apart):.1f} standard errors apart"
                  for point in row["points"] for key, apart in point["errors_apart"].items() if abs(apart) > most_errors]
        if row["family"] != "behaviour":  # the only one that promises something about the task as it is, besides the return
            continue
        here = nominal(row)
        if here["roughness"] > limit_of(row):
            found.append(f"{name}: roughness {here['roughness']:.4f}, allowed {limit_of(row):.4f}")
        if here["failures"] is not None and here["failures"] > here["teacher_failures"] + MORE_FAILURES:
            found.append(f"{name}: {per_cent(here['failures'])}% fail, of the teacher's {per_cent(here['teacher_failures'])}%")
    return found
