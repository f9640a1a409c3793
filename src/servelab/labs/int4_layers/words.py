"""The words of the lab: how to play, what is assumed, what it cannot tell, the explanation, the references."""

from __future__ import annotations

from servelab.labs.pages import Page, figure, formula, heading, listed, paragraph, reference

HOW_TO_PLAY = Page(
    "how-to-play",
    "how-to-play",
    "How to play",
    (
        paragraph(
            "Seven weight matrices of one decoder block are rounded to a few bits, and the same tokens go through them "
            "before and after. Change one thing, and the very same matrices are rounded again."
        ),
        listed(
            "Start as the lab opens: 4 bits, one scale an output channel. `down` is broken, `o` is nearly fine.",
            "Look at the grid of the worst layer. Hardly any of its steps are where the weights are.",
            "Make groups smaller, 128 and then 32. The error falls, and scales begin to cost bits.",
            "Go back, and let the activations decide instead: activation-aware scaling costs no bits at all.",
            "Take the outliers away, one kind at a time. Which kind is it that breaks a layer?",
            "Raise the batch until the card is full. What do the bits still buy, and what no longer?",
        ),
        paragraph(
            "Green and red compare with the set-up before your last change. Bars and marks of charts are set-ups to "
            "try."
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
                "Made matrices with 512 inputs and 12 outputs, their weights normal. Activations are normal too; how "
                "large they usually are differs from channel to channel (log-normally, σ = 0.4)."
            ),
            (
                "Two kinds of outlier channels: with large activations, and with large weights. They are different "
                "channels, drawn once a layer, so that a larger share only adds some."
            ),
            (
                "Of the set strength, `q` and `k` have half, `v` 0.3, `o` 0.2, `gate` and `up` 0.6 and `down` twice as "
                "much: factors are 1 + (strength − 1) × that. These shares are made up; that layers differ, and that "
                "what goes into `down` is the most extreme, is what the literature reports."
            ),
            (
                "Rounding is to the nearest value of a grid that spans its group exactly, without clipping. A group is "
                "a run of neighbouring inputs of one output."
            ),
            (
                "Scales of activation-aware rounding are chosen on 32 tokens, and every error is measured on 32 "
                "others. They are folded into the layer before, and take no bits."
            ),
            (
                "Bytes and times are the planner's for the model you choose: all its blocks in these bits, embeddings "
                "and output head in bf16, 1,024 tokens in and 256 out, bf16 arithmetic."
            ),
            "Prices per hour are round and illustrative.",
        ),
        formula(
            "Δ = max|w| / (2^(b−1) − 1)   or   (max(w, 0) − min(w, 0)) / (2^b − 1) with a zero point",
            "Δ: the step of a grid, from the weights that share it",
            "b: bits of a weight",
        ),
        formula(
            "bits per weight = b + (scale + zero point) / weights that share them",
            "zero point: b bits, none on a symmetric grid",
            "8-bit scales need one float32 a matrix besides",
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
                "How good your quantised model will be. No model is evaluated: an error of 10 % in one layer's output "
                "may be harmless, or not. Evaluate the checkpoint on your own tasks."
            ),
            (
                "Which layers of your model break. Where outliers sit, and how strong they are, differs between model "
                "families; here their strength is a control."
            ),
            (
                "What better rounding does. GPTQ rounds a weight so that later ones make good for it, AWQ also clips, "
                "rotations spread outliers over all channels: each lowers the error further."
            ),
            (
                "What wide matrices do. Real ones have thousands of inputs and outputs; one scale for so many is worse "
                "than for the 6,144 weights of these."
            ),
            (
                "What a kernel reaches. Unpacking 4 bits takes arithmetic of its own. At large batches weight-only "
                "kernels may be slower than bf16; the planner only counts bytes and FLOP, and shows where they stop "
                "helping."
            ),
            "What rounding activations or the KV cache costs: here both stay in bf16.",
        ),
    ),
)

EXPLANATION = Page(
    "explanation",
    "explanation",
    "Why some layers break",
    (
        heading("A grid is as wide as its largest weight"),
        paragraph(
            "Four bits are sixteen values. Weights that share a scale share these values, spread evenly from the "
            "smallest to the largest of them. A weight goes to the nearest, so it is off by half a step at most, and "
            "by Δ²/12 in mean square where weights spread evenly over the steps."
        ),
        formula(
            "mean (w − ŵ)² = Δ² / 12",
            "Δ: the step; the mean square of a number that is uniform between −Δ/2 and Δ/2",
        ),
        paragraph(
            "If one weight in a group is sixteen times as large as the others, the grid has to reach it, and the "
            "steps are sixteen times as wide. The others then lie within one step of zero, and most become zero: "
            "nothing is rounded finely but the outlier. The error is no longer Δ²/12, it is the weights themselves."
        ),
        figure("weights", "One scale an output channel: outliers have stretched the grid, and few steps are of use."),
        figure(
            "weights",
            "Groups of 32: most groups hold no outlier, and have all their steps.",
            {"granularity": "group-32"},
        ),
        heading("Some layers, not all"),
        paragraph(
            "Layers differ in how strong their outliers are. What enters `down` is the product of two branches, and "
            "is known for the most extreme values of a block; what enters `o` is an average of values, and is mild. "
            "So the same four bits leave one layer nearly as it was and break the next, and an average over layers "
            "hides it."
        ),
        figure("layers", "The same rounding, seven layers.", {}),
        heading("Smaller groups confine an outlier"),
        paragraph(
            "A group that holds no outlier has the steps it would have without any. Halving the groups halves how "
            "many weights an outlier can spoil, and doubles what scales and zero points take: at 32 weights a group, "
            "a 16-bit scale alone is half a bit a weight."
        ),
        figure("granularity", "Error against the number of weights that share a scale."),
        figure("granularity", "Without outlying weights, one scale does nearly as well.", {"weight_strength": 1.0}),
        heading("Activations say which channels matter"),
        paragraph(
            "What is off in a weight is multiplied by the activation that meets it. A channel whose activations are "
            "twenty times as large makes its errors twenty times as large. Scaling its weights up before rounding and "
            "down again afterwards gives them a finer grid, as long as they do not become the largest of their group, "
            "and the others a slightly coarser one."
        ),
        formula(
            "Ŵ = Q(W · diag(s)) · diag(s)⁻¹,   s = mean|x|^α",
            "Q: rounding",
            "s: the scale of an input channel, from the size of its activations",
            "α: from 0 to 1 in steps of 0.1, the one with the least error of the output on tokens for calibration",
        ),
        paragraph(
            "The channel that is scaled most in its group never gets a wider step than before: the largest weight of "
            "the group grows by s at most, and the step is divided by s again. Error moves from the channels that "
            "matter to those that do not: the error of the weights **rises** while that of the output falls."
        ),
        figure(
            "channels",
            "Activation-aware: errors of the loud channels, at the left, are a fifth of what they were.",
            {"scaling": "activation-aware"},
        ),
        heading("Or leave a layer alone"),
        paragraph(
            "Keeping a broken layer in bf16 cures it at once, at 16 bits a weight. `down` is more than a quarter of a "
            "block, so keeping it costs three bits a weight on average. Formats that mix precisions choose which "
            "layers deserve more."
        ),
        figure("frontier", "All of it on one chart: what an error of so much takes in bits."),
        heading("What the bits buy"),
        paragraph(
            "A decode step reads every weight once, whatever the batch. With few requests that is nearly all it does: "
            "with embeddings and head left as they are, 4 bits leave a third of the bytes, and little more than a "
            "third of the time. With many requests, reading their KV caches and the arithmetic itself take over, and "
            "fewer bits buy memory but no speed: more requests fit, and each of them is slower."
        ),
        figure("batches", "Time per output token by batch, on a card where bf16 fits.", {"card": "h100-sxm-80gb"}),
    ),
)

REFERENCES = Page(
    "references",
    "references",
    "References",
    (
        reference(
            "Lin et al. 2023, AWQ: Activation-aware Weight Quantization: scaling by activations, search of the "
            "exponent.",
            "https://arxiv.org/abs/2306.00978",
        ),
        reference(
            "Dettmers et al. 2022, LLM.int8(): 8-bit Matrix Multiplication for Transformers at Scale: outlier "
            "channels, and that a few of them carry what matters.",
            "https://arxiv.org/abs/2208.07339",
        ),
        reference(
            "Sun et al. 2024, Massive Activations in Large Language Models: the most extreme activations, and where "
            "they are.",
            "https://arxiv.org/abs/2402.17762",
        ),
        reference(
            "Xiao et al. 2022, SmoothQuant: moving difficulty between activations and weights by channel scales.",
            "https://arxiv.org/abs/2211.10438",
        ),
        reference(
            "Frantar et al. 2022, GPTQ: rounding one weight after another, each making good for those before; groups "
            "of 128.",
            "https://arxiv.org/abs/2210.17323",
        ),
        reference(
            "Heo et al. 2023, Rethinking Channel Dimensions to Isolate Outliers for Low-bit Weight Quantization: "
            "groups along inputs or outputs.",
            "https://arxiv.org/abs/2309.15531",
        ),
        reference(
            "Ashkboos et al. 2024, QuaRot: Outlier-Free 4-Bit Inference in Rotated LLMs: rotations that spread "
            "outliers.",
            "https://arxiv.org/abs/2404.00456",
        ),
        reference(
            "Bennett 1948, Spectra of Quantized Signals: where the noise Δ²/12 is from.",
            "https://doi.org/10.1002/j.1538-7305.1948.tb01340.x",
        ),
    ),
)

PAGES = (HOW_TO_PLAY, ASSUMES, CANNOT_TELL, EXPLANATION, REFERENCES)
