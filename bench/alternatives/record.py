"""The file of a run: what is finished in it is not computed again."""

import json
import os
import pathlib


class Record:
    """`rows`, and which jobs they came from. Settings that change numbers must be those that the file was begun with."""

    def __init__(self, path, settings, resume):
        self.path, self.settings, self.finished, self.rows = pathlib.Path(path), settings, [], []
        if resume and self.path.exists():
            document = json.loads(self.path.read_text())
            if document["settings"] != settings:
                raise ValueError(f"{path} was begun with {document['settings']}, not with {settings}: name another --out")
            self.finished, self.rows = document["finished"], document["rows"]

    def has(self, policy, family, repeat):
        return [policy, family, repeat] in self.finished

    def forget(self, stale):
        """Drops rows for which `stale` is true; their jobs are not finished then."""
        gone = [[row["policy"], row["family"], row["repeat"]] for row in self.rows if stale(row)]
        self.finished = [key for key in self.finished if key not in gone]
        self.rows = [row for row in self.rows if [row["policy"], row["family"], row["repeat"]] not in gone]

    def add(self, key, rows, machine=None):
        """Keeps the rows of a job, on disk too: a run that is killed leaves the old file or the new one."""
        self.finished.append(list(key))
        self.rows += rows
        beside = self.path.with_name(self.path.name + ".new")
        document = {"settings": self.settings, "machine": machine, "finished": self.finished, "rows": self.rows}
        beside.write_text(json.dumps(document, indent=1) + "\n")
        os.replace(beside, self.path)
