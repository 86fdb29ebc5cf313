"""Rivals of Mercer's shared ridges on policies of real size: `front.py PROGRAM --real-size ...`.

usage: python3 bench/front.py build/release/bin/mercer --real-size [--quick] [--teacher TASK=FILE] [--mercer NAME=FILE] ...

Linear policies, int8 networks, trees, the teacher's own network with fewer bits, and what `mercer compress --bases shared` finds,
in tasks of the library, which Mercer plays in batches. Students imitate on states that they meet themselves, all in as many rounds of as many
episodes; those of at most 300 numbers are also polished by evolution on the return. Everything is judged on the same fresh starts, also
in perturbed tasks. Bytes are those of the student, without code. The file has every row; with --resume a run that was killed goes on from it.
"""

import argparse
import hashlib
import os
import pathlib
import sys

from alternatives import real_jobs
from alternatives.record import Record
from alternatives.running import compute, listed
from alternatives.show_real import tables
from alternatives.subjects import ROOT

TEACHERS = ROOT / "tests/data/policies/physics"
# What a setting is, and what it is in a quick run.
SETTINGS = {"episodes": (100, 12), "rounds": (8, 3), "round_episodes": (16, 4), "steps": (8000, 1500), "generations": (1000, 1000),
            "candidate_episodes": (8, 2), "last_episodes": (64, 8), "polish_seconds": (300.0, 4.0)}


def options_of(arguments):
    parser = argparse.ArgumentParser(prog="front --real-size", description=__doc__.split("\n")[0])
    parser.add_argument("program", help="the built mercer; the Python package of the same build is used")
    parser.add_argument("--quick", action="store_true", help="swimmer alone, few sizes, rounds and episodes: a minute or two")
    parser.add_argument("--teacher", action="append", default=[], metavar="TASK=FILE", help="another teacher, named after its file")
    parser.add_argument("--mercer", action="append", default=[], metavar="NAME=FILE", help="what Mercer made of a teacher: a .mercer file")
    parser.add_argument("--budget", help="for teachers without such a file: time of mercer compress, such as 20m [none: left out]")
    parser.add_argument("--policies", help="names of teachers, separated by commas; without it all")
    parser.add_argument("--families", help="separated by commas, '-' for blanks (int8-one-layer,tree); without it all")
    parser.add_argument("--repeats", type=int, default=1)
    for name, kind, what in (("episodes", int, "on which everything is judged"), ("rounds", int, "of imitation"),
                             ("round-episodes", int, "that a student plays in each round"), ("steps", int, "of Adam in each round"),
                             ("generations", int, "of a polish, at most"), ("candidate-episodes", int, "for each candidate of a polish"),
                             ("last-episodes", int, "on which the best of a polish is picked"),
                             ("polish-seconds", float, "of CPU for the generations of a polish")):
        usual, quick = SETTINGS[name.replace("-", "_")]
        parser.add_argument(f"--{name}", type=kind, help=f"{what} [{usual:g}; quick: {quick:g}]")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--out", default="front-real-size.json")
    parser.add_argument("--markdown", help="also write the tables there")
    parser.add_argument("--resume", action="store_true", help="go on from the file of --out")
    return parser.parse_args(arguments)


def pairs(texts, option):
    """NAME=FILE, the last = separates: settings of a task have some, too."""
    for text in texts:
        name, _, file = text.rpartition("=")
        if not name or not pathlib.Path(file).is_file():
            sys.exit(f"front: {option} {text}: expected {'TASK' if option == '--teacher' else 'NAME'}=FILE with a file that exists")
        yield name, str(pathlib.Path(file).resolve())


def teachers_of(options):
    """(task, file) by name: the stem of the file, with as many folders above it as tell it from others."""
    found = {file.stem: (file.stem, str(file)) for file in sorted(TEACHERS.glob("*.safetensors"))}
    for task, file in pairs(options.teacher, "--teacher"):
        parts = pathlib.Path(file).with_suffix("").parts
        names = ["/".join(parts[-count:]) for count in range(1, len(parts))]
        if (task, file) in found.values():
            sys.exit(f"front: --teacher {task}={file} is there already")
        found[next(name for name in names if name not in found)] = task, file
    return found


def source(teacher, family, embedding):
    """What rows of a family come from: files by their hashes. Rows of a resumed run that come from another are made anew."""
    task, file = teacher
    names = [file, embedding] if family == "mercer" and embedding else [file]
    hashes = [hashlib.sha256(pathlib.Path(name).read_bytes()).hexdigest()[:16] if pathlib.Path(name).is_file() else name for name in names]
    return " ".join([task, *hashes])


def main(arguments):
    options = options_of(arguments)
    teachers = teachers_of(options)
    quick_ones = ["swimmer", *(name for name in teachers if not teachers[name][1].startswith(str(TEACHERS)))]
    policies = listed(options.policies or (",".join(quick_ones) if options.quick else None), teachers, "teacher")
    families = listed(options.families and options.families.replace("-", " "), real_jobs.FAMILIES, "family")
    embeddings = dict(pairs(options.mercer, "--mercer"))
    listed(",".join(embeddings), teachers, "teacher")
    settings = {"quick": options.quick}
    for key, (usual, quick) in SETTINGS.items():
        given = getattr(options, key)
        settings[key] = given if given is not None else quick if options.quick else usual
    try:
        record = Record(options.out, settings, options.resume)
    except ValueError as error:
        sys.exit(f"front: {error}")
    sources = {(policy, family): source(teachers[policy], family, embeddings.get(policy) or options.budget)
               for policy in policies for family in families}
    record.forget(lambda row: "left_out" in row or row["source"] != sources.get((row["policy"], row["family"]), row["source"]))
    wanted = [{"policy": policy, "family": family, "repeat": repeat, "program": options.program, "task": teachers[policy][0],
               "file": teachers[policy][1], "embedding": embeddings.get(policy), "budget": options.budget,
               "source": sources[policy, family], **settings} for repeat in range(options.repeats) for policy in policies for family in families
              if not record.has(policy, family, repeat)]
    if wanted:
        compute(record, real_jobs.run, wanted, options.processes)
    text = "\n".join(tables(record.rows, policies, families, settings))
    print(text)
    if options.markdown:
        pathlib.Path(options.markdown).write_text(text + "\n")
