"""Draw `quality-scale.svg`: quality against uptraining, by KV heads, and the points it was solved from.

Run it after a change of the probe, from anywhere: `.venv/bin/python docs/plots/quality_scale.py`.
"""

from __future__ import annotations

from pathlib import Path

from servelab.probe.quality import BUDGET, GQA_8_XXL, MHA_XXL, MQA_XXL, T5_LARGE, Conversion, quality

TARGET = Path(__file__).with_name("quality-scale.svg")
SEEDS = range(20)

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 64, 150, 24, 56
MOST = 0.10
STEPS = 50

#: Colours that the colour-blind tell apart (Okabe and Ito), from many heads to one.
COLOURS = {16: "#0072b2", 8: "#009e73", 4: "#b88600", 2: "#d55e00", 1: "#a3527f"}


def at(budget: float, points: float) -> tuple[float, float]:
    """A point of the chart in pixels."""
    x = LEFT + budget / MOST * (WIDTH - LEFT - RIGHT)
    return x, HEIGHT - BOTTOM - points / 100 * (HEIGHT - TOP - BOTTOM)


def path(points: list[tuple[float, float]]) -> str:
    return "M" + " L".join(f"{x:.1f},{y:.1f}" for x, y in points)


def curves() -> list[str]:
    """For every number of heads the spread over the seeds, the curve of the default seed, and a label."""
    budgets = [MOST * step / STEPS for step in range(STEPS + 1)]
    drawn = []
    label_y = 0.0
    for heads, colour in COLOURS.items():
        seen = [[quality(Conversion(heads, "bf16", budget), seed) for seed in SEEDS] for budget in budgets]
        outline = [at(b, min(q)) for b, q in zip(budgets, seen, strict=True)]
        outline += [at(b, max(q)) for b, q in zip(reversed(budgets), reversed(seen), strict=True)]
        line = [at(b, q[0]) for b, q in zip(budgets, seen, strict=True)]
        x, label_y = line[-1][0], max(line[-1][1], label_y + 15)  # labels keep apart
        name = f"{heads} KV head{'s' if heads > 1 else ''}"
        drawn.append(f'<path d="{path(outline)}Z" fill="{colour}" fill-opacity="0.18"/>')
        drawn.append(f'<path d="{path(line)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        drawn.append(f'<text x="{x + 8:.1f}" y="{label_y + 4:.1f}" fill="{colour}">{name}</text>')
    return drawn


def published() -> list[str]:
    """The three points of T5-XXL, as rings."""
    marks = [(BUDGET, GQA_8_XXL, "GQA-8, 47.1"), (BUDGET, MQA_XXL, "MQA, 46.6"), (0.0, T5_LARGE, "")]
    drawn = []
    for budget, score, name in marks:
        x, y = at(budget, 100 * (score - T5_LARGE) / (MHA_XXL - T5_LARGE))
        drawn.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="#fff" stroke="#10141c" stroke-width="2"/>')
        drawn.append(f'<text x="{x + 10:.1f}" y="{y + 16:.1f}" fill="#10141c">{name}</text>')
    return drawn


def axes() -> list[str]:
    drawn = []
    for points in range(0, 101, 25):
        (x1, y), (x2, _) = at(0, points), at(MOST, points)
        drawn.append(f'<path d="M{x1:.1f},{y:.1f} H{x2:.1f}" stroke="#dce0e8"/>')
        drawn.append(f'<text x="{x1 - 10:.1f}" y="{y + 4:.1f}" text-anchor="end" fill="#454e5f">{points}</text>')
    for percent in range(0, 11, 2):
        x, y = at(percent / 100, 0)
        drawn.append(f'<text x="{x:.1f}" y="{y + 20:.1f}" text-anchor="middle" fill="#454e5f">{percent} %</text>')
    middle, below = at(MOST / 2, 0)
    title = "training after the conversion, share of pretraining"
    drawn.append(f'<text x="{middle:.1f}" y="{below + 44:.1f}" text-anchor="middle" fill="#10141c">{title}</text>')
    turned = f"rotate(-90 20 {HEIGHT / 2:.0f})"
    drawn.append(
        f'<text x="20" y="{HEIGHT / 2:.0f}" text-anchor="middle" transform="{turned}" fill="#10141c">quality</text>'
    )
    return drawn


def drawing() -> str:
    """The whole file."""
    frame = f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="system-ui, sans-serif" font-size="13"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {frame} role="img">',
        "<title>Quality against training after the conversion, by KV heads</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        *axes(),
        *curves(),
        *published(),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    TARGET.write_text(drawing(), encoding="utf-8")
