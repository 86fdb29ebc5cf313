"""How many claims of a stated confidence may fail by chance."""

import numpy as np


def allowed_by_chance(deltas, quantile=0.99):
    """The quantile of a sum of independent indicators with these probabilities, exactly."""
    mass = np.ones(1)
    for delta in deltas:
        mass = np.convolve(mass, [1 - delta, delta])
    return int(np.searchsorted(np.cumsum(mass), quantile))


def beyond_chance(claims):
    """The broken claims of a kind of which more are broken than chance allows."""
    out = []
    for kind in sorted({claim.kind for claim in claims}):
        own = [claim for claim in claims if claim.kind == kind]
        broken = [(claim.about, claim.broken) for claim in own if claim.broken]
        if len(broken) > allowed_by_chance([claim.delta for claim in own]):
            out += broken
    return out
