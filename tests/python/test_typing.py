"""What editors and type checkers see: exported names, annotations, words for every parameter."""

import inspect
import os
import re
import shutil
import subprocess

import mercer
import pytest
from conftest import ROOT

USE = """
import mercer
policy: mercer.Policy = mercer.load_policy("a.onnx", "pendulum")
embedding: mercer.Embedding = mercer.compress(policy, "pendulum", max_loss=0.05)
returns = mercer.rollout("pendulum", embedding, 10).returns
reveal_type(embedding.payload_bytes)
mercer.load_policy(3.5)
"""


def test_every_exported_name_is_there():
    assert len(mercer.__all__) == len(set(mercer.__all__)) and "GymEnv" in mercer.__all__
    assert all(hasattr(mercer, name) for name in mercer.__all__)
    public = {name for name in vars(mercer) if not name.startswith("_") and not inspect.ismodule(vars(mercer)[name])}
    assert public - {"Any"} <= set(mercer.__all__)


@pytest.mark.skipif(shutil.which("mypy") is None, reason="needs mypy")
def test_mypy_strict(tmp_path):
    (tmp_path / "use.py").write_text(USE)
    files = [ROOT / "python/mercer", *sorted((ROOT / "examples/python").glob("*.py")), tmp_path / "use.py"]
    done = subprocess.run(["mypy", "--strict", "--config-file", ROOT / "pyproject.toml", "--cache-dir", tmp_path / "cache",
                           *files], capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(ROOT / "python")})
    lines = [line for line in done.stdout.splitlines() if not line.startswith("Found")]
    assert all("use.py" in line for line in lines) and len(lines) == 2, done.stdout + done.stderr
    assert 'Revealed type is "builtins.int"' in lines[0] and 'has incompatible type "float"' in lines[1]


def parameters_of(one, text):
    """Names of parameters: by the signature, of the extension's functions by the first line of their text."""
    try:
        return [] if inspect.ismodule(one) else list(inspect.signature(one).parameters)
    except (TypeError, ValueError):
        line = text.partition("\n")[0]
        return re.findall(r"[(,] ?(\w+): ", line) if "(" in line else []


@pytest.mark.parametrize("name", [name for name in mercer.__all__ if name != "__version__"])
def test_help_has_words_for_every_parameter(name):
    one = getattr(mercer, name)
    text = inspect.getdoc(one) or ""
    parameters = parameters_of(one, text)
    words = text.partition("\n")[2] if inspect.isbuiltin(one) else text
    assert words and "arg0" not in text
    missing = [one for one in parameters
               if one not in ("self", "args", "kwargs", "options") and not re.search(rf"\b{one}\b", words)]
    assert not missing


def test_parameters_of_the_extension_are_found():
    text = inspect.getdoc(mercer.betting_interval)
    assert parameters_of(mercer.betting_interval, text) == ["x", "range", "delta", "sides", "anytime"]
