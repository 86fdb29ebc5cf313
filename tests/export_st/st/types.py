"""Elementary types by name; arrays as a tuple of bounds and an element type."""

from typing import NamedTuple

WHOLE = {
    "SINT": (-2**7, 2**7 - 1), "INT": (-2**15, 2**15 - 1), "DINT": (-2**31, 2**31 - 1), "LINT": (-2**63, 2**63 - 1),
    "USINT": (0, 2**8 - 1), "UINT": (0, 2**16 - 1), "UDINT": (0, 2**32 - 1), "ULINT": (0, 2**64 - 1),
}
REAL = ("REAL", "LREAL")
NUMBERS = (*WHOLE, *REAL)
ELEMENTARY = ("BOOL", *NUMBERS)

# Literals without a type take the one of what they meet.
ANY_INT, ANY_REAL = "ANY_INT", "ANY_REAL"
UNTYPED = (ANY_INT, ANY_REAL)

# name: what each argument may be (None: BOOL), whether there may be more like the last, the result (None: as the argument)
FUNCTIONS = {
    "ABS": ([NUMBERS], False, None),
    "MIN": ([NUMBERS, NUMBERS], True, None),
    "MAX": ([NUMBERS, NUMBERS], True, None),
    "LIMIT": ([NUMBERS, NUMBERS, NUMBERS], False, None),
    "SEL": ([None, ELEMENTARY, ELEMENTARY], False, None),
    "TRUNC": ([REAL], False, "DINT"),
    **{name: ([REAL], False, None)
       for name in ("SQRT", "LN", "LOG", "EXP", "SIN", "COS", "TAN", "ASIN", "ACOS", "ATAN")},
}
CONVERSIONS = {f"{a}_TO_{b}": (a, b) for a in ELEMENTARY for b in ELEMENTARY if a != b}


class Array(NamedTuple):
    bounds: tuple  # (low, high) for each dimension
    element: str

    def __str__(self):
        ranges = ", ".join(f"{low}..{high}" for low, high in self.bounds)
        return f"ARRAY[{ranges}] OF {self.element}"

    @property
    def size(self):
        size = 1
        for low, high in self.bounds:
            size *= high - low + 1
        return size
