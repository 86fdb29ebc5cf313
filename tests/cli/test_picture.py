"""The animation of the README: drawn from episodes that really were played, small, and captioned with what was played."""

import os
import pathlib
import re
import subprocess
import xml.etree.ElementTree as xml

import numpy

ROOT = pathlib.Path(os.environ["SOURCE_FOLDER"])
PICTURE = ROOT / "docs/figures/side-by-side.svg"
TEACHER = ROOT / "examples/pendulum/teacher.safetensors"


def angles(picture, kind):
    """Degrees from upright, frame by frame."""
    frames = re.search(rf"@keyframes {kind}-turn{{(.*?)}}}}", picture.read_text())[1]
    return numpy.array([float(angle) for angle in re.findall(r"rotate\((-?[\d.]+)deg\)", frames)])


def test_the_tool_draws_the_episodes_of_both_policies(mercer):
    small, out = ROOT / "tests/data/export/pendulum_5000.mercer", mercer.folder / "drawn.svg"
    subprocess.run([ROOT / "tools/side_by_side.py", "--mercer", os.environ["BINARY_UNDER_TEST"], "--teacher", TEACHER,
                    "--embedding", small, "--out", out], check=True, timeout=300)
    xml.parse(out)
    assert abs(angles(out, "teacher")[0]) == abs(angles(out, "embedding")[0]) > 170  # hangs, in the same state
    payload = mercer.json("inspect", small)["payload_bytes"]
    assert f">{payload} bytes, " in out.read_text() and ">a network of 4,481 numbers<" in out.read_text()
    mercer.ok("rollout", "--env", "pendulum", "--policy", small, "--act", "mean", "--episodes", 100, "--seed", 1, "--out", "r.npz")
    played = numpy.load(mercer.folder / "r.npz")
    lowest = played["observations"][played["offsets"][:-1], 0].argmin()
    begin, end = played["offsets"][lowest : lowest + 2]
    cosine = played["observations"][begin:end, 0]
    numpy.testing.assert_allclose(numpy.cos(numpy.radians(angles(out, "embedding"))), cosine, atol=1e-3)


def test_the_picture_is_small_and_the_readme_says_what_it_shows():
    xml.parse(PICTURE)
    assert PICTURE.stat().st_size < 150_000
    readme, picture = (ROOT / "README.md").read_text(), PICTURE.read_text()
    shown = re.search(r"A network of ([\d,]+) numbers and a formula of (\d+) bytes", readme)
    assert f">a network of {shown[1]} numbers<" in picture and f">{shown[2]} bytes, " in picture
    assert f"is {shown[2]} bytes long" in readme
    for kind in ("teacher", "embedding"):
        turned = angles(PICTURE, kind)
        assert len(turned) == 200 and abs(numpy.cos(numpy.radians(turned[-1])) - 1) < 0.01  # upright at the end
