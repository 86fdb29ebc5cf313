"""Flags win over the environment, that over TOML, that over defaults; a name nobody knows is an error."""

EVALUATE = ["evaluate", "--env", "pendulum", "--policy", "uniform"]


def seed_of(mercer, *arguments, **environment):
    return mercer.json(*EVALUATE, *arguments, **environment)["seed"]


def test_precedence(mercer):
    (mercer.folder / "c.toml").write_text("seed = 10\n[evaluate]\nseed = 11\nepisodes = 5\n[rollout]\nseed = 12\n")
    assert seed_of(mercer) == 0
    assert seed_of(mercer, "--config", "c.toml") == 11
    assert seed_of(mercer, "--config", "c.toml", MERCER_SEED="20") == 20
    assert seed_of(mercer, "--config", "c.toml", "--seed", 30, MERCER_SEED="20") == 30
    assert mercer.json(*EVALUATE, MERCER_CONFIG="c.toml")["episodes"] == 5


def test_everything_can_come_from_toml(mercer):
    (mercer.folder / "c.toml").write_text(
        'env = "chain:n=4"\npolicy = "uniform"\n[rollout]\nout = "r.csv"\nepisodes = 3\nhorizon = 2\nact = "mean"\n')
    said = mercer.json("rollout", "--config", "c.toml")
    assert said["episodes"] == 3 and said["steps"] == 6 and said["file"] == "r.csv"


def test_switches_take_true_and_false(mercer):
    assert mercer.ok(*EVALUATE, MERCER_QUIET="true").stderr == ""
    assert mercer.ok(*EVALUATE, MERCER_QUIET="false").stderr != ""
    assert "E203" in mercer.fails(2, *EVALUATE, MERCER_QUIET="perhaps")


def test_unknown_names(mercer):
    said = mercer.fails(2, *EVALUATE, MERCER_SEDE="1")
    assert "E201" in said and "MERCER_SEDE" in said and "'MERCER_SEED'" in said
    for text, near in [("sede = 1", "'seed'"), ("[evaluate]\nepisods = 1", "'episodes'"), ("[evalute]\nseed = 1", "'evaluate'")]:
        (mercer.folder / "c.toml").write_text(text)
        said = mercer.fails(2, *EVALUATE, "--config", "c.toml")
        assert "E201" in said and near in said


def test_names_that_are_not_there_lead_to_those_that_are(mercer):
    (mercer.folder / "c.toml").write_text("[compress]\nseconds = 60\n")
    assert "line 2 is called 'seconds'. Did you mean 'budget'?" in mercer.fails(2, *EVALUATE, "--config", "c.toml")
    assert "Did you mean 'MERCER_BUDGET'?" in mercer.fails(2, "compress", MERCER_SECONDS="60")
    said = mercer.fails(2, *EVALUATE, MERCER_ZZZZZZZZ="1")
    assert "'MERCER_ZZZZZZZZ'" in said and said.count("MERCER_") == 4 and "'mercer evaluate --help' lists all" in said


def test_bad_toml(mercer):
    (mercer.folder / "c.toml").write_text("seed = 1\nepisodes = = 2\n")
    said = mercer.fails(3, *EVALUATE, "--config", "c.toml")
    assert "E304" in said and "line 2" in said
    (mercer.folder / "c.toml").write_text('episodes = "x"\n')
    said = mercer.fails(2, *EVALUATE, "--config", "c.toml")
    assert "E203" in said and "line 1" in said and "'x'" in said


def test_log_level(mercer):
    assert "steps a second" in mercer.ok(*EVALUATE, "--log-level", "info").stderr
    assert "steps a second" not in mercer.ok(*EVALUATE).stderr
    assert "E201" in mercer.fails(2, *EVALUATE, "--log-level", "loud")
