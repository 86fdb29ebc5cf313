"""A file whose manifest was changed is refused by every verb that reads it, and a signature by who checks it."""

import hashlib
import json
import os
import pathlib
import shutil
import struct
import subprocess

import pytest
from conftest import Mercer

ROOT = pathlib.Path(os.environ["SOURCE_FOLDER"])
ACTOR = ROOT / "tests/data/policies/pendulum_5000_actor.onnx"
OLD = ROOT / "tests/data/export/pendulum_5000.mercer"  # of version 0.1, with a certificate
EMBED = ["embed", "--route", "continuous", "--env", "pendulum", "--policy", ACTOR, "--k", 6, "--rounds", 1, "--rollouts",
         20, "--episodes", 10]
CERTIFY = ["--episodes", 40, "--coupled", 10, "--level", "statistical"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A certified embedding, keys, and the folder they are in."""
    folder = tmp_path_factory.mktemp("digests")
    mercer = Mercer(folder)
    for name in ("key", "other"):
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", f"{name}.pem"], cwd=folder, check=True)
        subprocess.run(["openssl", "pkey", "-in", f"{name}.pem", "-pubout", "-out", f"{name}.pub"], cwd=folder, check=True)
    mercer.ok(*EMBED, "--out", "p.mercer", "--quiet")
    mercer.ok("certify", "p.mercer", *CERTIFY, "--quiet")
    mercer.ok(*EMBED, "--out", "signed.mercer", "--sign", "key.pem", "--quiet")
    return folder


@pytest.fixture
def mercer(made, tmp_path):
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return Mercer(tmp_path)


def manifest_of(path):
    data = path.read_bytes()
    head = json.loads(data[8:8 + struct.unpack("<Q", data[:8])[0]])
    return json.loads(head["__metadata__"]["mercer"])


def change(path, edit):
    """The file with another manifest, in the bytes that Mercer would write."""
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    head, manifest = json.loads(data[8:8 + length]), manifest_of(path)
    edit(manifest)
    compact = {"separators": (",", ":"), "ensure_ascii": False}
    head["__metadata__"]["mercer"] = json.dumps(manifest, **compact)
    text = json.dumps(head, **compact).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data[8 + length:])


def narrow(manifest):
    """The attack that was found: the range of the speed goes from 8 to 0, which takes the return from -141 to -1364."""
    manifest["contract"]["observation"]["axes"][2]["range"][1] = 0.0


def improve(manifest):
    manifest["certificate"]["upper_percent"] = 0.001


READERS = {
    "inspect": ["inspect", "p.mercer"],
    "inspect --json": ["inspect", "p.mercer", "--json"],
    "evaluate": ["evaluate", "--env", "pendulum", "--policy", "p.mercer", "--episodes", 2],
    "evaluate --against": ["evaluate", "--env", "pendulum", "--policy", "uniform", "--against", "p.mercer", "--episodes", 2],
    "rollout": ["rollout", "--env", "pendulum", "--policy", "p.mercer", "--episodes", 2, "--out", "r.npz"],
    "embed": ["embed", "--env", "pendulum", "--policy", "p.mercer", "--out", "q.mercer"],
    "compress": ["compress", "--env", "pendulum", "--policy", "p.mercer", "--out", "q.mercer"],
    "certify": ["certify", "p.mercer", *CERTIFY],
    "export c": ["export", "c", "p.mercer", "--out", "d"],
    "export st": ["export", "st", "p.mercer", "--out", "d"],
    "export rust": ["export", "rust", "p.mercer", "--out", "d"],
    "export js": ["export", "js", "p.mercer", "--out", "d"],
    "export onnx": ["export", "onnx", "p.mercer", "--out", "d"],
    "export json": ["export", "json", "p.mercer", "--out", "d"],
    "report": ["report", "p.mercer", "--out", "r.html"],
    "serve": ["serve", "p.mercer", "--port", 0],
}


@pytest.mark.parametrize("edit, part", [(narrow, "contract"), (improve, "certificate")])
@pytest.mark.parametrize("words", READERS.values(), ids=READERS.keys())
def test_every_reader_refuses_a_changed_file(mercer, words, edit, part):
    change(mercer.folder / "p.mercer", lambda manifest: None)
    mercer.ok("inspect", "p.mercer")  # the way this test writes files is not what is refused
    change(mercer.folder / "p.mercer", edit)
    before = (mercer.folder / "p.mercer").read_bytes()
    said = mercer.fails(3, *words)
    assert "E303" in said and f"its {part} does not match the digest" in said
    assert (mercer.folder / "p.mercer").read_bytes() == before


def test_every_reader_takes_the_file_as_it_was_written(mercer):
    for name, words in READERS.items():
        if name in ("embed", "compress", "report", "serve"):  # long, and tested elsewhere
            continue
        mercer.ok(*words)


def test_inspect_says_what_was_checked(mercer):
    assert "verified: digests match" in mercer.ok("inspect", "p.mercer").stdout
    said = mercer.json("inspect", "p.mercer")
    assert said["verified"] is True and said["signature"] is None and said["certificate"]
    done = mercer.ok("inspect", OLD)
    assert "not verified: version 0.1 wrote no digests" in done.stdout
    assert "warning" in done.stderr and "cannot be verified" in done.stderr
    said = mercer.json("inspect", OLD)
    assert said["verified"] is False and "version 0.1" in said["certificate"]["not_covered"][-1]


def test_an_old_file_is_never_shown_as_verified(mercer):
    assert "cannot be verified" in mercer.ok("evaluate", "--env", "pendulum", "--policy", OLD, "--episodes", 2).stderr
    mercer.ok("export", "c", OLD, "--out", "d")
    assert "Not verified: version 0.1" in (mercer.folder / "d/controller.h").read_text()
    mercer.ok("export", "st", OLD, "--out", "s")
    assert "Not verified: version 0.1" in (mercer.folder / "s/controller.st").read_text()
    mercer.ok("export", "json", OLD, "--out", "j")
    assert json.loads((mercer.folder / "j/controller.json").read_text())["verified"] is False


def test_an_older_format_does_not_turn_the_check_off(mercer):
    def downgrade(manifest):
        narrow(manifest)
        manifest["format"] = 1

    change(mercer.folder / "p.mercer", downgrade)
    assert "format 1 has none" in mercer.fails(3, "inspect", "p.mercer")
    change(mercer.folder / "p.mercer", lambda manifest: manifest.pop("digests"))
    assert mercer.json("inspect", "p.mercer")["verified"] is False
    # What no digest guards, the task still does.
    said = mercer.fails(2, "evaluate", "--env", "pendulum", "--policy", "p.mercer", "--episodes", 2)
    assert "with observation 'speed' from -8 to 0" in said and "is from -8 to 8" in said


def test_a_signature_binds_a_file_to_a_key(mercer):
    said = mercer.json("inspect", "signed.mercer", "--verify", "key.pub")
    der = subprocess.run(["openssl", "pkey", "-pubin", "-in", "key.pub", "-outform", "DER"], cwd=mercer.folder,
                         check=True, capture_output=True).stdout
    assert said["signature"] == {"algorithm": "ed25519", "key_sha256": hashlib.sha256(der).hexdigest()}
    assert "signed with another key" in mercer.fails(3, "inspect", "signed.mercer", "--verify", "other.pub")
    assert "is not signed" in mercer.fails(3, "inspect", "p.mercer", "--verify", "key.pub")
    shutil.copy(mercer.folder / "signed.mercer", mercer.folder / "stripped.mercer")
    change(mercer.folder / "stripped.mercer", lambda manifest: manifest.pop("signature"))
    mercer.ok("inspect", "stripped.mercer")
    assert "is not signed" in mercer.fails(3, "inspect", "stripped.mercer", "--verify", "key.pub")


def test_openssl_verifies_what_mercer_signed(mercer):
    """As docs/reference/files.md says."""
    manifest = manifest_of(mercer.folder / "signed.mercer")
    (mercer.folder / "text").write_text("mercer embedding " + manifest["digests"]["manifest"])
    (mercer.folder / "value").write_bytes(bytes.fromhex(manifest["signature"]["value"]))
    done = subprocess.run(["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", "key.pub", "-in", "text",
                           "-sigfile", "value"], cwd=mercer.folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_certify_drops_a_signature_and_says_so(mercer):
    done = mercer.ok("certify", "signed.mercer", *CERTIFY)
    assert "was signed" in done.stderr and "--sign" in done.stderr
    assert mercer.json("inspect", "signed.mercer")["signature"] is None
    mercer.ok("certify", "signed.mercer", *CERTIFY, "--sign", "key.pem")
    mercer.ok("inspect", "signed.mercer", "--verify", "key.pub")


def test_the_same_run_gives_the_same_signed_bytes(mercer):
    mercer.ok(*EMBED, "--out", "signed2.mercer", "--sign", "key.pem")
    assert (mercer.folder / "signed2.mercer").read_bytes() == (mercer.folder / "signed.mercer").read_bytes()


def test_keys_that_do_not_do_are_refused_before_any_work(mercer):
    (mercer.folder / "text.pem").write_text("no key\n")
    for key, part in [("none.pem", "cannot open"), ("text.pem", "no private key"), ("key.pub", "public key")]:
        assert part in mercer.fails(3, *EMBED, "--out", "q.mercer", "--sign", key)
    assert not (mercer.folder / "q.mercer").exists()
    assert "private key" in mercer.fails(3, "inspect", "signed.mercer", "--verify", "key.pem")
    assert "no file is written" in mercer.fails(2, "certify", "p.mercer", *CERTIFY, "--dry-run", "--sign", "key.pem")
