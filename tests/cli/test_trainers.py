"""Files of named tensors as teachers, through the program."""

import json

import numpy


def save(path, flax=False):
    """A controller that swings a pendulum up or not: one hidden layer of 8 units."""
    draw = numpy.random.default_rng(3)
    layers = {"body": (8, 3), "head": (1, 8)}
    arrays = {}
    for name, shape in layers.items():
        weight = draw.normal(size=shape).astype("float32")
        arrays[f"params/{name}/kernel" if flax else f"{name}.weight"] = weight.T if flax else weight
        arrays[f"params/{name}/bias" if flax else f"{name}.bias"] = numpy.zeros(shape[0], "float32")
    numpy.savez(path, **arrays)


def played(mercer, policy, *flags):
    return mercer.json("evaluate", "--env", "pendulum", "--policy", policy, "--episodes", 5, *flags)["return"]


def test_names_of_layers_come_from_flags_from_behind_the_name_and_from_toml(mercer):
    save(mercer.folder / "net.npz")
    save(mercer.folder / "flax.npz", flax=True)
    flags = played(mercer, "net.npz:action=head", "--layers", "body", "--activation", "SiLU")
    assert flags == played(mercer, "net.npz:layers=body,activation=SiLU,action=head")
    assert flags == played(mercer, "flax.npz:layers=params.body,activation=SiLU,action=params.head")
    (mercer.folder / "net.toml").write_text('layers = ["body"]\nactivation = "SiLU"\naction = "head"\n')
    assert flags == played(mercer, "net.npz")
    assert flags != played(mercer, "net.npz", "--activation", "ReLU")


def test_an_embedding_knows_how_its_teacher_was_described(mercer):
    (mercer.folder / "runs.pt2").mkdir()
    save(mercer.folder / "runs.pt2/net.npz")
    mercer.ok("embed", "--env", "pendulum", "--policy", "runs.pt2/net.npz:action=head", "--layers", "body", "--activation", "Tanh",
              "--route", "continuous", "--k", 4, "--rollouts", 5, "--rounds", 1, "--episodes", 5, "--out", "p.mercer")
    made = mercer.json("inspect", "p.mercer")
    assert made["teacher"] == "runs.pt2/net.npz"
    assert {key: made["settings"][key] for key in ("layers", "activation", "action")} == {
        "layers": "body", "activation": "Tanh", "action": "head"}
    again = ("certify", "p.mercer", "--episodes", 4, "--coupled", 2, "--dry-run", "--level", "statistical")
    mercer.ok(*again)
    assert "its activation is ReLU, stored is Tanh" in mercer.fails(2, *again, "--activation", "ReLU")


def test_errors_name_the_tensors_and_what_to_do(mercer):
    save(mercer.folder / "net.npz")
    said = mercer.fails(3, "evaluate", "--env", "pendulum", "--policy", "net.npz")
    assert "body.weight (8x3)" in said and "--layers" in said and "TorchScript" in said
    (mercer.folder / "pi.json").write_text(json.dumps({"pi": [[1, 0]]}))
    numpy.savez(mercer.folder / "pi.npz", pi=[[1.0, 0.0]])
    for table in ("pi.json", "pi.npz", "tabular:pi.npz"):
        assert "is a table" in mercer.fails(2, "evaluate", "--env", "pendulum", "--policy", table)
