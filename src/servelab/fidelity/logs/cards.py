"""Lines that name the card or its memory, whichever program wrote them."""

from __future__ import annotations

from servelab.fidelity.logs.phrases import COUNT, Format, Phrase

_CARD = r"[^|,\n(]{1,80}"

CARDS = Format(
    "",
    (
        Phrase("Device 0: ", rf"(?P<gpu>{_CARD}), compute capability"),
        Phrase("GPU 0: ", rf"(?P<gpu>{_CARD})"),
        Phrase("device_name=", r"(?P<gpu>[\w-]{2,80})"),
        Phrase("GPU models and configuration: ", rf"(?:GPU 0: )?(?P<gpu>{_CARD})"),
        # a pasted nvidia-smi table
        Phrase("|   0  NVIDIA", rf"(?P<gpu> {_CARD}?)(?:  |\s\|)"),
        Phrase("MiB /", rf"[ ]{{0,6}}(?P<device_bytes>{COUNT})MiB", unit="MiB"),
    ),
)
