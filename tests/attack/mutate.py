"""Changes of files: of any bytes, and of documents taken apart, changed as what they are and put together again."""

import copy
import hashlib
import io
import json
import struct
import warnings
import zipfile
import zlib

NUMBERS = [0, -0.0, 1, -1, 2, 0.5, 1e-320, 1e39, -1e300, 1.5, 127, 128, 255, 256, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1,
           2**53, 2**63 - 1, 2**63, 2**64 - 1, -2**63, 10**40]
TEXTS = ["", " ", "nan", "\x1b[31m", "\u202egnp", "*/ int x; /*", "??/\n", "\\", "a\\\n", "%s%n", "../../secret.txt",
         "/etc/passwd", "\x00", "\ud83d\ude00", "caf\xe9", "n" * 3000, "{}", "<script>", "int", "1;2;3", "true", "pendulum",
         "uniform", "\r\n", "?" * 60]
LENGTHS = [struct.pack(form, value) for form, value in [
    ("<I", 0), ("<I", 1), ("<I", 0x7fffffff), ("<I", 0x80000000), ("<I", 0xffffffff), ("<Q", 2**63), ("<Q", 2**64 - 1),
    ("<Q", 2**40),
    ("<H", 0xffff), ("<H", 0), ("B", 0x7f), ("B", 0xff), (">I", 0xffffffff), ("<d", float("nan")), ("<f", float("inf"))]]


def scrambled(data, chance, others=()):
    """One to four changes of any bytes; `others` lend pieces."""
    data = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4))):
        at = chance.randrange(len(data) + 1)
        size = min(len(data) - at, chance.choice((1, 2, 4, 8, 30, 300)))
        way = chance.randrange(8)
        if way == 0 and at < len(data):
            data[at] ^= 1 << chance.randrange(8)
        elif way == 1:
            data[at:at + size] = chance.randbytes(size)
        elif way == 2:
            del data[at:at + size]
        elif way == 3:
            data[at:at] = data[at:at + size] * chance.choice((1, 2, 50))
        elif way == 4:
            del data[at:]
        elif way in (5, 6):
            piece = chance.choice(LENGTHS)
            data[at:at + len(piece)] = piece
        elif others:
            other = chance.choice(others)
            start = chance.randrange(len(other) + 1)
            data[at:] = other[start:]
    return bytes(data)


def places(value, place=()):
    yield place
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(inner, place + (key,))


def value_at(document, place):
    for key in place:
        document = document[key]
    return document


def other_value(old, chance, document):
    way = chance.randrange(10)
    if way < 4 and isinstance(old, (int, float)):
        return chance.choice([*NUMBERS, old + 1, -old, old * 1.0001, old * 2])
    if way < 4 and isinstance(old, str):
        return chance.choice([*TEXTS, old + "x", old[:-1], old.upper()])
    if way < 4 and isinstance(old, list):
        return chance.choice([old + old, old[:-1], old[::-1], [], old * 20, [old]])
    if way < 6:
        return copy.deepcopy(value_at(document, chance.choice(list(places(document)))))
    if way == 6:
        deep = 1
        for _ in range(chance.choice((3, 63, 64, 65, 200))):
            deep = [deep] if chance.random() < 0.5 else {"a": deep}
        return deep
    return chance.choice([None, True, False, [], {}, [[1]], *NUMBERS, *TEXTS])


def edited(document, chance):
    """A document after one to three changes: values, keys that are gone, renamed or new."""
    document = copy.deepcopy(document)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        place = chance.choice([place for place in places(document) if place] or [()])
        if not place:
            return other_value(document, chance, document)
        inside, key = value_at(document, place[:-1]), place[-1]
        way = chance.randrange(8)
        if way == 0:
            del inside[key]
        elif way == 1 and isinstance(inside, dict):
            inside[chance.choice([*TEXTS, str(key) + "x"])] = other_value(inside[key], chance, document)
        elif way == 2 and isinstance(inside, dict):
            inside[str(key).capitalize()] = inside.pop(key)
        else:
            inside[key] = other_value(inside[key], chance, document)
    return document


def compact(document):
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False)


def json_text(document, chance):
    """The document edited, now and then with what no writer would write."""
    text = compact(edited(document, chance))
    way = chance.randrange(12)
    if way == 0:
        text = text.replace(":1", ":NaN", 1)
    elif way == 1 and text[:1] == "{" and len(text) > 2:
        text = text[:-1] + "," + text[1:]  # every key twice
    elif way == 2:
        text = "[" * 5000 + text
    return text.encode("utf-8", "surrogatepass")


def embedding_parts(data):
    """Header, manifest and payload of a .mercer file."""
    end = 8 + struct.unpack("<Q", data[:8])[0]
    head = json.loads(data[8:end])
    return head, json.loads(head["__metadata__"]["mercer"]), data[end:]


def sealed(manifest, payload):
    """The manifest with the digests that fit, in the order of docs/reference/files.md. A signature cannot be mended."""
    manifest = {key: value for key, value in manifest.items() if key not in ("digests", "signature")}
    digest = lambda value: hashlib.sha256(compact(value).encode("utf-8", "surrogatepass")).hexdigest()
    origin = {key: manifest[key] for key in ("env", "teacher", "teacher_sha256", "seed", "settings", "folder") if key in manifest}
    digests = {"payload": hashlib.sha256(payload).hexdigest(), "contract": digest(manifest.get("contract")),
               "provenance": digest(origin)}
    if "certificate" in manifest:
        digests["certificate"] = digest(manifest["certificate"])
    manifest["digests"] = digests
    digests["manifest"] = digest(manifest)
    return manifest


def embedding_file(manifest, payload):
    head = {"__metadata__": {"mercer": compact(manifest)},
            "payload": {"dtype": "U8", "shape": [len(payload)], "data_offsets": [0, len(payload)]}}
    text = compact(head).encode("utf-8", "surrogatepass")
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + payload


def embedding(data, chance, others=()):
    """A .mercer file changed in its manifest or its payload, and whether its digests were mended."""
    if chance.random() < 0.2:
        return scrambled(data, chance, others), False
    _, manifest, payload = embedding_parts(data)
    if chance.random() < 0.35:
        payload = scrambled(payload, chance)
    else:
        kept = {key: value for key, value in manifest.items() if key != "digests"}
        changed = edited(kept, chance)
        manifest = {**changed, "digests": manifest.get("digests")} if isinstance(changed, dict) else manifest
    mended = chance.random() < 0.5
    if mended:
        if "checksum" in manifest:
            manifest["checksum"] = zlib.crc32(payload)
        manifest = sealed(manifest, payload)
    return embedding_file(manifest, payload), mended


def archive(data, chance, others=()):
    """A zip file with a member changed, gone, renamed, twice, or packed otherwise, and checksums that fit."""
    with zipfile.ZipFile(io.BytesIO(data)) as source:
        members = [[name, source.read(name)] for name in source.namelist()]
    chosen = chance.choice(members)
    way = chance.randrange(10)
    if way == 0:
        members.remove(chosen)
    elif way == 1:
        chosen[0] = chance.choice(["../" + chosen[0], chosen[0].upper(), "x" * 300, members[0][0], "caf\xe9.npy", "a/b"])
    elif way == 2:
        chosen[1] = chance.choice([b"", bytes(3_000_000), chosen[1] * 2, members[0][1]])
    elif chosen[1][:1] in (b"{", b"[") and way < 8:
        chosen[1] = json_text(json.loads(chosen[1]), chance)
    else:
        head = chosen[1][:400] if chance.random() < 0.6 else chosen[1]  # headers of arrays, beginnings of pickles
        chosen[1] = scrambled(head, chance) + chosen[1][len(head):]
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w") as target:
        warnings.simplefilter("ignore")  # a name that stands twice is meant
        for name, content in members:
            packing = chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
            target.writestr(zipfile.ZipInfo(name), content, compress_type=packing)
    return out.getvalue()


def tensors(data, chance, others=()):
    """A safetensors file whose header is edited."""
    end = 8 + struct.unpack("<Q", data[:8])[0]
    text = json_text(json.loads(data[8:end]), chance)
    return struct.pack("<Q", len(text)) + text + data[end:]


def lines(data, chance, others=()):
    """A text by lines and by what stands behind `=` or between commas."""
    rows = data.decode().splitlines()
    for _ in range(chance.choice((1, 1, 2, 3))):
        at = chance.randrange(len(rows))
        way = chance.randrange(8)
        value = chance.choice([*map(str, NUMBERS), *map(json.dumps, TEXTS), "[]", "[1, [2]]", "{}", "inf", "2026-01-01",
                               "[" * 200])
        if way == 0 and len(rows) > 1:
            del rows[at]
        elif way == 1:
            rows.insert(at, chance.choice(rows))
        elif way == 2:
            rows[at] = scrambled(rows[at].encode(), chance).decode("latin1")
        elif way == 3:
            rows.insert(at, "[" + ".".join(["a"] * chance.choice((1, 2, 64, 70))) + "]")
        elif "=" in rows[at] and way < 7:
            rows[at] = rows[at].split("=")[0] + "= " + value
        elif "," in rows[at]:
            cells = rows[at].split(",")
            cells[chance.randrange(len(cells))] = value
            rows[at] = ",".join(cells)
        else:
            rows[at] = rows[at].replace('"', chance.choice(["'", "", '""']))
    return ("\n".join(rows) + "\n").encode("utf-8", "surrogatepass")


def document(data, chance, others=()):
    return json_text(json.loads(data), chance)


def changed(data, by, chance, others=()):
    """By the format's own mutator, in three of ten cases by bytes alone."""
    if chance.random() < 0.3:
        return scrambled(data, chance, others)
    return by(data, chance, others)
