"""The words of the lab: how to play, what is assumed, what it cannot tell, the explanation, the references."""

from __future__ import annotations

from servelab.labs.pages import Page, figure, formula, heading, listed, paragraph, reference

HOW_TO_PLAY = Page(
    "how-to-play",
    "how-to-play",
    "How to play",
    (
        paragraph(
            "You deploy a model of the catalogue: choose cards, formats and scheduler, and two minutes of traffic "
            "come. The same requests come again after every change."
        ),
        listed(
            "Start as the lab opens and look at what a pass of decodes waits for.",
            "Shrink the weights, and see which of the curves moves, and which does not.",
            "Let every eighth prompt be long, and look at the gaps between tokens under each kind of batching.",
            "Take the 70B model and find the cheapest cards that hold it.",
            "Then play the missions: each is a deployment that went wrong.",
        ),
    ),
)

ASSUMES = Page(
    "assumes",
    "assumes",
    "What the model assumes",
    (
        listed(
            (
                "The studio's own model at its defaults: half of the datasheet's arithmetic, 80 % of its bandwidth, "
                "2 GB of reserve a card, a workspace of eight buffers, 0.1 ms a pass, links at 75 % of their rate "
                "one way."
            ),
            "Prompts and answers as in the lab of shared heads: Poisson arrivals for 120 s, three streams of one seed.",
            (
                "Paged memory in blocks of 16 tokens with preemption, and at most 8,192 tokens in a pass; under "
                "continuous batching a longer prompt is read alone, in one pass."
            ),
            (
                "A format of the weights changes what is stored and read. FP8 weights are also multiplied in FP8, on "
                "cards that have a rate for it; INT4 is multiplied in BF16."
            ),
            "Prices per hour are round and illustrative.",
            (
                "Calibrated step times keep the form and take the constants from measurements of vLLM on the card, or "
                "on the nearest one that was measured: shares of the datasheet, and what a pass, a layer, a request "
                "and an exchange take beside them. The memory is the textbook's either way."
            ),
        ),
        formula(
            "pass = max(2 P T / F, (W + 4 L T h) / B) + max(4 L width A / F, κ (K + T) / B) + exchange + 0.1 ms",
            "T: tokens of the pass; A and K: pairs and cached tokens that attention sees",
            "F and B: effective arithmetic and bandwidth of all cards",
            "W: bytes of the weights; κ: bytes of KV cache a token",
        ),
    ),
)

CANNOT_TELL = Page(
    "cannot-tell",
    "cannot-tell",
    "What it cannot tell you",
    (
        listed(
            (
                "What fewer bits do to answers. Bits kept are shown because they are known; what they are worth, "
                "only an evaluation of the checkpoint tells."
            ),
            (
                "What kernels reach. INT4 kernels spend time on widening weights, at large batches enough to be "
                "slower than BF16; the textbook has no such measurements, and calibrated step times few."
            ),
            (
                "Which card is better by a little, where step times are calibrated: cards were measured with different "
                "generations of vLLM, and some in a dozen runs."
            ),
            "How well a small card's cooling, host and PCIe slots do. Cards without NVLink are linked at PCIe's rate.",
            "Anything of prefix caching, speculative decoding or several replicas.",
        ),
        paragraph("For your own model, card and traffic there are the Studio and its page for traffic."),
    ),
)

#: Traffic under which many run at once, so that the chart of a pass shows all that its captions tell.
_CROWDED = {"requests_per_s": 8.0, "prompt_tokens": 512, "output_tokens": 512}

EXPLANATION = Page(
    "explanation",
    "explanation",
    "Three things to wait for",
    (
        heading("A pass reads all weights, for however many"),
        paragraph(
            "To write a token for one request or for fifty, a pass reads all weights once. So smaller weights make "
            "small batches faster, and large batches share what is left."
        ),
        figure(
            "pass",
            "BF16: up to a few hundred decodes, reading the weights takes longer than the arithmetic.",
            _CROWDED,
        ),
        figure(
            "pass",
            "INT4: the curve of the weights sinks, and arithmetic crosses it much earlier.",
            {**_CROWDED, "weights": "int4"},
        ),
        figure("pass", "FP8 on a card that multiplies in it: both sink.", {**_CROWDED, "weights": "fp8"}),
        heading("The cache comes on top"),
        paragraph(
            "Every request reads its own cache, which nobody shares. At large batches and long contexts that is most "
            "of a pass, and only fewer bytes a value help, or fewer requests at once."
        ),
        figure("pass", "The cache in FP8: its line is half as steep.", {**_CROWDED, "kv_cache": "fp8"}),
        heading("Prompts are arithmetic"),
        paragraph(
            "A prompt of a thousand tokens computes as much as a thousand decodes in one pass. It needs hardly any "
            "memory traffic, so that neither bandwidth nor smaller weights help: only more arithmetic a second, or "
            "patience. Chunks decide who is patient: those who read, or the newcomer."
        ),
        figure("queue", "Two requests a second, every eighth prompt long.", {"requests_per_s": 2.0}, ["long-prompts"]),
        heading("And all else"),
        paragraph(
            "The faster the card, the more of a pass is neither arithmetic nor memory: the host that prepares it, the "
            "sampler, and what cards exchange. The textbook allows a tenth of a millisecond for the host. Measured, it "
            "takes milliseconds, and more with every request."
        ),
        figure(
            "pass",
            "As vLLM was measured on the H100: all else takes half as long as reading the weights for one request, and "
            "longer for more than a hundred.",
            {"card": "h100-sxm-80gb", "step_times": "calibrated", "requests_per_s": 15.0},
        ),
        heading("Room is concurrency"),
        paragraph("What weights leave is the cache, and what does not fit waits, however idle the arithmetic is."),
        figure("capacity", "What each format of the weights leaves on this card."),
    ),
)

REFERENCES = Page(
    "references",
    "references",
    "References",
    (
        reference(
            "Williams, Waterman, Patterson 2009, Roofline: a pass is bound by arithmetic or by memory.",
            "https://doi.org/10.1145/1498765.1498785",
        ),
        reference(
            "Yu et al. 2022, Orca: batching by iteration, so that requests join and leave at every pass.",
            "https://www.usenix.org/conference/osdi22/presentation/yu",
        ),
        reference(
            "Agrawal et al. 2024, Sarathi-Serve: prompts in chunks beside decodes, without stalls.",
            "https://arxiv.org/abs/2403.02310",
        ),
        reference(
            "Kwon et al. 2023, PagedAttention: a cache in blocks, and preemption.",
            "https://arxiv.org/abs/2309.06180",
        ),
        reference(
            "Lin et al. 2023, AWQ: weights in four bits, computed in sixteen.",
            "https://arxiv.org/abs/2306.00978",
        ),
        reference(
            "Micikevicius et al. 2022, FP8 Formats for Deep Learning: values in eight bits, multiplied so.",
            "https://arxiv.org/abs/2209.05433",
        ),
    ),
)

PAGES = (HOW_TO_PLAY, ASSUMES, CANNOT_TELL, EXPLANATION, REFERENCES)
