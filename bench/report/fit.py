"""Exponents: the slope of log cost against log size, as measured and as theory has it over the same sizes."""

import math

TOLERANCE = 0.1


def exponent(sizes, costs):
    """By least squares. Theory's n log n has one too, a little above 1 and depending on the sizes."""
    if len(sizes) < 2 or len(sizes) != len(costs):
        raise ValueError(f"{len(sizes)} sizes and {len(costs)} costs make no line")
    if min(sizes) <= 0 or min(costs) <= 0 or min(sizes) == max(sizes):
        raise ValueError("sizes and costs must be above zero, and sizes must differ")
    x, y = [math.log(size) for size in sizes], [math.log(cost) for cost in costs]
    centre = sum(x) / len(x)
    return sum((a - centre) * b for a, b in zip(x, y)) / sum((a - centre) ** 2 for a in x)


def series_of(records):
    """Records of one part, by rising size, for each (axis, part) in the order in which they came."""
    series = {}
    for record in records:
        series.setdefault((record["axis"], record["part"]), []).append(record)
    return {key: sorted(points, key=lambda point: point["size"]) for key, points in series.items()}


def fit(points):
    """The best of the repeats tells what the work costs; each repeat alone how far the exponent can be trusted."""
    sizes = [point["size"] for point in points]
    repeats = min(len(point["seconds"]) for point in points)
    measured = exponent(sizes, [min(point["seconds"]) for point in points])
    theory = exponent(sizes, [point["operations"] for point in points])
    return {"axis": points[0]["axis"], "part": points[0]["part"], "theory": points[0]["theory"], "sizes": sizes,
            "measured": measured, "each": [exponent(sizes, [point["seconds"][r] for point in points]) for r in range(repeats)],
            "expected": theory, "difference": measured - theory, "within": abs(measured - theory) <= TOLERANCE}
