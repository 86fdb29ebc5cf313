"""Runs a checked block. Every node becomes a Python function once; REAL is numpy's float32 at every operation."""

import math
import operator

import numpy

from . import tree
from .errors import StError
from .types import CONVERSIONS, REAL, WHOLE, Array

FLOATS = {"REAL": numpy.float32, "LREAL": numpy.float64}
EXIT, RETURN = "exit", "return"
COMPARE = {"=": operator.eq, "<>": operator.ne, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}
LOGIC = {"AND": operator.and_, "OR": operator.or_, "XOR": operator.xor}
ONE_ARGUMENT = {"SQRT": numpy.sqrt, "LN": numpy.log, "LOG": numpy.log10, "EXP": numpy.exp, "SIN": numpy.sin,
                "COS": numpy.cos, "TAN": numpy.tan, "ASIN": numpy.arcsin, "ACOS": numpy.arccos, "ATAN": numpy.arctan}


def divide(a, b):
    if b == 0:
        raise ZeroDivisionError
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a, b):
    return 0 if b == 0 else a - divide(a, b) * b  # the standard says 0


WHOLE_ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": divide, "MOD": remainder}
REAL_ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


def value_of(type, value):
    """A Python number as a value of an elementary type."""
    if type in FLOATS:
        return FLOATS[type](value)
    if type == "BOOL":
        return bool(value)
    value = int(value)
    low, high = WHOLE[type]
    if not low <= value <= high:
        raise StError(0, f"{value} is no {type}")
    return value


class Instance:
    """A block with its variables, which live from call to call."""

    def __init__(self, block):
        self.block = block
        self.memory = {variable.name: self.initial(variable) for variable in block.variables.values()}
        self.body = self.statements(block.body)

    @staticmethod
    def initial(variable):
        if not isinstance(variable.type, Array):
            return value_of(variable.type, variable.initial.value if variable.initial else 0)
        element = variable.type.element
        values = [value_of(element, literal.value) for count, literal in variable.initial or [] for _ in range(count)]
        return values + [value_of(element, 0)] * (variable.type.size - len(values))

    def call(self, **inputs):
        for name, value in inputs.items():
            variable = self.block.variables.get(name.upper())
            if variable is None or variable.kind != "VAR_INPUT":
                raise KeyError(f"{name} is no input of {self.block.name}")
            if isinstance(variable.type, Array):
                values = [value_of(variable.type.element, one) for one in value]
                assert len(values) == variable.type.size, name
                self.memory[variable.name] = values
            else:
                self.memory[variable.name] = value_of(variable.type, value)
        with numpy.errstate(all="ignore"):
            self.body()
        return {variable.name: self.memory[variable.name] for variable in self.block.variables.values()
                if variable.kind == "VAR_OUTPUT"}

    # statements: functions that give EXIT, RETURN or None

    def statements(self, statements):
        steps = [getattr(self, "run_" + type(statement).__name__.lower())(statement) for statement in statements]

        def run():
            for step in steps:
                signal = step()
                if signal:
                    return signal
            return None
        return run

    def run_assign(self, statement):
        value, memory, name = self.expression(statement.value), self.memory, statement.target.name
        if isinstance(statement.target, tree.Index):
            place = self.place(statement.target)

            def run():
                memory[name][place()] = value()
        elif isinstance(statement.target.type, Array):
            def run():
                memory[name] = list(value())
        else:
            def run():
                memory[name] = value()
        return run

    def run_if(self, statement):
        branches = [(self.expression(condition), self.statements(body)) for condition, body in statement.branches]
        otherwise = self.statements(statement.otherwise)

        def run():
            for condition, body in branches:
                if condition():
                    return body()
            return otherwise()
        return run

    def run_case(self, statement):
        selector, otherwise = self.expression(statement.selector), self.statements(statement.otherwise)
        branches = [([(low.value, high.value) for low, high in labels], self.statements(body))
                    for labels, body in statement.branches]

        def run():
            value = selector()
            for labels, body in branches:
                if any(low <= value <= high for low, high in labels):
                    return body()
            return otherwise()
        return run

    def run_for(self, statement):
        first, last, step = (self.expression(e) for e in (statement.first, statement.last, statement.step))
        body, memory, name = self.statements(statement.body), self.memory, statement.variable

        def run():
            value, end, by = first(), last(), step()
            if by == 0:
                raise StError(statement.line, "a loop that steps by 0")
            while (value <= end) if by > 0 else (value >= end):
                memory[name] = value
                signal = body()
                if signal:
                    return signal if signal == RETURN else None
                value += by
            memory[name] = None  # the standard leaves it open
            return None
        return run

    def run_while(self, statement):
        condition, body = self.expression(statement.condition), self.statements(statement.body)

        def run():
            while condition():
                signal = body()
                if signal:
                    return signal if signal == RETURN else None
            return None
        return run

    def run_repeat(self, statement):
        condition, body = self.expression(statement.condition), self.statements(statement.body)

        def run():
            while True:
                signal = body()
                if signal:
                    return signal if signal == RETURN else None
                if condition():
                    return None
        return run

    def run_exit(self, statement):
        return lambda: EXIT

    def run_return(self, statement):
        return lambda: RETURN

    # expressions: functions that give a value

    def expression(self, node):
        return getattr(self, "get_" + type(node).__name__.lower())(node)

    def get_literal(self, node):
        value = value_of(node.type, node.value)
        return lambda: value

    def get_name(self, node):
        memory, name, line = self.memory, node.name, node.line

        def get():
            value = memory[name]
            if value is None:
                raise StError(line, f"{name} counted a loop that ended: its value is open")
            return value
        return get

    def place(self, node):
        bounds = self.block.variables[node.name].type.bounds
        subscripts = [self.expression(subscript) for subscript in node.subscripts]

        def place():
            at = 0
            for subscript, (low, high) in zip(subscripts, bounds):
                value = subscript()
                if not low <= value <= high:
                    raise StError(node.line, f"{node.name}[{value}] is outside {low}..{high}")
                at = at * (high - low + 1) + value - low
            return at
        return place

    def get_index(self, node):
        place, memory, name = self.place(node), self.memory, node.name
        return lambda: memory[name][place()]

    def get_unary(self, node):
        operand = self.expression(node.operand)
        if node.operator == "NOT":
            return lambda: not operand()
        return self.bounded(node, lambda: -operand())

    def get_binary(self, node):
        left, right = self.expression(node.left), self.expression(node.right)
        if node.operator in COMPARE:
            compare = COMPARE[node.operator]
            return lambda: bool(compare(left(), right()))
        if node.operator in LOGIC:
            logic = LOGIC[node.operator]
            return lambda: logic(left(), right())  # both sides: the standard promises no short cut
        if node.operator == "**":
            power = FLOATS[node.type]
            return self.bounded(node, lambda: power(numpy.power(left(), power(right()))))
        apply = (REAL_ARITHMETIC if node.type in REAL else WHOLE_ARITHMETIC)[node.operator]
        return self.bounded(node, lambda: apply(left(), right()))

    def bounded(self, node, compute):
        """A result outside its type ends the run: controllers do anything then, from wrapping to a stop."""
        if node.type in REAL:
            def get():
                value = compute()
                if not math.isfinite(value):
                    raise StError(node.line, f"a {node.type} that is {value}")
                return value
            return get
        low, high = WHOLE[node.type]

        def get():
            try:
                value = compute()
            except ZeroDivisionError:
                raise StError(node.line, "a division by zero") from None
            if not low <= value <= high:
                raise StError(node.line, f"{value} is no {node.type}")
            return value
        return get

    def get_call(self, node):
        arguments = [self.expression(argument) for argument in node.arguments]
        first = arguments[0]
        if node.function in CONVERSIONS:
            source, target = CONVERSIONS[node.function]
            return self.converted(node, first, source, target)
        if node.function in ONE_ARGUMENT:
            function = ONE_ARGUMENT[node.function]
            return self.bounded(node, lambda: function(first()))
        if node.function == "ABS":
            return self.bounded(node, lambda: abs(first()))
        if node.function == "TRUNC":
            return self.bounded(node, lambda: math.trunc(first()))
        if node.function == "LIMIT":
            return lambda: min(max(arguments[1](), first()), arguments[2]())
        if node.function == "SEL":
            return lambda: [arguments[1](), arguments[2]()][first()]
        choose = {"MIN": min, "MAX": max}[node.function]
        return lambda: choose([argument() for argument in arguments])

    def converted(self, node, value, source, target):
        if target in REAL:
            return self.bounded(node, lambda: FLOATS[target](value()))
        if target == "BOOL":
            return lambda: bool(value() != 0)
        if source in REAL:
            def rounded():
                number = value()
                if not math.isfinite(number):
                    raise StError(node.line, f"{number} is no {target}")
                return round(float(number))  # halves to even
            return self.bounded(node, rounded)
        return self.bounded(node, lambda: int(value()))
