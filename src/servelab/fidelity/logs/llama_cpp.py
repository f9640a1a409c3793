"""llama.cpp's start-up lines (llama-server, llama-cli and what is built on them), under old and new names."""

from __future__ import annotations

from types import MappingProxyType

from servelab.fidelity.logs.phrases import COUNT, NUMBER, Format, Phrase

_LLAMA = MappingProxyType({"engine": "llama.cpp"})
_OOM = MappingProxyType({"engine": "llama.cpp", "outcome": "oom", "failure": "out of memory"})
#: A buffer's device stands before it: it is the rank the figure belongs to.
_MODEL_BUFFER = (
    rf"[ ]{{1,40}}(?P<device>[\w.-]{{1,30}})(?: model)? buffer size = {{0,12}}(?P<weights_bytes>{NUMBER}) MiB"
)
_KV_BUFFER = rf"[ ]{{1,40}}(?P<device>[\w.-]{{1,30}}) KV buffer size = {{0,12}}(?P<kv_cache_bytes>{NUMBER}) MiB"
_COMPUTE_BUFFER = (
    rf"[ ]{{1,40}}(?P<device>[\w.-]{{1,30}}) compute buffer size = {{0,12}}(?P<activation_bytes>{NUMBER}) MiB"
)

LLAMA_CPP = Format(
    "llama.cpp",
    (
        Phrase("build: ", rf"(?P<version>{COUNT}) \([0-9a-f]{{4,40}}\)", says=_LLAMA, starts=True),
        Phrase(
            "using device ",
            rf"\w{{1,30}} \((?P<gpu>[^)\n]{{1,80}})\)(?: \([^)\n]{{0,80}}\))? - (?P<free_bytes>{COUNT}) MiB free",
            unit="MiB",
            says=_LLAMA,
        ),
        Phrase("general.name", r"[ ]{0,40}(?:str[ ]{0,40})?= (?P<model>[^\n]{1,120})", says=_LLAMA),
        Phrase("file type", r"[ ]{0,20}= (?P<quantization>[^\n]{1,60})", says=_LLAMA),
        Phrase("model ftype", r"[ ]{0,20}= (?P<quantization>[^\n]{1,60})", says=_LLAMA),
        Phrase("file size", rf"[ ]{{0,20}}= (?P<file_bytes>{NUMBER}) GiB", says=_LLAMA),
        Phrase("n_ctx ", rf"[ ]{{0,30}}= (?P<max_model_len>{COUNT})"),
        Phrase("n_seq_max ", rf"[ ]{{0,30}}= (?P<max_num_seqs>{COUNT})"),
        Phrase("n_ubatch ", rf"[ ]{{0,30}}= (?P<max_num_batched_tokens>{COUNT})"),
        Phrase("offloaded ", rf"(?P<offloaded_layers>{COUNT})/(?P<offload_layers>{COUNT}) layers to GPU", says=_LLAMA),
        Phrase("load_tensors:", _MODEL_BUFFER, unit="MiB", says=_LLAMA),
        Phrase("llama_kv_cache", rf"\w{{0,30}}:{_KV_BUFFER}", unit="MiB", says=_LLAMA),
        Phrase("llama_kv_cache", rf"\w{{0,30}}: size = {{0,12}}{NUMBER} MiB \( {{0,12}}(?P<kv_tokens>{COUNT}) cells"),
        Phrase("llama_kv_cache", r"[^\n]{0,120}K \((?P<kv_cache_dtype>\w{2,8})\)"),
        Phrase("KV self size", r"[^\n]{0,40}K \((?P<kv_cache_dtype>\w{2,8})\)", says=_LLAMA),
        Phrase("llama_context:", _COMPUTE_BUFFER, unit="MiB", says=_LLAMA),
        Phrase("llama_new_context_with_model:", _COMPUTE_BUFFER, unit="MiB", says=_LLAMA),
        Phrase("llama_init_from_model:", _COMPUTE_BUFFER, unit="MiB", says=_LLAMA),
        Phrase("sched_reserve:", _COMPUTE_BUFFER, unit="MiB", says=_LLAMA),
        Phrase("cudaMalloc failed: out of memory", says=_OOM),
        Phrase("unable to allocate ", r"\w{1,30} buffer", says=_OOM),
        Phrase("failed to allocate compute buffers", says=_OOM),
    ),
    adds_up=True,
)
