"""A strict interpreter of a subset of Structured Text (IEC 61131-3, second edition).

    block = st.load(text)              # one FUNCTION_BLOCK: parsed and checked, or StError
    machine = st.Instance(block)
    outputs = machine.call(SPEED=1.5)  # inputs by name; what is not given keeps its value

Stricter than most compilers, so that what runs here runs there: no conversion is implicit, not even a widening one, whole
numbers do not overflow, REAL operations do not leave the finite numbers, and a counter has no value after its loop.
"""

from .checker import check
from .errors import StError
from .machine import Instance
from .parser import parse


def load(text):
    block = parse(text)
    check(block)
    return block


__all__ = ["Instance", "StError", "load"]
