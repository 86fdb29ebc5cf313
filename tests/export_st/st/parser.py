"""Tokens to a tree, by the grammar of the standard's annex B: a function for each of its rules."""

from . import tree
from .errors import StError
from .lexer import tokens_of
from .types import ANY_INT, ANY_REAL, CONVERSIONS, ELEMENTARY, FUNCTIONS, REAL, WHOLE, Array

# From what binds least to what binds most; below them stands the sign or NOT of a single operand.
LEVELS = [("OR",), ("XOR",), ("AND", "&"), ("=", "<>"), ("<", ">", "<=", ">="), ("+", "-"), ("*", "/", "MOD"), ("**",)]


class Parser:
    def __init__(self, text):
        self.tokens = tokens_of(text)
        self.at = 0

    @property
    def token(self):
        return self.tokens[self.at]

    def fail(self, wanted):
        raise StError(self.token.line, f"{wanted} expected, not '{self.token.text}'")

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def see(self, *texts):
        return self.token.kind in ("word", "sign") and self.token.text in texts

    def take(self, *texts):
        return self.next() if self.see(*texts) else None

    def need(self, *texts):
        return self.take(*texts) or self.fail(" or ".join(texts))

    def name(self, what):
        return self.next() if self.token.kind == "name" else self.fail(what)

    # declarations

    def block(self):
        self.need("FUNCTION_BLOCK")
        block = tree.Block(self.name("a name for the block").text)
        while self.see("VAR", "VAR_INPUT", "VAR_OUTPUT"):
            self.declarations(block)
        block.body = self.statements("END_FUNCTION_BLOCK")
        self.need("END_FUNCTION_BLOCK")
        if self.token.kind != "end":
            self.fail("nothing more")
        return block

    def declarations(self, block):
        kind = self.next().text
        constant = self.take("CONSTANT") is not None
        if constant and kind != "VAR":
            raise StError(self.token.line, f"{kind} cannot be constant")
        while not self.take("END_VAR"):
            names = [self.name("a variable's name or END_VAR")]
            while self.take(","):
                names.append(self.name("a variable's name"))
            self.need(":")
            type = self.type()
            initial = None
            if self.take(":="):
                initial = self.initial_list() if isinstance(type, Array) else self.constant()
            self.need(";")
            for name in names:
                if name.text in block.variables or name.text == block.name:
                    raise StError(name.line, f"{name.text} is declared twice")
                block.variables[name.text] = tree.Variable(name.line, name.text, type, kind, constant, initial)

    def type(self):
        if self.take("ARRAY"):
            self.need("[")
            bounds = [self.bounds()]
            while self.take(","):
                bounds.append(self.bounds())
            self.need("]")
            self.need("OF")
            return Array(tuple(bounds), self.elementary())
        return self.elementary()

    def elementary(self):
        return self.need(*ELEMENTARY).text

    def bounds(self):
        low = self.constant()
        self.need("..")
        high = self.constant()
        if low.type != ANY_INT or high.type != ANY_INT or low.value > high.value:
            raise StError(low.line, f"bounds {low.value}..{high.value} are not whole numbers that rise")
        return low.value, high.value

    def initial_list(self):
        self.need("[")
        elements = [self.initial_element()]
        while self.take(","):
            elements.append(self.initial_element())
        self.need("]")
        return elements

    def initial_element(self):
        one = self.constant()
        if not self.take("("):
            return 1, one
        if one.type != ANY_INT or one.value < 1:
            raise StError(one.line, f"{one.value} is no number of repetitions")
        value = self.constant()
        self.need(")")
        return one.value, value

    def constant(self):
        sign = self.take("-", "+")
        literal = self.literal()
        if literal is None:
            self.fail("a constant")
        if sign and literal.type not in (ANY_INT, ANY_REAL):
            raise StError(literal.line, "the sign of a typed literal stands after its '#'")
        if sign and sign.text == "-":
            literal.value = -literal.value
        return literal

    def literal(self):
        token = self.token
        if token.kind == "whole":
            return tree.Literal(token.line, self.next().value, ANY_INT)
        if token.kind == "real":
            return tree.Literal(token.line, self.next().value, ANY_REAL)
        if self.see("TRUE", "FALSE"):
            return tree.Literal(token.line, self.next().text == "TRUE", "BOOL")
        return self.typed_literal() if token.kind == "typed" else None

    def typed_literal(self):
        type, line = self.next().text, self.token.line
        if type not in ELEMENTARY:
            raise StError(line, f"{type} is no type")
        sign = -1 if self.take("-") else 1
        literal = self.literal()
        fits = literal is not None and (
            literal.type == ("BOOL" if type == "BOOL" else ANY_REAL if type in REAL else ANY_INT))
        if not fits:
            raise StError(line, f"what stands after {type}# is no {type}")
        if type != "BOOL":
            literal.value = sign * literal.value
        if type in WHOLE and not WHOLE[type][0] <= literal.value <= WHOLE[type][1]:
            raise StError(line, f"{literal.value} is no {type}")
        literal.type = type
        return literal

    # statements

    def statements(self, *ends):
        statements = []
        while not self.see(*ends):
            if self.token.kind == "end" or (self.token.kind == "word" and self.token.text.startswith("END_")):
                self.fail(" or ".join(ends))
            if self.take(";"):
                continue
            statements.append(self.statement())
            self.need(";")
        return statements

    def statement(self):
        line = self.token.line
        kinds = {"IF": self.if_statement, "CASE": self.case_statement, "FOR": self.for_statement,
                 "WHILE": self.while_statement, "REPEAT": self.repeat_statement}
        if self.see(*kinds):
            return kinds[self.next().text](line)
        if self.take("EXIT"):
            return tree.Exit(line)
        if self.take("RETURN"):
            return tree.Return(line)
        target = self.variable("a statement")
        self.need(":=")
        return tree.Assign(line, target, self.expression())

    def if_statement(self, line):
        branches, otherwise = [], []
        while True:
            condition = self.expression()
            self.need("THEN")
            branches.append((condition, self.statements("ELSIF", "ELSE", "END_IF")))
            if not self.take("ELSIF"):
                break
        if self.take("ELSE"):
            otherwise = self.statements("END_IF")
        self.need("END_IF")
        return tree.If(line, branches, otherwise)

    def case_statement(self, line):
        selector = self.expression()
        self.need("OF")
        branches, otherwise = [], []
        while not self.see("ELSE", "END_CASE"):
            labels = [self.label()]
            while self.take(","):
                labels.append(self.label())
            self.need(":")
            branches.append((labels, self.branch()))
        if self.take("ELSE"):
            otherwise = self.statements("END_CASE")
        self.need("END_CASE")
        return tree.Case(line, selector, branches, otherwise)

    def label(self):
        low = self.constant()
        return low, self.constant() if self.take("..") else low

    def branch(self):
        statements = []
        while not (self.see("ELSE", "END_CASE", "-", "+") or self.token.kind in ("whole", "typed")):
            if self.take(";"):
                continue
            statements.append(self.statement())
            self.need(";")
        return statements

    def for_statement(self, line):
        variable = self.name("the loop's counter").text
        self.need(":=")
        first = self.expression()
        self.need("TO")
        last = self.expression()
        step = self.expression() if self.take("BY") else tree.Literal(line, 1, ANY_INT)
        self.need("DO")
        body = self.statements("END_FOR")
        self.need("END_FOR")
        return tree.For(line, variable, first, last, step, body)

    def while_statement(self, line):
        condition = self.expression()
        self.need("DO")
        body = self.statements("END_WHILE")
        self.need("END_WHILE")
        return tree.While(line, condition, body)

    def repeat_statement(self, line):
        body = self.statements("UNTIL")
        self.need("UNTIL")
        condition = self.expression()
        self.need("END_REPEAT")
        return tree.Repeat(line, body, condition)

    # expressions

    def expression(self, level=0):
        if level == len(LEVELS):
            return self.unary()
        left = self.expression(level + 1)
        while self.see(*LEVELS[level]):
            operator = self.next()
            left = tree.Binary(operator.line, operator.text.replace("&", "AND"), left, self.expression(level + 1))
        return left

    def unary(self):
        operator = self.take("-", "NOT")
        operand = self.primary()
        if not operator:
            return operand
        if operator.text == "-" and isinstance(operand, tree.Literal) and operand.type in (ANY_INT, ANY_REAL):
            operand.value = -operand.value  # so that -32768 is an INT
            return operand
        return tree.Unary(operator.line, operator.text, operand)

    def primary(self):
        if self.take("("):
            inner = self.expression()
            self.need(")")
            return inner
        if self.token.kind == "word" and (self.token.text in FUNCTIONS or self.token.text in CONVERSIONS):
            return self.call()
        return self.literal() or self.variable("an expression")

    def call(self):
        function = self.next()
        self.need("(")
        arguments = [self.expression()]
        while self.take(","):
            arguments.append(self.expression())
        self.need(")")
        return tree.Call(function.line, function.text, arguments)

    def variable(self, what):
        name = self.name(what)
        if not self.take("["):
            return tree.Name(name.line, name.text)
        subscripts = [self.expression()]
        while self.take(","):
            subscripts.append(self.expression())
        self.need("]")
        return tree.Index(name.line, name.text, subscripts)


def parse(text):
    return Parser(text).block()
