"""The words of the lab: how to play, what is assumed, what it cannot tell, the explanation, the references."""

from __future__ import annotations

from servelab.labs.pages import Page, figure, formula, heading, listed, paragraph, reference

HOW_TO_PLAY = Page(
    "how-to-play",
    "how-to-play",
    "How to play",
    (
        paragraph(
            "A model was trained on 4,096 tokens and shall serve 32,768. Choose what is done to its positions, and see "
            "which of its angles are new, what becomes of neighbours, and what the longer cache costs."
        ),
        listed(
            "Start as the lab opens: nothing is done. 18 of 64 pairs turn to angles that no training ever showed.",
            "Take interpolation. Nothing is new any more, and neighbours are eight times nearer to each other.",
            "Take NTK-aware. Neighbours are as they were; count the pairs that still go a little beyond.",
            "Raise its factor until none does. What does that cost nearby?",
            "Take YaRN, and look at what each method does to the angles: it treats fast and slow pairs differently.",
            "Now the bill: another model, the cache in FP8, a longer target. Which of them does a token feel?",
        ),
        paragraph(
            "Green and red compare with the set-up before your last change. Marks of the methods are set-ups to try."
        ),
    ),
)

ASSUMES = Page(
    "assumes",
    "assumes",
    "What the model assumes",
    (
        listed(
            "Rotary positions as published: pair j of a head's dimensions turns by m × θ at position m.",
            (
                "In training every distance up to the trained length was seen, so a pair that goes round at least "
                "once has seen all angles, and a slower one those up to its largest."
            ),
            (
                "A method is applied with one factor, target / trained times the control, for all positions. Methods "
                "that change with the length of the present text are not here."
            ),
            (
                "Attention over distance is that of a query and a key that are alike and have the same weight in every "
                "pair: the mean of the cosines. Real heads prefer some pairs to others."
            ),
            (
                "Base, width and trained length are controls of their own; the model says what weights and cache "
                "weigh. No method changes bytes or times."
            ),
            "Bytes and times are the planner's: a prompt that fills the context but for its last 256 tokens.",
            "Prices per hour are round and illustrative.",
        ),
        formula("θ_j = b^(−2j/d)", "b: base", "d: width of a head", "j: pair, from 0 to d/2 − 1"),
    ),
)

CANNOT_TELL = Page(
    "cannot-tell",
    "cannot-tell",
    "What it cannot tell you",
    (
        listed(
            (
                "Whether your model can use the longer context. No model is evaluated here, and no perplexity: angles "
                "that were all seen are necessary, not enough. Test retrieval and your own tasks at that length."
            ),
            (
                "How much training a method needs. The papers fine-tune for some hundred to a thousand steps; without "
                "any, results are worse."
            ),
            (
                "Which pairs matter. An unseen angle in a pair that heads hardly use does little, and models differ "
                "in what they use."
            ),
            (
                "What implementations do beside the papers: some let YaRN's ramp rise over the number of the pair "
                "instead of its turns, or round where it begins and ends."
            ),
            (
                "What long contexts cost beyond one batch: prefix caches, chunked prefill, offloading, attention "
                "split over devices, sparse or sliding attention. The Studio and its traffic simulator know some of "
                "them."
            ),
        ),
    ),
)

EXPLANATION = Page(
    "explanation",
    "explanation",
    "Why a model cannot just read on",
    (
        heading("A position is a set of angles"),
        paragraph(
            "Rotary embeddings turn every pair of a query's and a key's dimensions by an angle that grows with the "
            "position, the first pair by one radian a token, each further one more slowly. A score then depends on the "
            "distance of the two alone. The slowest pair of a head of width 128 with base 10,000 goes round once in "
            "54,000 tokens."
        ),
        formula("score(m) = Σ (a_j cos(m θ_j) + b_j sin(m θ_j))", "m: distance", "a, b: from query and key"),
        paragraph(
            "In 4,096 tokens 46 of the 64 pairs go round at least once and have seen every angle. The other 18 have "
            "seen a part of the circle. At twice the length they turn on, to angles that no weight was ever fitted to."
        ),
        figure("pairs", "Nothing done: right of the crossing with one turn, the target is above training."),
        heading("Squeeze all: interpolation"),
        paragraph(
            "Divide every angle by the factor, and the longest distance turns exactly as far as the longest of "
            "training. Nothing is new. But the fast pairs, which tell neighbours apart, turn less too: at a factor of "
            "eight two neighbours are as near as an eighth of a token was."
        ),
        formula("θ′ = θ / s", "s: the factor, target / trained"),
        figure(
            "attention",
            "Interpolation moves the whole curve to the right: nearby, nothing is as it was.",
            {"method": "interpolation"},
        ),
        heading("Squeeze the slow more: a larger base"),
        paragraph(
            "Raising the base leaves the first pair as it is and divides the last by exactly the factor, those "
            "between by something between. Neighbours stay apart. But of the pairs that never went round only the "
            "last is slowed by the whole factor, so the others still go beyond, unless the base is raised further "
            "than it takes."
        ),
        formula("b′ = b × s^(d / (d − 2))", "so that the last pair, θ = b^(−(d − 2) / d), becomes θ / s"),
        figure("pairs", "NTK-aware: the lines nearly meet, and not quite.", {"method": "ntk-aware"}),
        figure(
            "pairs",
            "With a factor of 2.2 times what it takes, none goes beyond.",
            {"method": "ntk-aware", "headroom": 2.2},
        ),
        heading("Treat fast and slow differently: YaRN"),
        paragraph(
            "Only pairs that did not go round need squeezing, and only fast ones tell neighbours apart. YaRN "
            "interpolates the pairs with fewer turns than α, leaves those with more than β alone, and passes from one "
            "to the other in between. It also multiplies logits, which evens out that attention spreads over more "
            "tokens."
        ),
        formula(
            "θ′ = (1 − γ) θ / s + γ θ,   γ = (r − α) / (β − α) between 0 and 1",
            "r: turns within the trained length, L θ / 2π",
            "α = 1 and β = 32 in the paper; Llama 3.1 has the same ramp with 1 and 4, and leaves logits alone",
        ),
        figure("frequencies", "The four methods side by side: what each pair keeps of its angle."),
        figure("methods", "What is new far away, and what is different nearby."),
        heading("Scores fall with distance"),
        paragraph(
            "Cosines of many speeds cancel each other, the more the further apart two tokens are. The bound of the "
            "original paper falls with distance, and stretching stretches its fall: the past stays audible for longer."
        ),
        figure("bound", "How large a score can be, by distance, as trained and by YaRN.", {"method": "yarn"}),
        heading("The bill"),
        paragraph(
            "No method adds a byte. The context does: every token of it keeps its keys and values in every layer, and "
            "every step of every answer reads them all. Llama 2 7B keeps 524 kB a token, so a context of 32,768 takes "
            "17 GB, more than the weights, and a step takes more than twice as long as at 4,096. Models with fewer KV "
            "heads pay a quarter or an eighth of that."
        ),
        figure("cost", "Time per output token by context: weights first, then the cache."),
        figure("cost", "The same with eight KV heads instead of 32.", {"model": "llama-3.1-8b"}),
        figure("memory", "What is in memory at both lengths."),
    ),
)

REFERENCES = Page(
    "references",
    "references",
    "References",
    (
        reference(
            "Su et al. 2021, RoFormer: Enhanced Transformer with Rotary Position Embedding: the angles, and the "
            "bound that falls with distance.",
            "https://arxiv.org/abs/2104.09864",
        ),
        reference(
            "Chen et al. 2023, Extending Context Window of Large Language Models via Positional Interpolation.",
            "https://arxiv.org/abs/2306.15595",
        ),
        reference(
            "Peng et al. 2023, YaRN: Efficient Context Window Extension of Large Language Models: the ramp by turns, "
            "the scale of logits, and NTK-aware interpolation by bloc97 in formulas.",
            "https://arxiv.org/abs/2309.00071",
        ),
        reference(
            "Grattafiori et al. 2024, The Llama 3 Herd of Models: base 500,000, and training in steps up to 128k "
            "tokens.",
            "https://arxiv.org/abs/2407.21783",
        ),
        reference(
            "Ding et al. 2024, LongRoPE: factors searched pair by pair, another way beyond.",
            "https://arxiv.org/abs/2402.13753",
        ),
        reference(
            "Hsieh et al. 2024, RULER: What's the Real Context Size of Your Long-Context Language Models? Why seen "
            "angles are not enough.",
            "https://arxiv.org/abs/2404.06654",
        ),
    ),
)

PAGES = (HOW_TO_PLAY, ASSUMES, CANNOT_TELL, EXPLANATION, REFERENCES)
