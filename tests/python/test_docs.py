"""The documents and examples run as they stand, and the stubs name what is there."""

import ast
import os
import pathlib
import re
import shutil
import subprocess
import sys

import mercer
import numpy as np
import pytest
from conftest import ACTOR, ROOT, SB3

PAGE = (ROOT / "docs/guide/python.md").read_text()
SCRIPTS = sorted((ROOT / "examples/python").glob("*.py"))
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    shutil.copy(ACTOR, tmp_path / "actor.onnx")
    shutil.copy(SB3, tmp_path / "agent.zip")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_page_runs_from_top_to_bottom(folder):
    names = {}
    blocks = BLOCK.findall(PAGE)
    assert len(blocks) >= 6
    for block in blocks:
        exec(compile(block, "docs/guide/python.md", "exec"), names)  # noqa: S102
    # What the block of plain numpy reads is what the library plays.
    obs = np.random.default_rng(1).uniform([-1, -1, -8], [1, 1, 8], size=(200, 3))
    for embedding in (names["embedding"], names["small"]):
        embedding.save("e.mercer")
        np.testing.assert_allclose(names["run"]("e.mercer", obs), embedding.mean_action(obs), atol=1e-11)
    two = mercer.ContinuousEmbedder(k=5, degree=3, format="int6").fit(obs, np.column_stack([obs[:, 0], obs[:, 1] * 3]))
    two.embedding_.save("two.mercer")
    np.testing.assert_allclose(names["run"]("two.mercer", obs), two.predict(obs), atol=1e-11)
    mercer.ContinuousEmbedder(k=5, basis="ridge").fit(obs, obs[:, 0]).embedding_.save("other.mercer")
    with pytest.raises(AssertionError, match="other functions"):
        names["run"]("other.mercer", obs)


def test_the_ten_lines_of_the_readme(monkeypatch, tmp_path, capsys):
    """From an agent's zip to certified C. Here with fewer episodes than the defaults play."""
    block = BLOCK.search((ROOT / "README.md").read_text().split("## From Python")[1]).group(1)
    assert len([line for line in block.splitlines() if line.strip()]) <= 10
    fewer = {"select_episodes": 300, "certify_episodes": 6000, "generations": 12, "candidate_episodes": 100,
             "bases": ["chebyshev"], "most_terms": 3, "route": "continuous"}
    whole = mercer.compress
    monkeypatch.setattr(mercer, "compress", lambda *given, **options: whole(*given, **options, **fewer))
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(block.replace("tests/data", str(ROOT / "tests/data")), names)  # noqa: S102
    assert names["embedding"].certificate.met and "with 95% confidence" in capsys.readouterr().out
    assert (tmp_path / "firmware-python/pilot.c").exists() and (tmp_path / "pendulum.mercer").exists()
    subprocess.run(["c++", "-x", "c++", "firmware-python/pilot.c", "firmware-python/main.c", "-o", "pilot"], check=True)


def test_the_lines_of_numpy_need_nothing_else():
    code = PAGE.split("<!-- numpy -->")[1]
    block = BLOCK.search(code).group(1)
    imported = {name.name for node in ast.walk(ast.parse(block)) if isinstance(node, ast.Import) for name in node.names}
    assert imported == {"itertools", "json", "math", "struct", "numpy"}
    body = ast.parse(block).body[-1]
    assert isinstance(body, ast.FunctionDef)


def test_every_example_in_cpp_has_a_twin():
    """tests/install/consume.cmake runs both."""
    assert {path.stem for path in (ROOT / "examples/cpp").iterdir()} <= {path.stem for path in SCRIPTS}


@pytest.mark.parametrize("script", [one.name for one in SCRIPTS if not (ROOT / f"examples/cpp/{one.stem}.cpp").exists()])
def test_other_examples_run(script, tmp_path):
    done = subprocess.run([sys.executable, ROOT / "examples/python" / script], cwd=tmp_path, timeout=300,
                          capture_output=True, text=True, env={**os.environ, "MPLBACKEND": "Agg"})
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_stubs_name_what_is_there():
    from mercer import _mercer

    stub = ast.parse((pathlib.Path(mercer.__file__).parent / "_mercer.pyi").read_text())
    told = {node.name: node for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    there = {name for name in dir(_mercer) if not name.startswith("__")}
    assert there - {"error_kinds"} == set(told)
    for name, node in told.items():
        if isinstance(node, ast.ClassDef) and name != "CertificateError":
            members = {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
            members |= {one.target.id for one in node.body if isinstance(one, ast.AnnAssign)}
            real = {member for member in vars(getattr(_mercer, name)) if not member.startswith("_")}
            assert real == {member for member in members if not member.startswith("_")}, name
    assert (pathlib.Path(mercer.__file__).parent / "py.typed").exists()


def test_every_public_name_is_there_and_the_page_knows_the_main_ones():
    for name in mercer.__all__:
        assert hasattr(mercer, name)
    for name in ("make", "load_policy", "quantile_edges", "fourier", "inverse_fourier", "wavelet", "svd", "wasserstein",
                 "fit_mixture", "TabularMdp", "bounds", "read", "rollout", "compress", "read_sb3"):
        assert name in mercer.__all__ and name in PAGE
