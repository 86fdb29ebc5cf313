#!/usr/bin/python3
"""Draws docs/figures/side-by-side.svg: teacher and embedding of `./run demo` in the same episode of the pendulum.

    ./run demo && tools/side_by_side.py

Both play the first 100 episodes of seed 1, mean actions. The picture shows the episode that starts farthest from upright.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECONDS = 0.05  # a step of the task
ROD = 78
PLOT = (240, 52)  # width and height of the torque over the episode

STYLE = """
text { font-family: system-ui, sans-serif; fill: #1f2933 }
.name { font-size: 15px; font-weight: 600 } .size { font-size: 13px } .small { font-size: 11px; fill: #5b6770 }
.card { fill: #ffffff; stroke: #d5dbe1 } .frame { fill: none; stroke: #d5dbe1 } .zero { stroke: #d5dbe1 }
.rod { stroke: #1f2933; stroke-width: 7; stroke-linecap: round } .teacher { stroke: #1b6ca8 } .embedding { stroke: #c2571a }
.trace { fill: none; stroke-width: 1.5 } .now { stroke: #5b6770 }
@media (prefers-reduced-motion: reduce) { * { animation: none !important } }
"""


def play(mercer, policy, folder):
    file = pathlib.Path(folder) / "episodes.npz"
    subprocess.run([mercer, "rollout", "--env", "pendulum", "--policy", policy, "--act", "mean", "--episodes", "100", "--seed", "1",
                    "--quiet", "--out", file], check=True)
    data = numpy.load(file)
    return [{name: data[name][begin:end] for name in ("observations", "actions", "rewards")}
            for begin, end in zip(data["offsets"], data["offsets"][1:])]


def inspect(mercer, *arguments):
    done = subprocess.run([mercer, "inspect", *arguments, "--json"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def numbers(teacher):
    """Weights and biases that the mean action needs: the last layer also gives spreads, which do not count."""
    layers = [*teacher["layers"][:-1], {**teacher["layers"][-1], "outputs": teacher["outputs"][0]["size"]}]
    return sum((layer["inputs"] + 1) * layer["outputs"] for layer in layers)


def keyframes(name, values):
    steps = [f"{100 * i / (len(values) - 1):.4g}%{{transform:{value}}}" for i, value in enumerate(values)]
    return f"@keyframes {name}{{{''.join(steps)}}}"


def panel(kind, left, size, episode):
    """Rod, torque and return of one episode; returns the drawing and its keyframes."""
    cosine, sine = episode["observations"][:, :2].T
    angle = -numpy.degrees(numpy.unwrap(numpy.arctan2(sine, cosine)))  # 0 is upright; screens turn clockwise
    torque = episode["actions"].ravel()
    duration = len(angle) * SECONDS
    width, height = PLOT
    x = numpy.linspace(0, width, len(torque))
    points = " ".join(f"{a:.1f},{height / 2 - b * height / 4:.1f}" for a, b in zip(x, torque))
    move = f"animation: {kind}-%s {duration:g}s linear infinite"
    drawing = f"""<g transform="translate({left} 0)">
<rect class="card" x="0.5" y="0.5" width="339" height="359" rx="8"/>
<text class="name" x="20" y="30">{kind}</text><text class="size" x="20" y="50">{size}</text>
<g transform="translate(170 150)"><circle class="frame" r="{ROD}"/>
<line class="rod {kind}" y2="-{ROD}" style="{move % 'turn'}" transform="rotate({angle[0]:.1f})"/><circle r="4" fill="#1f2933"/></g>
<g transform="translate(50 272)"><rect class="frame" width="{width}" height="{height}"/>
<line class="zero" y1="{height / 2}" x2="{width}" y2="{height / 2}"/><polyline class="trace {kind}" points="{points}"/>
<line class="now" y2="{height}" style="{move % 'now'}"/>
<text class="small" x="-6" y="9" text-anchor="end">2 N m</text><text class="small" x="-6" y="{height}" text-anchor="end">-2 N m</text>
<text class="small" y="{height + 16}">torque over {duration:g} s; return {episode['rewards'].sum():.1f}</text></g></g>"""
    frames = keyframes(f"{kind}-turn", [f"rotate({a:.1f}deg)" for a in angle])
    return drawing, frames + f"@keyframes {kind}-now{{to{{transform:translateX({width}px)}}}}"


def draw(mercer, teacher, embedding, out):
    with tempfile.TemporaryDirectory() as folder:
        left, right = play(mercer, teacher, folder), play(mercer, embedding, folder)
    shown = min(range(len(left)), key=lambda i: left[i]["observations"][0, 0])
    assert numpy.array_equal(left[shown]["observations"][0], right[shown]["observations"][0]), "other start states"
    network, small = inspect(mercer, teacher, "--env", "pendulum"), inspect(mercer, embedding)
    panels = [panel("teacher", 0, f"a network of {numbers(network):,} numbers", left[shown]),
              panel("embedding", 360, f"{small['payload_bytes']} bytes, {small['k']} terms", right[shown])]
    out.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="700" height="360" viewBox="0 0 700 360" role="img">'
                   f"<title>Teacher and embedding swing up the same pendulum</title>"
                   f"<style>{STYLE}{panels[0][1]}{panels[1][1]}</style>{panels[0][0]}{panels[1][0]}</svg>\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mercer", default=ROOT / "build/release/bin/mercer")
    parser.add_argument("--teacher", default=ROOT / "examples/pendulum/teacher.safetensors")
    parser.add_argument("--embedding", default=ROOT / "build/demo/pendulum.mercer")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/figures/side-by-side.svg")
    draw(**vars(parser.parse_args()))
