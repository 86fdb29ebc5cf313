"""PLCopen XML and the example program beside exported Structured Text: the same block, and a program that fits it."""

import os
import pathlib
import re
import subprocess
import xml.etree.ElementTree as tree

import pytest

import st

DATA = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "tests/data"
EMBEDDINGS = [DATA / "export/pendulum_5000.mercer",
              *(DATA / f"embeddings/{name}.mercer" for name in ("db4_snake", "dct_tour_discrete", "svd_lexicographic"))]
TC6 = {"p": "http://www.plcopen.org/xml/tc6_0201", "x": "http://www.w3.org/1999/xhtml"}


@pytest.fixture(params=EMBEDDINGS, ids=lambda path: path.stem)
def exported(request, tmp_path):
    subprocess.run([os.environ["BINARY_UNDER_TEST"], "export", "st", request.param, "--out", tmp_path, "--name", "pilot", "--quiet"],
                   check=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pilot.st", "pilot.xml", "pilot_example.st"]
    return tmp_path


def type_text(node):
    """'<type>' as Structured Text."""
    inner = node[0]
    kind = inner.tag.split("}")[1]
    if kind == "derived":
        return inner.get("name")
    if kind != "array":
        return kind
    size = inner.find("p:dimension", TC6)
    return f"ARRAY[{size.get('lower')}..{size.get('upper')}] OF {type_text(inner.find('p:baseType', TC6))}"


def declared(section):
    lines = []
    for variable in section:
        values = [value.get("value") for value in variable.iterfind(".//p:simpleValue", TC6)]
        lines.append(f"{variable.get('name')} : {type_text(variable.find('p:type', TC6))}"
                     + (f" := [{', '.join(values)}]" if values else "") + ";")
    return "\n".join(lines)


WORDS = {"inputVars": "VAR_INPUT", "outputVars": "VAR_OUTPUT", "localVars": "VAR"}


def text_of(pou):
    """A POU of the XML as Structured Text."""
    kind = {"functionBlock": "FUNCTION_BLOCK", "program": "PROGRAM"}[pou.get("pouType")]
    sections = [f"{WORDS[section.tag.split('}')[1]]}{' CONSTANT' if section.get('constant') == 'true' else ''}\n{declared(section)}\nEND_VAR"
                for section in pou.find("p:interface", TC6)]
    body = pou.find("p:body/p:ST/x:xhtml", TC6).text
    return "\n".join([f"{kind} {pou.get('name')}", *sections, body, f"END_{kind}\n"])


def pous(folder):
    return {pou.get("pouType"): pou for pou in tree.parse(folder / "pilot.xml").getroot().iterfind(".//p:pou", TC6)}


def squeezed(text):
    """Without comments, line ends, and with each variable declared by itself."""
    text = re.sub(r"\(\*.*?\*\)", " ", text, flags=re.S)
    text = re.sub(r"(\w+(?:, \w+)+) : (\w+);", lambda m: " ".join(f"{name} : {m[2]};" for name in m[1].split(", ")), text)
    return re.sub(r"\s+", "", text)


def test_the_xml_holds_the_same_block(exported):
    block = text_of(pous(exported)["functionBlock"])
    assert squeezed(block) == squeezed((exported / "pilot.st").read_text())
    assert st.Instance(st.load(block)).call(SELFTEST=True)["OK"]


def test_the_example_calls_the_block_with_all_that_it_needs(exported):
    example = (exported / "pilot_example.st").read_text()
    assert squeezed(text_of(pous(exported)["program"])) == squeezed(example)
    block = st.load((exported / "pilot.st").read_text())
    inputs = {name for name in block.variables if name.startswith("OBS_")}
    outputs = {name for name in block.variables if name.startswith("ACT_")}
    call = re.search(r"controller\(SELFTEST := FALSE, (.*?)\);", example, re.S)[1]
    given = dict(part.strip().split(" := ") for part in call.split(","))
    assert {name.upper() for name in given} == inputs
    assert {name.upper() for name in re.findall(r":= controller\.(act_\w+);", example)} == outputs
    variables = set(re.findall(r"^  (\w+) : (?:REAL|DINT);$", example, re.M))
    assert set(given.values()) <= variables and all(f"drive{name[3:].lower()}" in variables for name in outputs)
    # The sequence itself, with the calls replaced by what they come to: the drive stays still until the self-test has passed.
    assert example.index("controller(SELFTEST := TRUE)") < example.index("healthy := controller.OK") < example.index("SELFTEST := FALSE")
