"""Jobs in processes of their own, what each gives kept as soon as it is there; and names picked from a list."""

import multiprocessing
import os
import platform
import sys


def listed(text, known, what):
    wanted = text.split(",") if text else list(known)
    if unknown := [one for one in wanted if one not in known]:
        sys.exit(f"front: no {what} is called {', '.join(unknown)}; there are {', '.join(known)}")
    return wanted


def compute(record, run, wanted, processes):
    """`run` gives (key, rows) of a job."""
    machine = {"processor": platform.processor() or platform.machine(), "cores": os.cpu_count()}
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        for done, (key, rows) in enumerate(pool.imap_unordered(run, wanted), 1):
            record.add(key, rows, machine)
            print(f"{done} of {len(wanted)}: {', '.join(map(str, key))}", file=sys.stderr, flush=True)
