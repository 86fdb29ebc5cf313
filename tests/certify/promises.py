"""Holds a certificate in JSON against the truth."""

import dataclasses
import re

# A solver's rounding, relative to the size of the returns.
ROUNDING = 1e-9
NO_GUARANTEE = ("paper", "model", "estimate")
GUARANTEED = ("statistical", "rigorous")


@dataclasses.dataclass
class Claim:
    """Something that may be wrong with probability `delta` at most."""

    kind: str  # "joint": all that is printed holds; "met": the budgets are kept
    delta: float
    broken: list
    about: str = ""


@dataclasses.dataclass
class Report:
    """What was found wrong, by the name of the check, and what may be wrong by chance."""

    findings: list = dataclasses.field(default_factory=list)
    claims: list = dataclasses.field(default_factory=list)
    checked: int = 0
    slacks: list = dataclasses.field(default_factory=list)

    def check(self, right, name, text):
        self.checked += 1
        if not right:
            self.findings.append((name, text))

    def checks_that_failed(self):
        return {name for name, _ in self.findings}


def delta_of(certificate):
    attempt = certificate["attempt"]
    return (1 - certificate["confidence"]) / (attempt * (attempt + 1) if attempt else 1)


def _promises(certificate, truth, report):
    """Promised numbers that the truth exceeds."""
    least = {"return": truth.loss - truth.error, "return_percent": truth.least_percent(),
             "outside": None if truth.outside is None else truth.outside - 1e-5,
             "failures": None if truth.failures is None else truth.failures - truth.failures_error}
    broken = []
    for promise in certificate["promises"]:
        about, upper = promise["about"], promise["upper"]
        if upper is None or least.get(about) is None:
            continue
        report.checked += 1
        room = ROUNDING * (1 + abs(truth.teacher) + abs(truth.embedding)) if about == "return" else 1e-9
        if upper < least[about] - room:
            broken.append(f"{about}: promised {upper}, true {least[about]}")
        if about == "return":
            report.slacks.append(upper - truth.loss)
        report.check(promise["alone"] <= upper, "joint", f"{about}: {upper} with others, {promise['alone']} alone")
    return broken


def _joint(certificate, report):
    """Printed bounds share the confidence: each is larger than it were alone, unless its range ends there."""
    uppers = [promise for promise in certificate["promises"] if promise["upper"] is not None]
    if certificate["level"] != "statistical" or len(certificate["promises"]) < 2 or certificate["method"] == "student_t":
        return
    apart = any(promise["upper"] > promise["alone"] for promise in uppers)
    width = [row["value"] for row in certificate["rows"] if row["term"] == "trivial"]
    ends = all(promise["about"] != "return" or (width and promise["upper"] >= width[0]) for promise in uppers)
    report.check(apart or ends, "joint", "several bounds are printed, each as if it were the only one")


def _rows(certificate, truth, report):
    broken = []
    size = 1 + abs(truth.teacher) + abs(truth.embedding)
    for row in certificate["rows"]:
        name, value = f"{row['term']} ({row['about']})", row["value"]
        in_model = row["about"].endswith("_in_model") or row["term"].startswith("model-")
        report.check(not (row["winner"] and (row["level"] != "rigorous" or in_model)), "winner", f"{name} is flagged")
        report.check(not (in_model and row["level"] in GUARANTEED), "level", f"{name} is called {row['level']}")
        if value is None or in_model or row["level"] in NO_GUARANTEE:
            continue
        if row["measured"] is not None and row["term"] in ("paired", "pruning"):
            report.check(row["measured"] <= value + ROUNDING * size, "measured", f"{name}: {row['measured']} > {value}")
        if row["term"] == "pruning":
            report.check(row["measured"] is not None, "measured", f"{name} measured nothing")
            true = truth.pruning
        elif row["about"] == "return":
            true = truth.loss - truth.error if row["term"] == "paired" else abs(truth.loss) - truth.error
        elif row["about"] == "discounted_return" and truth.endless:
            first, second = truth.endless(discount_of(row))
            true = abs(first - second)
        else:
            continue
        if true is None:
            continue
        report.checked += 1
        room = ROUNDING * size if row["level"] == "statistical" else 1e-6 * size
        wrong = value < true - room
        if row["level"] == "exact" and row["term"] == "exact":
            wrong = abs(value - true) > room
        if row["term"].startswith("exact/"):
            continue  # a part of the difference
        if wrong and row["level"] == "statistical":
            broken.append(f"{name}: at most {value}, true {true}")
        elif wrong:
            report.findings.append((row["level"], f"{name}: {value}, true {true}"))
    return broken


def discount_of(row):
    found = [re.search(r"endless episodes, discounted by ([0-9.e-]+)", line) for line in row["assumptions"]]
    return float(next(match for match in found if match).group(1))


def _met(certificate, truth, report):
    """Budgets that are called kept, and are not."""
    budgets = [(certificate["budget_return"], truth.loss - truth.error, "return"),
               (certificate["budget_percent"], truth.least_percent(), "percent")]
    given = [(budget, true, unit) for budget, true, unit in budgets if budget is not None]
    if not given:
        report.check(certificate["met"], "met", "nothing was allowed, and that is not kept")
        return None
    report.check(certificate["met"] == all(promise["kept"] for promise in certificate["promises"]), "met",
                 "'met' is not what the promises keep")
    if not certificate["met"]:
        return []
    return [f"{unit}: {true} where {budget} was allowed and called kept" for budget, true, unit in given
            if true is not None and true > budget + 1e-9]


def check(certificate, truth, report, about=""):
    """Everything that a certificate about the return says."""
    report.check(certificate["about"] == "return", "about", f"a certificate about {certificate['about']}")
    report.check(certificate["level"] in ("statistical", "estimate"), "level", f"promised at {certificate['level']}")
    promised = {promise["about"]: promise["upper"] for promise in certificate["promises"]}
    report.check(promised.get("return") == certificate["upper_return"], "promises", "two numbers for one promise")
    report.check(promised.get("return_percent") == certificate["upper_percent"], "promises", "two percentages")
    broken = _promises(certificate, truth, report)
    _joint(certificate, report)
    broken += _rows(certificate, truth, report)
    kept = _met(certificate, truth, report)
    if certificate["level"] == "estimate":  # promises nothing, so that nothing can be broken
        return
    report.claims.append(Claim("joint", delta_of(certificate), broken, about))
    if kept is not None:
        report.claims.append(Claim("met", delta_of(certificate), kept, about))
