"""What a disk may hold after a power failure, from the calls that shim.cpp recorded.

A disk keeps its own order. A write to a file is certain to survive once that file was flushed after it, a new, removed or
renamed entry of a folder once that folder was; of everything else any part may have happened, and of a write either half.
Names and contents are kept apart, as on real disks: a name that survived may lead to a file whose bytes did not.
"""

import itertools
import os
import posixpath
import random


class Change:
    """One change: of the bytes of a file, or of an entry of a folder (a file, a folder, or None)."""

    def __init__(self, target, name, value, moved=None):  # moved: the entry it came from, and what is there instead
        self.target, self.name, self.value, self.moved = target, name, value, moved
        self.certain_at = None  # the call after which it cannot be lost

    def apply(self, state):
        if self.name is None:  # bytes
            data = state.bytes[self.target]
            offset, part = self.value
            if part is None:
                del data[offset:]
                data.extend(bytes(offset - len(data)))
            else:
                data.extend(bytes(max(0, offset - len(data))))
                data[offset:offset + len(part)] = part
        else:
            state.entries[self.target][self.name] = self.value
            if self.moved:
                state.entries[self.moved[0]][self.moved[1]] = self.moved[2]


class State:
    """Bytes by file and entries by folder; both are numbers that the model gives."""

    def __init__(self, other=None):
        self.bytes = {node: bytearray(data) for node, data in other.bytes.items()} if other else {}
        self.entries = {node: dict(names) for node, names in other.entries.items()} if other else {}

    def files(self, folder, prefix=""):
        """Path and bytes of every file below a folder, and the path of every folder with None."""
        found = {}
        for name, node in self.entries[folder].items():
            if node is None:
                continue
            if node in self.bytes:
                found[prefix + name] = bytes(self.bytes[node])
            else:
                found[prefix + name] = None
                found.update(self.files(node, prefix + name + "/"))
        return found


class Disk:
    """The calls below one folder, replayed from what it held before."""

    def __init__(self, root, before, record):
        self.root, self.before = str(root), before
        self.first, self.changes = State(), []
        self.nodes, self.next = {}, 1  # inodes as recorded; a number is used again after its file is gone
        self.folder = self._folder()
        for path, data in sorted(before.items()):
            self._plant(path, data)
        self.now = State(self.first)
        self.versions = {}  # path: all that was ever renamed to it or stood there first
        for path, data in before.items():
            self.versions.setdefault(path, []).append(data)
        self.calls = 0
        for call in self._read(record):
            self.calls += 1
            self._replay(*call)

    def _folder(self):
        node, self.next = self.next, self.next + 1
        self.first.entries[node] = {}
        if hasattr(self, "now"):
            self.now.entries[node] = {}
        return node

    def _plant(self, path, data):
        *above, name = path.split("/")
        folder = self.folder
        for part in above:
            if part not in self.first.entries[folder]:
                self.first.entries[folder][part] = self._folder()
            folder = self.first.entries[folder][part]
        node, self.next = self.next, self.next + 1
        self.first.bytes[node] = bytearray(data)
        self.first.entries[folder][name] = node

    @staticmethod
    def _read(record):
        at = 0
        while at < len(record):
            end = record.index(b"\n", at)
            fields = [os.fsdecode(field) for field in record[at:end].split(b"\t")]
            at = end + 1
            if fields[0] == "write":
                size = int(fields[3])
                fields[3] = record[at:at + size]
                at += size
            yield fields

    def _inside(self, path):
        path = posixpath.normpath(path)
        return path == self.root or path.startswith(self.root + "/")

    def _place(self, path):
        """The folder of a path and the name in it."""
        *above, name = posixpath.relpath(path, self.root).split("/")
        folder = self.folder
        for part in above:
            folder = self.now.entries[folder][part]
        return folder, name

    def _change(self, *about, **more):
        change = Change(*about, **more)
        change.made_at = self.calls
        change.apply(self.now)
        self.changes.append(change)

    def _certain(self, target, names):
        for change in self.changes:
            if change.certain_at is None and (change.name is not None) == names:
                if change.target == target or (change.moved and change.moved[0] == target):
                    change.certain_at = self.calls

    def _replay(self, what, *fields):
        paths = [field for field in fields if isinstance(field, str) and field.startswith("/")]
        if not all(self._inside(path) for path in paths):
            assert what in ("open", "create", "syncdir"), (what, fields)
            if what != "syncdir":
                self.nodes[fields[0]] = None  # a file elsewhere
            return
        if what in ("open", "create"):
            folder, name = self._place(fields[1])
            node = self.now.entries[folder].get(name)
            if node is None:
                node, self.next = self.next, self.next + 1
                self.first.bytes[node] = bytearray()
                self.now.bytes[node] = bytearray()
                self._change(folder, name, node)
            self.nodes[fields[0]] = node
        elif what in ("write", "truncate", "sync"):
            if fields[0] not in self.nodes:
                raise ValueError(f"{what} to a file that nobody opened: {fields[0]}")
            node = self.nodes[fields[0]]
            if node is None:
                return
            if what == "sync":
                self._certain(node, False)
            elif what == "truncate":
                self._change(node, None, (int(fields[1]), None))
            else:
                offset, data = int(fields[1]), fields[2]
                half = len(data) // 2
                for start, part in ((offset, data[:half]), (offset + half, data[half:])):
                    if part:
                        self._change(node, None, (start, part))
        elif what == "syncdir":
            path = posixpath.normpath(fields[0])
            folder = self.folder
            for part in [] if path == self.root else posixpath.relpath(path, self.root).split("/"):
                folder = self.now.entries[folder][part]
            self._certain(folder, True)
        elif what in ("rename", "exchange"):
            source, name = self._place(fields[0])
            node = self.now.entries[source][name]
            target, other = self._place(fields[1])
            instead = self.now.entries[target][other] if what == "exchange" else None
            self._change(target, other, node, moved=(source, name, instead))
            self._remember(posixpath.relpath(fields[1], self.root), node)
        elif what in ("unlink", "rmdir"):
            folder, name = self._place(fields[0])
            self._change(folder, name, None)
        elif what == "mkdir":
            folder, name = self._place(fields[0])
            self._change(folder, name, self._folder())
        else:
            raise ValueError(f"a call that the model does not know: {what}")

    def _remember(self, path, node):
        if node in self.now.bytes:
            self.versions.setdefault(path, []).append(bytes(self.now.bytes[node]))
        else:
            for name, data in self.now.files(node).items():
                self.versions.setdefault(f"{path}/{name}", []).append(data)

    def states(self, most, seed=0):
        """What may be found after a failure before the first, between any two and after the last call: the number of calls,
        the state, and whether all of that moment were tried. More than `most` at one moment are drawn at random, besides
        all, none, only one and all but one of the uncertain changes."""
        choice = random.Random(seed)
        certain, done = State(self.first), 0  # with the changes at the beginning that cannot be lost
        for calls in range(self.calls + 1):
            while done < len(self.changes) and (self.changes[done].certain_at or self.calls + 1) <= calls:
                self.changes[done].apply(certain)
                done += 1
            made = [change for change in self.changes[done:] if change.made_at <= calls]
            open_ones = [i for i, change in enumerate(made) if change.certain_at is None or change.certain_at > calls]
            everything = 2 ** len(open_ones) <= most
            if everything:
                subsets = itertools.chain.from_iterable(itertools.combinations(open_ones, n) for n in range(len(open_ones) + 1))
            else:
                subsets = [(), open_ones, *((i,) for i in open_ones), *([j for j in open_ones if j != i] for i in open_ones)]
                subsets += [[i for i in open_ones if choice.random() < 0.5] for _ in range(most)]
            uncertain = set(open_ones)
            for kept in subsets:
                state, kept = State(certain), set(kept)
                for i, change in enumerate(made):
                    if i not in uncertain or i in kept:
                        change.apply(state)
                yield calls, state, everything
