"""Mutated files of every kind, each read by one command of the real program."""

import collections
import json
import pathlib
import random
import re
import shutil

import mutate
import seeds
from attempt import Row, attempt, left_over, listing, wrong_end

# {f} is the mutated file, {env} its task, L the folder of good files next to it. All is short: what is attacked is the reader.
PLAY = "--episodes 2 --horizon 4 --seed 1 --threads 1"
COARSE = "--k 1 --state-bins 2 --action-bins 2 --out q.mercer"
TRAIN = "train --env cart-pole --hidden 8x8 --batch-size 8 --warmup 20 --steps 70 --eval-episodes 1 --seed 1 --out run --quiet"
POLICY = [("inspect {f}", 3), ("inspect {f} --env {env} --json", 3),
          (f"evaluate --env {{env}} --policy {{f}} --act mean {PLAY}", 3),
          (f"evaluate --env {{env}} --policy {{f}} {PLAY} --behaviour", 1),
          (f"rollout --env {{env}} --policy {{f}} {PLAY} --out r.npz", 1),
          ("inspect {f} --env {env} --test-vectors 4 --out v", 1),
          (f"certify {{f}} --env {{env}} --policy uniform --horizon 4 --dry-run {seeds.CERTIFY}", 1),
          (f"embed --env {{env}} --policy {{f}} --horizon 4 {COARSE} {seeds.SHORT}", 1)]
EMBEDDING = [("inspect {f}", 4), ("inspect {f} --json", 4), (f"evaluate --env {{env}} --policy {{f}} {PLAY}", 3),
             (f"evaluate --env {{env}} --policy uniform --against {{f}} {PLAY}", 1),
             (f"rollout --env {{env}} --policy {{f}} {PLAY} --out r.csv", 2), (f"certify {{f}} --dry-run {seeds.CERTIFY}", 1),
             (f"certify {{f}} {seeds.CERTIFY}", 1), ("report {f} --out r.html --episodes 2 --threads 1", 0.2),
             *((f"export {form} {{f}} --out d", 1)
               for form in ("c", "st", "rust", "js", "onnx", "json", "c --kit", "c --numbers fixed")),
             (f"embed --env {{env}} --policy {{f}} --horizon 4 {COARSE} {seeds.SHORT}", 1)]
ROBOT = [(f"evaluate --env mujoco:{{f}} --policy uniform {PLAY}", 2),
         (f"rollout --env mujoco:{{f}} --policy uniform {PLAY} --out r.npz", 1)]


# How a kind of file is named and changed, the commands with their shares, and whether the file itself says how long they take.
Kind = collections.namedtuple("Kind", "file by commands share patient", defaults=(1, False))
KINDS = {
    "mercer": Kind("t.mercer", None, EMBEDDING, 12),
    "signed": Kind("t.mercer", None, [("inspect {f} --verify L/key.pub", 1)], 1),
    ".onnx": Kind("t.onnx", None, POLICY, 2), ".zip": Kind("t.zip", mutate.archive, POLICY, 2),
    ".pt": Kind("t.pt", None, POLICY, 2), ".msgpack": Kind("t.msgpack", None, POLICY),
    ".npz": Kind("t.npz", mutate.archive, POLICY),
    ".safetensors": Kind("t.safetensors", mutate.tensors, POLICY, 2),
    ".pkl": Kind("t.pkl", None, [(f"evaluate --env {{env}} --policy L/t.npz --normaliser {{f}} {PLAY}", 2),
                                 ("inspect L/t.npz --env {env} --normaliser {f}", 1)]),
    "table": Kind("t.json", mutate.document, [(f"evaluate --env L/mdp.json --policy tabular:{{f}} {PLAY}", 2),
                                              ("inspect {f}", 1)]),
    "process": Kind("t.json", mutate.document, [
        (f"evaluate --env {{f}} --policy uniform {PLAY}", 2),
        ("evaluate --env {f} --policy uniform --episodes 2 --threads 1", 1),
        (f"embed --env {{f}} --policy uniform --k 1 {seeds.SHORT} --out q.mercer", 1)], 1, True),
    "settings": Kind("t.toml", mutate.lines, [("evaluate --config {f} --threads 1", 2), ("list --config {f}", 1),
                                              ("embed --config {f} --threads 1 --out q.mercer", 1)], 1, True),
    "sweep": Kind("t.toml", mutate.lines, [("sweep {f} --out s --threads 1 --quiet", 1)], 0.5, True),
    "robot": Kind("t.toml", mutate.lines, ROBOT, 1, True),
    "model": Kind("t.xml", mutate.lines, [(f"evaluate --env mujoco:{{env}}.toml --policy uniform {PLAY}", 1)], 1, True),
    "log.npz": Kind("t.npz", mutate.archive, [("evaluate --rollouts {f}", 2),
                                              (f"embed --from {{f}} --env {{env}} --policy uniform {COARSE} --episodes 2", 1)]),
    "log.csv": Kind("t.csv", mutate.lines, [("evaluate --rollouts {f}", 2),
                                            (f"embed --from {{f}} --env {{env}} --policy uniform {COARSE} --episodes 2", 1)]),
    "vectors": Kind("t.json", mutate.document,
                    [(f"export {form} L/chain.mercer --check {{f}} --out d", 1) for form in ("c", "st", "js")], 0.5),
    "key": Kind("t.pem", None, [("inspect L/signed.mercer --verify {f}", 1), (
        f"embed --env chain:n=5 --policy uniform --k 2 --horizon 4 {seeds.SHORT} --sign {{f}} --out q.mercer", 1)], 0.5),
    "progress": Kind("run/progress.json", mutate.document, [("watch run --once", 1), ("watch run --json", 1)], 0.5),
    "checkpoint": Kind("run/checkpoint.safetensors", mutate.tensors, [(TRAIN, 1)], 0.5),
}
MAY_WRITE = ("s", "run")  # a sweep and a training keep what is done, and say which job failed
PATIENCE = 5  # seconds before Ctrl-C for files that ask for work


class Files:
    def __init__(self, program, base, kept):
        self.program, self.kept, self.base = program, kept, pathlib.Path(base)
        self.lab = self.base / "lab"
        self.lab.mkdir(parents=True)
        (self.lab / "mdp.json").write_text(json.dumps(seeds.PROCESS))
        made, signed = seeds.make_embeddings(program, self.lab)
        self.seeds = {"mercer": made, "signed": [signed], **seeds.networks(self.lab), **seeds.texts(program, self.lab)}

    def mutated(self, name, seed, chance):
        """The bytes, and whether they are an embedding whose digests were mended."""
        others = [other.data for other in self.seeds[name]]
        if name in ("mercer", "signed"):
            return mutate.embedding(seed.data, chance, others)
        return mutate.changed(seed.data, KINDS[name].by or mutate.scrambled, chance, others), False

    def one(self, number, row):
        chance = random.Random(f"{self.kept.seed}/files/{number}")
        name = chance.choices(list(KINDS), [kind.share for kind in KINDS.values()])[0]
        kind, seed = KINDS[name], chance.choice(self.seeds[name])
        words = chance.choices([words for words, _ in kind.commands], [share for _, share in kind.commands])[0]
        data, mended = self.mutated(name, seed, chance)
        folder = self.base / "run"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for link in ("L", "sac", "run"):  # the latter hold teachers
            if link == "run" and KINDS[name].file.startswith("run/"):
                shutil.copytree(self.lab / "run", folder / "run")
            else:
                (folder / link).symlink_to(self.lab / link.replace("L", ""))
        if name in ("robot", "model"):
            for path in (seeds.ROOT / "examples/robots").iterdir():
                shutil.copy(path, folder)
        env = ("L/" if seed.env.endswith(".json") else "") + seed.env
        target = folder / (f"{seed.env}.xml" if name == "model" else kind.file)
        target.write_bytes(data)
        words = words.format(f=kind.file, env=env)
        before = listing(folder)
        done = attempt([self.program, *words.split()], folder, PATIENCE if kind.patient else 20)
        wrong = wrong_end(done, kind.patient) + left_over(before, folder, done, MAY_WRITE)
        wrong += self.wrong_trust(name, seed, data, mended, done, folder)
        row.count(done.code)
        if wrong:
            target.write_bytes(data)  # certify replaces what it was given
            self.kept.add("files", number, f"mercer {words}", wrong, folder, {"stdout": done.out, "stderr": done.err})

    def wrong_trust(self, name, seed, data, mended, done, folder):
        """Whether an embedding was taken for what somebody else wrote."""
        if name not in ("mercer", "signed") or done.code not in (0, 5) or data == seed.data:
            return []
        if name == "signed":
            return ["a changed file was taken for the signer's"]
        if mended:
            return []
        (folder / "again.mercer").write_bytes(data)
        said = attempt([self.program, "inspect", "again.mercer", "--json"], folder)
        verified = said.code == 0 and re.search(rb'^ *.?"verified": true', said.out, re.MULTILINE)
        return ["a changed file was taken as verified"] if verified else []


def attack(program, count, base, kept, only=None):
    row = Row("files")
    files = Files(program, base / "files", kept)
    for number in [only] if only is not None else range(count):
        files.one(number, row)
    return row
