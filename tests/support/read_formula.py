"""Reads the formulas that Mercer prints and computes them, knowing nothing but how people write them.

    values = evaluate(["v = speed / 8", "torque = 2 tanh(v)"], {"speed": numpy.array([...])})

As a program: reads a list of documents with `text`, `python`, `sources`, `given` and `sympy` from standard input, and
writes what each name is in each state.
"""

import importlib.util
import json
import math
import re
import sys

import numpy

TOKEN = re.compile(r"\s*(?:(\d+\.?\d*(?:e[+-]?\d+)?)|([A-Za-z]\w*)(\()?|(.))")
FUNCTIONS = {
    "tanh": numpy.tanh, "cos": numpy.cos, "sin": numpy.sin, "exp": numpy.exp, "sqrt": numpy.sqrt, "clip": numpy.clip,
    "interp": numpy.interp, "argmax": lambda *numbers: numpy.argmax(numbers, axis=0),
}
CONSTANTS = {"pi": math.pi, "inf": math.inf}


class Reader:
    """One expression: sums of products, a space for times, ^ for powers."""

    def __init__(self, text, names, functions):
        self.names, self.functions, self.tokens = names, functions, []
        for number, name, opened, sign in TOKEN.findall(text.rstrip()):
            kind = "number" if number else "call" if opened else "name" if name else sign
            self.tokens.append((kind, number or name or sign))
        self.tokens.append(("end", ""))

    def peek(self):
        return self.tokens[0][0]

    def take(self, kind=None):
        found = self.tokens.pop(0)
        if kind is not None and found[0] != kind:
            raise ValueError(f"{found} where {kind} was expected")
        return found[1]

    def sum(self):
        negative = self.peek() == "-" and self.take() == "-"
        value = -self.product() if negative else self.product()
        while self.peek() in "+-":
            value = value + self.product() if self.take() == "+" else value - self.product()
        return value

    def product(self):
        value = self.power()
        while self.peek() in ("number", "name", "call", "(", "/"):
            if self.peek() == "/":
                self.take()
                value = value / self.power()
            else:
                value = value * self.power()
        return value

    def power(self):
        value = self.atom()
        if self.peek() == "^":
            self.take()
            value = value ** int(self.take("number"))
        return value

    def atom(self):
        kind = self.peek()
        if kind == "number":
            return float(self.take())
        if kind == "name":
            name = self.take()
            return self.names[name] if name in self.names else CONSTANTS[name]
        if kind == "call":
            return self.functions[self.take()](*self.list(")"))
        if kind == "[":
            self.take()
            return self.list("]")
        self.take("(")
        value = self.sum()
        self.take(")")
        return value

    def list(self, end):
        values = [self.sum()]
        while self.peek() == ",":
            self.take()
            values.append(self.sum())
        self.take(end)
        return values


def compute(text, names, functions):
    reader = Reader(text, names, functions)
    value = reader.sum()
    reader.take("end")
    return value


def evaluate(lines, given):
    """The value of every name that the lines define; `given` are those that they may use."""
    names, functions = dict(given), dict(FUNCTIONS)
    for line in lines:
        left, right = line.split(" = ")
        function = re.fullmatch(r"(\w+)\((\w+)\)", left)
        if function:
            functions[function[1]] = lambda x, right=right, variable=function[2]: compute(right, {variable: x}, {})
        else:
            if not re.fullmatch(r"[A-Za-z]\w*", left) or left in names:
                raise ValueError(f"'{left}' is no new name")
            names[left] = compute(right, names, functions)
    return {name: value for name, value in names.items() if name not in given}


def run_python(lines, given, library=numpy):
    """The same for assignments in Python, with the functions of numpy (arrays) or math (numbers)."""
    names = {name: getattr(library, name) for name in ("tanh", "cos", "sin", "exp", "sqrt", "pi")}
    names |= {"__builtins__": {}, "abs": abs, "argmax": lambda numbers: numpy.argmax(numbers, axis=0), **given}
    known = set(names)
    for line in lines:
        exec(line, names)
    return {name: value for name, value in names.items() if name not in known}


def run_sympy(lines, given):
    """The same by sympy, for one state: every right-hand side is read by `sympify`."""
    import sympy

    values = {name: sympy.Float(value, 17) for name, value in given.items()}
    for line in lines:
        left, right = line.split(" = ")
        known = sympy.sympify(right)
        if known.func.__name__ == "argmax":
            numbers = [float(values[str(one)]) for one in known.args[0]]
            values[left] = numbers.index(max(numbers))
        else:
            values[left] = known.subs({str(one): values[str(one)] for one in known.free_symbols}).evalf()
    return {name: float(value) for name, value in values.items() if name not in given}


def comment_formulas(source):
    """The formulas in the comment at the top of exported C or Structured Text."""
    block = source.split(" * As a formula:\n", 1)[1].split("\n *\n", 1)[0]
    return [" ".join(line.split()) for line in block.replace("\n *       ", " ").replace(" *   ", "").split("\n")]


def answer(asked):
    given = {name: numpy.array(values) for name, values in asked["given"].items()}
    states = len(next(iter(given.values())))
    first = {name: float(values[0]) for name, values in given.items()}
    answers = {
        "text": evaluate(asked["text"], given), "python": run_python(asked["python"], given),
        "math": run_python(asked["python"], first, math),
        "sources": [comment_formulas(source) for source in asked["sources"]],
    }
    if asked["sympy"] and importlib.util.find_spec("sympy"):
        answers["sympy"] = run_sympy(asked["python"], first)
    for notation in ("text", "python"):
        wide = {name: numpy.broadcast_to(value, states).tolist() for name, value in answers[notation].items()}
        answers[notation] = wide
    answers["math"] = {name: float(value) for name, value in answers["math"].items()}
    return answers


if __name__ == "__main__":
    json.dump([answer(asked) for asked in json.load(sys.stdin)], sys.stdout)
