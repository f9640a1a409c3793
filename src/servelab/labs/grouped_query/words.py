"""The words of the lab: how to play, what is assumed, what it cannot tell, the explanation, the references."""

from __future__ import annotations

from servelab.labs.pages import Page, figure, formula, heading, listed, paragraph, reference

HOW_TO_PLAY = Page(
    "how-to-play",
    "how-to-play",
    "How to play",
    (
        paragraph(
            "You run one card that serves an 8-billion-parameter model. For two minutes requests arrive; all that "
            "came are then served to the end. Change one thing, and the very same requests are served again."
        ),
        listed(
            (
                "Start as the lab opens: 32 KV heads, one for each query head. The cache is full and requests queue "
                "for a minute."
            ),
            "Share: 16 KV heads, then 8. Watch the queue melt, and what quality says.",
            "Look at the figure that turned red. More requests at once make every pass longer: that is what you paid.",
            "Now try the other way to halve the cache, FP8, and compare what each costs in quality.",
            (
                "Let something happen: a burst, a day of long documents, four gigabytes less. How few KV heads does it "
                "take to stay calm?"
            ),
        ),
        paragraph(
            "Green and red compare with the set-up before your last change. A figure that nothing makes better or "
            "worse, such as how full the cache is, has no colour."
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
                "A model of 8 billion parameters, 16 GB of weights, 32 layers, 32 query heads of width 128. Only the "
                "number of KV heads changes; the weights stay as heavy."
            ),
            (
                "The engine takes 90 % of the card's memory. Of that, weights and 1.5 GB of everything else are gone; "
                "the rest is cache, in blocks of 16 tokens."
            ),
            (
                "Requests arrive at random (Poisson) for 120 s. Prompts are anything from half to one and a half of "
                "their mean, answers are exponential with a mean of 256 tokens. Arrivals, prompts and answers are "
                "three streams of one seed, and no setting changes another's draws."
            ),
            (
                "The scheduler mixes decodes with up to 512 tokens of prefill in a pass, admits first come first "
                "served, grows answers block by block, and preempts the newest request when blocks run out. Nothing "
                "limits how many run."
            ),
            (
                "A pass takes 1.5 ms, plus reading all weights and the cache of every running request at the "
                "datasheet's bandwidth, plus computing the prompts at 60 % of the datasheet's FP16 rate. Nothing "
                "overlaps."
            ),
            "Prices per hour are round and illustrative.",
        ),
        formula(
            "pass = 1.5 ms + (W + κ (S + Σ s)) / bandwidth + 2 P Σ c / (0.6 × FLOP/s)",
            "W: bytes of the weights, P: parameters",
            "κ: bytes of KV cache a token",
            "S: tokens that the decodes see, all requests together",
            "c and s: tokens of a prefill chunk, and those of its prompt that are already cached",
        ),
        formula(
            "κ = 2 × 32 layers × KV heads × 128 × bytes per value",
            "2: keys and values",
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
                "How good your model will be. Quality depends on architecture, data and training. Here it is one curve "
                "through three published points of one model, on heads that are made up; no model is evaluated."
            ),
            (
                "What kernels reach. Attention kernels, quantised or not, have efficiencies of their own, and FP8 "
                "attention may be faster or slower than its bytes say."
            ),
            (
                "What attention computes. Its arithmetic is not counted, only the bytes it reads; over very long "
                "contexts it matters."
            ),
            (
                "What several cards do. There is no tensor parallelism here, and with it KV heads may have to be "
                "replicated."
            ),
            "What prefix caching saves, where prompts begin alike.",
            "What the CPU does between passes, beyond a fixed 1.5 ms: scheduling, tokenisation, the network.",
        ),
        paragraph(
            "For your own model, card and traffic, take the Studio and its traffic simulator; for quality, an "
            "evaluation of the checkpoint itself."
        ),
    ),
)

EXPLANATION = Page(
    "explanation",
    "explanation",
    "Why sharing KV heads pays",
    (
        heading("Every running request keeps its past"),
        paragraph(
            "To write a token, attention looks at all tokens before it. Their keys and values are kept so that "
            "they need not be computed again: that is the KV cache. With 32 KV heads in bf16 this model keeps "
            "524,288 bytes for every token of every running request; a conversation of 2,000 tokens is a gigabyte."
        ),
        paragraph(
            "Query heads may share. When four query heads look at one head of keys and values, the cache is a "
            "quarter. With one KV head for all it is a 32nd: **multi-query attention**. Between the two lies "
            "**grouped-query attention**."
        ),
        figure(
            "capacity",
            "The same card and the same weights: every halving of the KV heads doubles what the cache holds.",
        ),
        heading("Room is concurrency"),
        paragraph(
            "The weights are read once in every pass, whether one request runs or forty. So requests that run "
            "together share that cost, and what limits how many can is room in the cache. When the cache is full, "
            "the next request waits, however idle the arithmetic is."
        ),
        figure("cache", "32 KV heads: the cache is full almost from the start.", {"kv_heads": 32}),
        figure("queue", "So requests queue, and the queue outlives the arrivals.", {"kv_heads": 32}),
        figure("queue", "The same requests with 8 KV heads: nobody waits for room.", {"kv_heads": 8}),
        heading("Why a better choice can turn a figure red"),
        paragraph(
            "With more requests at once, a pass has more cache to read and more prompts to prefill, and every "
            "running request waits for the whole pass. So the time per output token can rise while everything else "
            "gets better: answers begin a minute sooner and appear a little more slowly. Once nobody waits for "
            "room, sharing still further makes passes shorter again, since there is less to read."
        ),
        heading("What it costs"),
        paragraph(
            "A checkpoint with 32 KV heads can be converted: the heads of a group are averaged, and some more "
            "training lets the model get used to it. Heads that are alike lose little; all heads in one lose much. "
            "The probe puts made heads through real attention and measures how far the output moves."
        ),
        figure("quality", "Converted, with 5 % of the pretraining spent on getting used to it."),
        figure("quality", "Converted and used as it is.", {"uptraining_fraction": 0.0}),
        figure(
            "quality", "Trained with these heads from the start: there is nothing to convert.", {"origin": "trained"}
        ),
        formula(
            "quality = max(0, 100 (1 − (e / e₀)^γ))",
            "e: relative error of attention's output that is left",
            "e₀ and γ: such that 0 and 100 are the published ends",
        ),
        formula(
            "e² = ((1 − r) e_pool)² + e_round²,   r = 0.9 (1 − exp(−budget / τ))",
            "e_pool, e_round: errors of pooling alone and of rounding alone",
            "r: share of the pooling error that training wins back",
        ),
        paragraph(
            "The scale comes from one published experiment with T5: 100 is T5-XXL with all its heads, 0 is "
            "T5-Large. Eight groups after 5 % of the pretraining are at 91.7, one group at 50, and one group "
            "without any training is taken as 0. Most models of today are trained with grouped heads from the "
            "start, and pay no such price."
        ),
        figure(
            "heads", "One KV head, untrained: the error is everywhere.", {"kv_heads": 1, "uptraining_fraction": 0.0}
        ),
        figure("heads", "Eight KV heads with 5 % of training.", {"kv_heads": 8}),
        heading("FP8 is the other half"),
        paragraph(
            "Keeping every value in one byte halves the cache exactly. Rounding moves the output of attention by "
            "about 3 %, whatever the number of heads, and no retraining is needed. The two savings multiply."
        ),
        figure("capacity", "The same with an FP8 cache.", {"kv_cache": "fp8"}),
        heading("When it does not pay"),
        paragraph(
            "With little traffic the cache never fills, and sharing changes next to nothing: try a large card at 1 "
            "request/s. Once memory is no longer what limits, fewer heads only cost quality."
        ),
    ),
)

REFERENCES = Page(
    "references",
    "references",
    "References",
    (
        reference(
            "Vaswani et al. 2017, Attention Is All You Need: attention with many heads.",
            "https://arxiv.org/abs/1706.03762",
        ),
        reference(
            (
                "Shazeer 2019, Fast Transformer Decoding: One Write-Head is All You Need: one KV head for all, and why "
                "decoding waits for memory."
            ),
            "https://arxiv.org/abs/1911.02150",
        ),
        reference(
            (
                "Ainslie et al. 2023, GQA: Training Generalized Multi-Query Transformer Models from Multi-Head "
                "Checkpoints: groups, conversion by averaging, uptraining, and the T5 points of the scale."
            ),
            "https://arxiv.org/abs/2305.13245",
        ),
        reference(
            (
                "Kwon et al. 2023, Efficient Memory Management for Large Language Model Serving with PagedAttention: a "
                "cache in blocks, and preemption."
            ),
            "https://arxiv.org/abs/2309.06180",
        ),
        reference(
            "vLLM, Engine Arguments: the share of memory an engine takes, formats of the cache, tokens in a pass.",
            "https://docs.vllm.ai/en/latest/configuration/engine_args.html",
        ),
        reference(
            "DeepSeek-AI 2024, DeepSeek-V2: latent attention, another way to a small cache.",
            "https://arxiv.org/abs/2405.04434",
        ),
    ),
)

PAGES = (HOW_TO_PLAY, ASSUMES, CANNOT_TELL, EXPLANATION, REFERENCES)
