"""One run of the program from outside, bounded in time and memory, and what no input may make it do."""

import os
import re
import resource
import select
import shutil
import signal
import subprocess
import tempfile
import time

# Every seed is small, and a reader may not take memory that its input does not pay for. The kernel's limit is above that of
# the process that compiles robots (1 GiB) with threads' stacks; what stays resident is watched and must be far less.
ADDRESS_SPACE, RESIDENT, FILE_SIZE = 3 << 30, 1 << 30, 64 << 20
CODES = (0, 2, 3, 5)  # docs/reference/errors.md; 130 only for who was asked to end
TOLD = re.compile(rb"^mercer: error E(\d)(\d\d): ", re.MULTILINE)
BUG = re.compile(rb"[Tt]his is a bug|Traceback|terminate called|runtime error:|Sanitizer")
# Control characters but line feeds and tabs, the marks that turn text around, and line ends that are no line feed.
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class Done:
    """How a run ended: its code (negative: a signal), what it said, its largest resident size, whether it was ended."""

    def __init__(self, code, out, err, resident, late):
        self.code, self.out, self.err, self.resident, self.late = code, out, err, resident, late


def bound():
    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def own_environment():
    return {name: value for name, value in os.environ.items() if not name.startswith(("MERCER_", "FAULT_"))}


def wait_for(pid, seconds):
    """Code and resident bytes of a child, or None if it still runs after that time."""
    handle = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        if not poll.poll(1000 * seconds):
            return None
        _, status, usage = os.wait4(pid, 0)
        return os.waitstatus_to_exitcode(status), usage.ru_maxrss * 1024
    finally:
        os.close(handle)


def attempt(words, folder, seconds=20, kill=None):
    """Runs a command; after so many seconds it is asked to end, as by Ctrl-C, and killed 10 seconds later. `kill` is a signal
    and the second at which to send it instead."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen([str(word) for word in words], cwd=folder, env=own_environment(), stdin=subprocess.DEVNULL,
                                 stdout=out, stderr=err, preexec_fn=bound)
        late = False
        if kill:
            time.sleep(kill[1])
            os.kill(child.pid, kill[0])  # the child is not waited for yet, so this number is still its own
        ended = wait_for(child.pid, seconds)
        if ended is None:
            late = True
            os.kill(child.pid, signal.SIGINT)
            ended = wait_for(child.pid, 10)
        if ended is None:
            os.killpg(child.pid, signal.SIGKILL)
            ended = wait_for(child.pid, 60)
        child.returncode = ended[0]
        for stream in (out, err):
            stream.seek(0)
        return Done(ended[0], out.read(), err.read(), ended[1], late)


def spoken(text):
    """What is wrong with what a program said."""
    try:
        words = text.decode()
    except UnicodeDecodeError:
        return ["it printed bytes that are not UTF-8"]
    return [f"it printed the control character {found[0]!r}"] if (found := CONTROL.search(words)) else []


def wrong_end(done, patient=False):
    """What is wrong with how a run ended. `patient`: the input itself may ask for long work, which Ctrl-C must end."""
    wrong = spoken(done.out) + spoken(done.err)
    if BUG.search(done.err):
        wrong.append("it calls itself broken")
    if done.resident > RESIDENT:
        wrong.append(f"{done.resident >> 20} MiB were resident")
    told = TOLD.search(done.err)
    if done.late and not (patient and done.code in (*CODES, 130)):
        wrong.append(f"it ran over its time and then ended with {done.code}")
    elif done.code < 0:
        wrong.append(f"it died by signal {-done.code}")
    elif done.code not in CODES and not (done.late and done.code == 130):
        wrong.append(f"exit code {done.code}")
    elif done.code in CODES[1:] and (told is None or int(told[1]) != done.code):
        wrong.append(f"exit code {done.code} without an error of that kind")
    return wrong


def left_over(before, folder, done, may_write=()):
    """Files that a run should not have left: temporary ones, and new ones of a command that was refused."""
    new = sorted(set(listing(folder)) - set(before))
    if done.code in (0, 5) or done.code < 0:
        new = [name for name in new if name.endswith(".part")]
    return [f"{name} is left over" for name in new if not name.startswith(tuple(may_write)) or name.endswith(".part")]


def listing(folder):
    return [os.path.relpath(os.path.join(place, name), folder) for place, folders, files in os.walk(folder)
            for name in folders + files]


class Kept:
    """Findings, and a folder for each that holds the input and how to repeat it."""

    def __init__(self, folder, seed, out):
        self.folder, self.seed, self.out, self.found = folder, seed, out, []

    def add(self, part, number, words, wrong, source=None, texts=None):
        place = self.folder / f"{part}-{self.seed}-{number}"
        shutil.rmtree(place, ignore_errors=True)
        if source is not None:
            shutil.copytree(source, place, symlinks=True)
        place.mkdir(parents=True, exist_ok=True)
        text = f"repeat: ./run attack --seed {self.seed} --only {part}:{number}\ncommand: {words}\n" + "\n".join(wrong) + "\n"
        (place / "finding.txt").write_text(text, errors="replace")
        for name, data in (texts or {}).items():
            (place / name).write_bytes(data)
        self.found.append(" ".join(f"{part}:{number} ({words}): {'; '.join(wrong)}".split())[:600])
        print(f"found {self.found[-1]}", file=self.out, flush=True)


class Row:
    """Counts of one part, a row of the table."""

    def __init__(self, name):
        self.name, self.tried, self.refused, self.accepted, self.other, self.seconds = name, 0, 0, 0, 0, 0

    def count(self, code):
        self.tried += 1
        if code in (0, 5):
            self.accepted += 1
        elif code in (2, 3):
            self.refused += 1
        else:
            self.other += 1
