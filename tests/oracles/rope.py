"""Rotary positions and their extensions written out pair by pair, each from its paper's own formula."""

from __future__ import annotations

import cmath
import math


def angles(width, base):
    """θ_i = base^(−2(i−1)/d), i = 1 … d/2: section 3.2.2 of arXiv 2104.09864."""
    return [base ** (-2 * (i - 1) / width) for i in range(1, width // 2 + 1)]


def interpolated(width, base, factor):
    """f′(x, m) = f(x, m L / L′): equation 4 of arXiv 2306.15595, as the angle of one position."""
    return [theta * (1 / factor) for theta in angles(width, base)]


def ntk_aware(width, base, factor):
    """b′ = b · s^(|D| / (|D| − 2)): definition 1 of arXiv 2309.00071."""
    larger = base * math.exp(math.log(factor) * width / (width - 2))
    return angles(width, larger)


def yarn(width, base, trained, factor, alpha, beta):
    """h(θ_d) = (1 − γ(r(d))) θ_d / s + γ(r(d)) θ_d, r(d) = L θ_d / 2π: definitions 2, 3 of 2309.00071."""
    found = []
    for theta in angles(width, base):
        wavelength = 2 * math.pi / theta
        ratio = trained / wavelength
        if ratio < alpha:
            gamma = 0.0
        elif ratio > beta:
            gamma = 1.0
        else:
            gamma = (ratio - alpha) / (beta - alpha)
        found.append((1 - gamma) * theta / factor + gamma * theta)
    return found


def llama_3(width, base, trained, factor, low, high):
    """The scaling of Llama 3.1's reference code, by wavelengths."""
    found = []
    for theta in angles(width, base):
        wavelength = 2 * math.pi / theta
        if wavelength < trained / high:
            found.append(theta)
        elif wavelength > trained / low:
            found.append(theta / factor)
        else:
            smooth = (trained / wavelength - low) / (high - low)
            found.append((1 - smooth) * theta / factor + smooth * theta)
    return found


def rotated(vector, theta, position):
    """A vector turned pair by pair at a position."""
    turned = []
    for index, angle in enumerate(theta):
        x, y = vector[2 * index : 2 * index + 2]
        cos, sin = math.cos(position * angle), math.sin(position * angle)
        turned += [x * cos - y * sin, x * sin + y * cos]
    return turned


def dot(one, other):
    return sum(a * b for a, b in zip(one, other, strict=True))


def bound(theta, distance):
    """(2/d) Σ_{i=1}^{d/2} |S_i|, S_i = Σ_{j=0}^{i−1} e^{i m θ_j}: section 3.4.3 of 2104.09864."""
    total, partial = 0.0, 0j
    for angle in theta:
        partial += cmath.exp(1j * distance * angle)
        total += abs(partial)
    return total / len(theta)


def seen_angles(theta, tokens):
    """Which arcs of the circle, in steps of a thousandth, a pair passes over up to so many tokens."""
    return {int(1000 * (place / 4000)) % 1000 for place in range(int(4000 * min(tokens * theta / (2 * math.pi), 1)))}
