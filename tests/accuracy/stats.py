# SPDX-License-Identifier: GPL-2.0-or-later
"""The statistics that the accuracy tests need, written independently of the program's own."""
import math

# Each verdict is wrong by chance once in a thousand runs.
CONFIDENCE = 0.999
Z = 3.2905


def wilson(hits, total, z=Z):
    """Return the score interval of a share (Wilson 1927)."""
    if total == 0:
        return 0.0, 1.0
    share, spread = hits / total, z * z / total
    middle = share + spread / 2
    half = z * math.sqrt(share * (1 - share) / total + spread / (4 * total))
    return (middle - half) / (1 + spread), (middle + half) / (1 + spread)


def overlap(one, other):
    return one[0] <= other[1] and other[0] <= one[1]


def shares_differ(hits_a, total_a, hits_b, total_b, z=Z):
    """Return whether two shares differ by more than chance (pooled two-proportion test)."""
    pooled = (hits_a + hits_b) / (total_a + total_b)
    error = math.sqrt(pooled * (1 - pooled) * (1 / total_a + 1 / total_b))
    return abs(hits_a / total_a - hits_b / total_b) > z * error


def chi_square(observed, expected_shares):
    total = sum(observed)
    return sum((hits - total * share) ** 2 / (total * share)
               for hits, share in zip(observed, expected_shares))


def chi_square_p(value, freedom):
    """Return P(chi-square >= value), the upper incomplete gamma function Q(freedom/2, value/2)."""
    a, x = freedom / 2, value / 2
    if x <= 0:
        return 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:  # series of the lower incomplete gamma function
        term = total = 1 / a
        n = a
        while term > total * 1e-15:
            n += 1
            term *= x / n
            total += term
        return 1 - total * scale
    b, c, d = x + 1 - a, 1e300, 1 / (x + 1 - a)  # Lentz's continued fraction
    fraction = d
    for i in range(1, 1000):
        step = -i * (i - a)
        b += 2
        d = 1 / (step * d + b)
        c = b + step / c
        fraction *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return fraction * scale
