"""Names and types: everything that can be known to be wrong before a block runs."""

from . import tree
from .errors import StError
from .types import ANY_INT, ANY_REAL, CONVERSIONS, FUNCTIONS, NUMBERS, REAL, UNTYPED, WHOLE, Array


def fits(type, allowed):
    return type in allowed or (type == ANY_INT and "INT" in allowed) or (type == ANY_REAL and "REAL" in allowed)


class Checker:
    def __init__(self, block):
        self.block = block
        self.counters = []  # of the loops around the statement
        self.loops = 0

    def run(self):
        for variable in self.block.variables.values():
            self.initial(variable)
        self.statements(self.block.body)

    def initial(self, variable):
        if variable.constant and variable.initial is None:
            raise StError(variable.line, f"the constant {variable.name} has no value")
        if not isinstance(variable.type, Array):
            if variable.initial is not None:
                self.expect(variable.initial, variable.type)
            return
        for _, literal in variable.initial or []:
            self.expect(literal, variable.type.element)
        count = sum(times for times, _ in variable.initial or [])
        if count > variable.type.size:
            raise StError(variable.line, f"{count} values for {variable.name}, an {variable.type}")

    # statements

    def statements(self, statements):
        for statement in statements:
            getattr(self, "check_" + type(statement).__name__.lower())(statement)

    def check_assign(self, statement):
        target = statement.target
        self.check(target)
        self.writable(target.line, target.name)
        self.check(statement.value)
        self.expect(statement.value, target.type)

    def writable(self, line, name):
        variable = self.block.variables[name]
        if variable.constant or variable.kind == "VAR_INPUT":
            raise StError(line, f"{name} is {'a constant' if variable.constant else 'an input'}")
        if name in self.counters:
            raise StError(line, f"{name} counts a loop that this stands in")

    def condition(self, expression):
        self.check(expression)
        self.expect(expression, "BOOL")

    def body(self, statements):
        self.loops += 1
        self.statements(statements)
        self.loops -= 1

    def check_if(self, statement):
        for condition, statements in statement.branches:
            self.condition(condition)
            self.statements(statements)
        self.statements(statement.otherwise)

    def check_case(self, statement):
        self.check(statement.selector)
        if statement.selector.type not in WHOLE:
            raise StError(statement.line, f"CASE selects by whole numbers, not {statement.selector.type}")
        seen = []
        for labels, statements in statement.branches:
            for low, high in labels:
                self.expect(low, statement.selector.type)
                self.expect(high, statement.selector.type)
                if any(low.value <= before[1] and before[0] <= high.value for before in seen):
                    raise StError(low.line, f"{low.value} is selected twice")
                seen.append((low.value, high.value))
            self.statements(statements)
        self.statements(statement.otherwise)

    def check_for(self, statement):
        counter = tree.Name(statement.line, statement.variable)
        self.check(counter)
        self.writable(statement.line, statement.variable)
        if counter.type not in WHOLE:
            raise StError(statement.line, f"a loop counts in whole numbers, not {counter.type}")
        for expression in (statement.first, statement.last, statement.step):
            self.check(expression)
            self.expect(expression, counter.type)
        self.counters.append(statement.variable)
        self.body(statement.body)
        self.counters.pop()

    def check_while(self, statement):
        self.condition(statement.condition)
        self.body(statement.body)

    def check_repeat(self, statement):
        self.body(statement.body)
        self.condition(statement.condition)

    def check_exit(self, statement):
        if self.loops == 0:
            raise StError(statement.line, "EXIT stands in no loop")

    def check_return(self, statement):
        pass

    # expressions

    def expect(self, node, type):
        """The expression has this type, or is a literal that can take it."""
        if node.type in UNTYPED:
            self.settle(node, type)
        elif node.type != type:
            raise StError(node.line, f"{type} expected, not {node.type}: nothing is converted unless asked for")

    def settle(self, node, type):
        if type not in (WHOLE if node.type == ANY_INT else REAL):
            raise StError(node.line, f"{type} expected, not {'a whole' if node.type == ANY_INT else 'a real'} number: "
                                     "nothing is converted unless asked for")
        if isinstance(node, tree.Literal):
            if type in WHOLE and not WHOLE[type][0] <= node.value <= WHOLE[type][1]:
                raise StError(node.line, f"{node.value} is no {type}")
        elif isinstance(node, tree.Unary):
            self.settle(node.operand, type)
        elif isinstance(node, tree.Binary):
            self.settle(node.left, type)
            if node.operator != "**":
                self.settle(node.right, type)
        else:
            for argument in node.arguments:
                if argument.type in UNTYPED:
                    self.settle(argument, type)
        node.type = type

    def unify(self, line, nodes):
        """The one type of all, given to literals without one."""
        types = {node.type for node in nodes if node.type not in UNTYPED} or {node.type for node in nodes}
        if len(types) > 1:
            names = " and ".join(sorted(str(type) for type in types))
            raise StError(line, f"{names} do not go together: nothing is converted unless asked for")
        type = types.pop()
        if type not in UNTYPED:
            for node in nodes:
                self.expect(node, type)
        return type

    def check(self, node):
        if isinstance(node, tree.Name):
            node.type = self.declared(node).type
        elif isinstance(node, tree.Index):
            self.check_index(node)
        elif isinstance(node, tree.Unary):
            self.check(node.operand)
            allowed = ("BOOL",) if node.operator == "NOT" else NUMBERS
            if not fits(node.operand.type, allowed):
                raise StError(node.line, f"{node.operator} is not for {node.operand.type}")
            node.type = node.operand.type
        elif isinstance(node, tree.Binary):
            self.check_binary(node)
        elif isinstance(node, tree.Call):
            self.check_call(node)

    def declared(self, node):
        if node.name not in self.block.variables:
            raise StError(node.line, f"{node.name} is not declared")
        return self.block.variables[node.name]

    def check_index(self, node):
        array = self.declared(node).type
        if not isinstance(array, Array) or len(array.bounds) != len(node.subscripts):
            raise StError(node.line, f"{node.name} has not {len(node.subscripts)} subscripts: it is {array}")
        for subscript, (low, high) in zip(node.subscripts, array.bounds):
            self.check(subscript)
            if subscript.type == ANY_INT:
                self.settle(subscript, "DINT")
            if subscript.type not in WHOLE:
                raise StError(node.line, f"subscripts are whole numbers, not {subscript.type}")
            if isinstance(subscript, tree.Literal) and not low <= subscript.value <= high:
                raise StError(node.line, f"{node.name}[{subscript.value}] is outside {low}..{high}")
        node.type = array.element

    def check_binary(self, node):
        self.check(node.left)
        self.check(node.right)
        operator = node.operator
        if operator == "**":
            if not fits(node.left.type, REAL) or not fits(node.right.type, NUMBERS):
                raise StError(node.line, f"** is not for {node.left.type} and {node.right.type}")
            if node.right.type in UNTYPED:
                self.settle(node.right, "DINT" if node.right.type == ANY_INT else "LREAL")
            node.type = node.left.type
            return
        type = self.unify(node.line, [node.left, node.right])
        compares = operator in ("=", "<>", "<", ">", "<=", ">=")
        allowed = ("BOOL",) if operator in ("AND", "OR", "XOR") else tuple(WHOLE) if operator == "MOD" else (
            ("BOOL", *NUMBERS) if operator in ("=", "<>") else NUMBERS)
        if isinstance(type, Array) or not fits(type, allowed):
            raise StError(node.line, f"{operator} is not for {type}")
        if compares and type in UNTYPED:
            for side in (node.left, node.right):
                self.settle(side, "LINT" if type == ANY_INT else "LREAL")
        node.type = "BOOL" if compares else type

    def check_call(self, node):
        for argument in node.arguments:
            self.check(argument)
        if node.function in CONVERSIONS:
            source, node.type = CONVERSIONS[node.function]
            if len(node.arguments) != 1:
                raise StError(node.line, f"{node.function} takes one argument")
            self.expect(node.arguments[0], source)
            return
        wanted, more, result = FUNCTIONS[node.function]
        count = len(node.arguments)
        if count < len(wanted) or (count > len(wanted) and not more):
            raise StError(node.line, f"{node.function} takes {len(wanted)} arguments, not {count}")
        same = []
        for argument, allowed in zip(node.arguments, wanted + wanted[-1:] * (count - len(wanted))):
            if allowed is None:
                self.expect(argument, "BOOL")
                continue
            if isinstance(argument.type, Array) or not fits(argument.type, allowed):
                raise StError(node.line, f"{node.function} is not for {argument.type}")
            same.append(argument)
        type = self.unify(node.line, same)
        if result and type in UNTYPED:
            for argument in same:
                self.settle(argument, "LREAL")
        node.type = result or type


def check(block):
    """Throws StError for what is wrong; afterwards every expression has a type."""
    Checker(block).run()
