"""What a parsed block is made of. The checker fills in `type` of expressions."""

from dataclasses import dataclass, field


@dataclass
class Literal:
    line: int
    value: object
    type: object


@dataclass
class Name:
    line: int
    name: str
    type: object = None


@dataclass
class Index:
    line: int
    name: str
    subscripts: list
    type: object = None


@dataclass
class Unary:
    line: int
    operator: str
    operand: object
    type: object = None


@dataclass
class Binary:
    line: int
    operator: str
    left: object
    right: object
    type: object = None


@dataclass
class Call:
    line: int
    function: str
    arguments: list
    type: object = None


@dataclass
class Assign:
    line: int
    target: object
    value: object


@dataclass
class If:
    line: int
    branches: list  # (condition, statements)
    otherwise: list


@dataclass
class Case:
    line: int
    selector: object
    branches: list  # (list of (low, high) literals, statements)
    otherwise: list


@dataclass
class For:
    line: int
    variable: str
    first: object
    last: object
    step: object
    body: list


@dataclass
class While:
    line: int
    condition: object
    body: list


@dataclass
class Repeat:
    line: int
    body: list
    condition: object


@dataclass
class Exit:
    line: int


@dataclass
class Return:
    line: int


@dataclass
class Variable:
    line: int
    name: str
    type: object
    kind: str  # VAR, VAR_INPUT, VAR_OUTPUT
    constant: bool
    initial: object = None  # a literal, or for arrays a list of (count, literal)


@dataclass
class Block:
    name: str
    variables: dict = field(default_factory=dict)
    body: list = field(default_factory=list)
