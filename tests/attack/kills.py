"""SIGKILL, SIGINT and SIGTERM at random moments of every verb that writes: nothing is lost, the next run succeeds."""

import random
import re
import signal
import sys
import time

from attempt import TOLD, Row, attempt
from seeds import ROOT

sys.path.insert(0, str(ROOT / "tests/faults"))

from faults import JOBS, Lab, compared, files_in  # noqa: E402


def whole(folder):
    """What a run leaves, besides halves of one that was killed before: nothing removes those."""
    return {path: data for path, data in compared(files_in(folder)).items() if not path.endswith(".part")}


class Kills:
    def __init__(self, program, base, kept):
        self.program, self.base, self.kept, self.labs = program, base, kept, {}

    def lab(self, job):
        """The job's folder, and how long the job takes when nothing disturbs it."""
        if job not in self.labs:
            lab = Lab(self.program, None, job, self.base)
            times = []
            for _ in range(3):
                folder, begin = lab.fresh("timed"), time.monotonic()
                self.run(lab, folder)
                times.append(time.monotonic() - begin)
            self.labs[job] = lab, sorted(times)[1]
        return self.labs[job]

    def run(self, lab, folder, kill=None):
        return attempt([self.program, *lab.words, "--quiet", "--threads", "1"], folder, 120, kill)

    def one(self, number, row):
        chance = random.Random(f"{self.kept.seed}/kills/{number}")
        job, moment = list(JOBS)[number % len(JOBS)], chance.random()
        sent = chance.choice((signal.SIGINT, signal.SIGTERM)) if chance.random() < 0.25 else signal.SIGKILL
        lab, seconds = self.lab(job)
        for _ in range(20):  # the machine is not always as fast: until it is not done before that
            folder = lab.fresh("killed")
            done = self.run(lab, folder, (sent, moment * seconds))
            if done.code != 0:
                break
            moment *= 0.9
        wrong = self.wrong_state(lab, folder, done, sent)
        row.count(0 if done.code == 0 else 2)  # "refused": it did not end by itself
        again = self.run(lab, folder)
        if again.code != 0:
            wrong.append(f"the next run ends with {again.code}: {again.err[-300:]!r}")
        elif whole(folder) != compared(lab.new):
            wrong.append(f"the next run leaves other files: {lab.changes(folder)}")
        if wrong:
            words = f"mercer {' '.join(map(str, lab.words))}, {sent.name} after {moment * seconds * 1000:.1f} ms"
            self.kept.add("kills", number, words, wrong, folder, {"stderr": done.err})

    def wrong_state(self, lab, folder, done, sent):
        wrong = lab.wrong_files(folder)
        if sent == signal.SIGKILL:
            wrong = [text for text in wrong if not re.search(r"\.part is left over$", text)]  # nobody was there to remove it
            return wrong + ([] if done.code in (0, -9) else [f"it ended with {done.code}"])
        told = TOLD.search(done.err)
        if done.code == 130:
            return wrong if told and told[0] == b"mercer: error E130: " else wrong + ["it ended with 130 without E130"]
        if done.code == -sent:  # so early that the program did not listen yet: then it had written nothing either
            return wrong if files_in(folder) == lab.old else wrong + ["it died by that signal after it had begun to write"]
        return wrong + ([] if done.code == 0 else [f"it ended with {done.code}: {done.err[-300:]!r}"])


def attack(program, count, base, kept, only=None):
    row = Row("kills")
    kills = Kills(program, base / "kills", kept)
    for number in [only] if only is not None else range(count):
        kills.one(number, row)
    return row
