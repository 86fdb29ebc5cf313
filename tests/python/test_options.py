"""Every option is declared once: all faces show the same names, defaults, ranges and help."""

import inspect
import os
import pathlib
import re

import pytest

import mercer
from cli_program import Mercer

ROOT = pathlib.Path(os.environ["SOURCE_FOLDER"])
VERBS = ["train", "rollout", "evaluate", "embed", "compress", "certify", "export"]
#: What a face fills by other means than an option: tasks, policies and files are objects in Python.
OBJECTS = {"env", "policy", "out", "file", "format", "rollouts", "starts", "against", "batch", "from", "states", "results",
           "dry_run", "accept_other_teacher", "sign"}
COMMON = {"threads", "config", "plugin", "json", "quiet", "log-level"}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return Mercer(tmp_path_factory.mktemp("options"))


@pytest.fixture(scope="module")
def declared(program):
    return program.json("list", "--options")


def own(declared, verb):
    return [option for option in declared[verb] if option["name"] not in COMMON]


@pytest.mark.parametrize("verb", VERBS)
def test_python_has_the_same_table(declared, verb):
    fields = ("name", "default", "help", "group")
    ours = [(row["option"], row["default"], row["help"], row["group"]) for row in mercer._mercer.options(verb)]
    theirs = [tuple(option[field] for field in fields) for option in own(declared, verb)]
    assert ours == [row for row in theirs if not (verb == "evaluate" and row[0] == "out")]


@pytest.mark.parametrize("verb", VERBS)
def test_help_shows_every_option_with_default_and_range(program, declared, verb):
    page = " ".join(program.ok(verb, "--help").stdout.split())
    for option in declared[verb]:
        assert f"--{option['name']}" in page
        if option["default"] and option["takes"]:
            assert f"[{option['default']}]" in page, option["name"]
        if option["legal"]:
            assert option["legal"] in page, option["name"]


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_named_groups_and_the_usual_ones_first(program, declared, verb):
    page = program.ok(verb, "--help").stdout
    headings = re.findall(r"^([A-Za-z][a-z ]*):\s*$", page, re.MULTILINE)
    groups = [heading for heading in headings if heading in {option["group"] for option in declared[verb]} | {"Most used"}]
    assert groups[0] == "Most used"
    first = [option for option in declared[verb] if option["used_first"]]
    assert 1 <= len(first) <= 10
    assert set(groups[1:]) == {option["group"] for option in declared[verb] if not option["used_first"]}


def test_the_manual_page_and_completions_have_them_all(program, declared):
    manual = program.ok("manual").stdout.replace("\\-", "-")
    bash = program.ok("completion", "bash").stdout
    zsh = program.ok("completion", "zsh").stdout
    for verb in VERBS:
        for option in declared[verb]:
            assert f"--{option['name']}" in manual and f"--{option['name']}" in bash
            assert f"--{option['name']}[" in zsh


def test_the_document_is_what_the_program_prints(program):
    written = (ROOT / "docs/reference/options.md").read_text()
    assert written == program.ok("list", "--options").stdout, "run: mercer list --options > docs/reference/options.md"


@pytest.mark.parametrize("verb, function", [("compress", "compress"), ("embed", "embed"), ("certify", "certify"),
                                            ("train", "train"), ("rollout", "rollout"), ("evaluate", "evaluate")])
def test_keyword_arguments_are_the_options(declared, verb, function):
    parameters = inspect.signature(getattr(mercer, function)).parameters
    names = {option["python"] for option in own(declared, verb)} - OBJECTS
    network = {option["python"] for option in own(declared, verb) if option["group"] == "network"}
    assert names - network <= set(parameters)
    shown = {row["name"]: row["default"] for row in mercer._mercer.options(verb)}
    for name in names - network:
        assert str(parameters[name].default) == shown[name], name


@pytest.mark.parametrize("option, text, legal", [("confidence", "1.5", "between 0 and 1"), ("degree", "17", "0 to 16"),
                                                 ("max-loss", "5", "below 1, or a number with %|a share from 0 to 1")])
def test_every_source_checks_the_same_range(program, option, text, legal):
    words = ["compress", "--env", "pendulum", "--policy", "uniform", "--out", "p.mercer"]
    (program.folder / "c.toml").write_text(f"[compress]\n{option} = {text}\n")
    variable = "MERCER_" + option.upper().replace("-", "_")
    said = [program.fails(2, *words, f"--{option}", text), program.fails(2, *words, **{variable: text}),
            program.fails(2, *words, "--config", "c.toml")]
    assert all("E202" in one and re.search(legal, one) for one in said)
    with pytest.raises(ValueError, match="E202") as refused:
        mercer.compress("uniform", "pendulum", **{option.replace("-", "_"): float(text) if "." in text else int(text)})
    assert re.search(legal, str(refused.value))


def test_an_unknown_keyword_names_the_nearest_one():
    with pytest.raises(ValueError, match="max_bytes"):
        mercer.compress("uniform", "pendulum", max_byte=3)
    with pytest.raises(ValueError, match=r"no argument of compress is called 'seconds'. Did you mean 'budget'\?"):
        mercer.compress("uniform", "pendulum", seconds=3)
    with pytest.raises(ValueError, match=r"Did you mean 'level'\?"):
        mercer.certify("pendulum", "uniform", "uniform", levels="paper")
    with pytest.raises(ValueError, match=r"The nearest names are (\w+, ){2}\w+; help\(mercer.embed\) lists all"):
        mercer.embed("uniform", "pendulum", zzzzzzzzzzzz=3)


def test_errors_name_keywords_where_the_program_names_flags():
    with pytest.raises(ValueError) as refused:
        mercer.embed("uniform", "pendulum", degree=3)
    assert str(refused.value) == ("E203: degree belongs to the continuous route, and this is the lattice route. "
                                  'Leave it out, or use route="continuous".')
    assert refused.value.problem.startswith("degree ") and refused.value.remedy.endswith('route="continuous"')
    with pytest.raises(ValueError) as refused:
        mercer.embed("uniform", "pendulum", basis="chebyshev")
    assert refused.value.remedy == ('Use route="continuous", as in '
                                    "'mercer embed --route continuous --basis chebyshev'"), "a command stays one"
    with pytest.raises(ValueError, match="^E203: k=3 and energy=0.5 both"):
        mercer.embed("uniform", "pendulum", k=3, energy=0.5)


def test_errors_name_switches_with_their_value(tmp_path):
    mercer.train("pendulum", tmp_path, steps=20, warmup=10, hidden=[4])
    with pytest.raises(ValueError, match="another out, or force=True to"):
        mercer.train("pendulum", tmp_path, steps=20, warmup=10, hidden=[5])


def test_shares_are_percentages_too():
    given = mercer.certify("chain", "uniform", "uniform", episodes=50, level="statistical", confidence="90%")
    assert given.confidence == 0.9


def test_settings_of_a_file_belong_to_load_policy():
    with pytest.raises(ValueError, match="load_policy"):
        mercer.evaluate("pendulum", "uniform", temperature=0.5)
