"""What a command made, as a flat dictionary from part to number, short text or SHA-256.

Two runs of one build give the same dictionary. Left out are times, paths, sizes of whole files (a manifest may grow), what
says who made a file and when, and sentences: they may change while every result stays the same.
"""

import csv
import hashlib
import io
import json
import re
import struct

import numpy

LEFT_OUT = {
    "seconds", "resumed_from",  # differ from run to run
    "file", "files", "folder", "csv", "database", "page",  # paths
    "bytes",  # of a file with its manifest
    "version", "settings", "configuration",  # provenance
    "about", "assumptions", "claim", "error", "not_covered", "reason", "refused", "saw", "summary", "text", "title",
    "tv_about",  # sentences
}
LONGEST_LIST = 8  # longer ones become a digest
LONGEST_TEXT = 100


def digest(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


def flat(name, value):
    """Objects by their keys, lists of objects by column, other long lists and texts as a digest."""
    if isinstance(value, dict):
        found = {}
        for key in sorted(value.keys() - LEFT_OUT):
            found.update(flat(f"{name}.{key}", value[key]))
        return found
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        columns = sorted(set().union(*value))
        return {f"{name}.length": len(value), **flat(f"{name}[]", {key: [one.get(key) for one in value] for key in columns})}
    if isinstance(value, list):
        short = len(value) <= LONGEST_LIST and not any(isinstance(one, (dict, list)) for one in value)
        return {name: value if short else digest(json.dumps(without(value, LEFT_OUT), sort_keys=True).encode())}
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return {name: digest(value.encode())}
    return {name: value}


def without(value, keys):
    if isinstance(value, dict):
        return {key: without(one, keys) for key, one in value.items() if key not in keys}
    return [without(one, keys) for one in value] if isinstance(value, list) else value


def tensors(content):
    """Name, type, shape and bytes of each tensor of a safetensors file, without the metadata."""
    size = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:8 + size])
    for name in sorted(header.keys() - {"__metadata__"}):
        one = header[name]
        begin, end = (8 + size + offset for offset in one["data_offsets"])
        yield name, json.dumps([name, one["dtype"], one["shape"]]).encode(), content[begin:end]


def embedding(name, content):
    payload = next(data for tensor, _, data in tensors(content) if tensor == "payload")
    return {f"{name} payload": digest(payload), f"{name} payload bytes": len(payload)}


def snapshot(name, content):
    """Weights, targets and the optimiser's state."""
    return {f"{name} tensors": digest(b"".join(head + data for _, head, data in tensors(content)))}


def arrays(name, content):
    with numpy.load(io.BytesIO(content), allow_pickle=False) as file:
        return {f"{name} {key}": digest(f"{file[key].dtype}{file[key].shape}".encode() + file[key].tobytes())
                for key in sorted(file.files) if key != "meta"}


def table(name, content):
    """Of a sweep by column, because sizes of files and paths of jobs, named by build, are among them; others to the byte."""
    if name.rsplit("/", 1)[-1] != "results.csv":
        return {f"{name} bytes": digest(content)}
    rows = list(csv.DictReader(io.StringIO(content.decode())))
    kept = [key for key in rows[0] if key.rsplit(".", 1)[-1] not in LEFT_OUT and not any("store/" in row[key] for row in rows)]
    return flat(name, [{key: row[key] for key in kept} for row in rows])


def code(comment):
    """Source without its comments, and these by themselves: their sentences change more easily than the code."""
    def parts(name, content):
        text = content.decode()
        source = re.sub(r"\s+", " ", comment.sub(" ", text))
        return {f"{name} code": digest(source.encode()), f"{name} comments": digest("".join(comment.findall(text)).encode())}
    return parts


def document(name, content):
    return flat(name, json.loads(content))


def page(name, content):
    """The numbers behind a report; the page around them is made of scripts, and code and certificates have their own verbs."""
    data = re.search(r'<script type="application/json" id="view">(.*?)</script>', content.decode(), re.DOTALL)
    view = json.loads(data[1])
    found = {f"{name} arrays": digest(json.dumps(view["arrays"]).encode())}
    for i, answers in enumerate(view["answers"]):
        for key in sorted(answers.keys() - {"code"}):
            text = json.dumps(without(answers[key], LEFT_OUT | {"certificate"}), sort_keys=True)
            found[f"{name} answers.{i}.{key}"] = digest(text.encode())
        losses = {k: one["loss_percent"] for k, one in answers["evaluate"].items()}
        found.update(flat(f"{name} answers.{i}.loss_percent", losses))
    return found


C_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
ST_COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
KINDS = {".mercer": embedding, ".npz": arrays, ".csv": table, ".c": code(C_COMMENT), ".h": code(C_COMMENT),
         ".st": code(ST_COMMENT), ".json": document, ".html": page, ".safetensors": snapshot}
# A checkpoint is kept to go on from, a database and a store of jobs are named by build and hold times, and the index of a
# reproduction repeats its tables as a page.
UNRECORDED = re.compile(r"(^|/)(store/|checkpoint\.safetensors$|run\.json$|progress\.json$|index\.(html|json)$|.*\.(sqlite|lock|toml)$)")


def of_file(name, content):
    """Parts of the file `name`, a path relative to the folder of the run."""
    suffix = re.search(r"\.[a-z]+$", name)
    if UNRECORDED.search(name) or not suffix or suffix[0] not in KINDS:
        return {}
    return KINDS[suffix[0]](name, content)


def of_output(stdout, stderr):
    """Parts of the JSON document on standard output, if there is one, and the code of an error."""
    error = re.search(r"\bE\d{3}\b", stderr)
    found = {"error code": error[0]} if error else {}
    return {**found, **(flat("stdout", json.loads(stdout)) if stdout.startswith(("{", "[")) else {})}
