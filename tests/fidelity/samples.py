"""Start-up logs of our own making, in the words of each engine's version; figures of an 8B model unless said."""

from __future__ import annotations

import json

V0_2 = """\
INFO 02-03 08:00:01 llm_engine.py:73] Initializing an LLM engine with config: model='mistralai/Mistral-7B-v0.1', \
tokenizer='mistralai/Mistral-7B-v0.1', dtype=torch.bfloat16, max_seq_len=32768, tensor_parallel_size=1, \
quantization=None, enforce_eager=False, seed=0)
INFO 02-03 08:00:20 llm_engine.py:223] # GPU blocks: 640, # CPU blocks: 2048
Traceback (most recent call last):
ValueError: The model's max seq len (32768) is larger than the maximum number of tokens that can be stored in KV cache \
(10240). Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.
"""

V0_6_4 = """\
INFO 11-20 10:00:00 api_server.py:585] vLLM API server version 0.6.4
INFO 11-20 10:00:00 api_server.py:586] args: Namespace(host=None, port=8000, model='meta-llama/Llama-3.1-8B-Instruct', \
tensor_parallel_size=1, max_model_len=20000, gpu_memory_utilization=0.9, max_num_seqs=256, enforce_eager=False)
INFO 11-20 10:00:04 llm_engine.py:249] Initializing an LLM engine (v0.6.4) with config: \
model='meta-llama/Llama-3.1-8B-Instruct', speculative_config=None, dtype=torch.bfloat16, max_seq_len=20000, \
tensor_parallel_size=1, quantization=None, enforce_eager=False, kv_cache_dtype=auto)
INFO 11-20 10:00:31 model_runner.py:1077] Loading model weights took 14.9888 GB
INFO 11-20 10:00:34 worker.py:232] Memory profiling results: total_gpu_memory=23.58GiB initial_memory_usage=15.34GiB \
peak_torch_memory=17.06GiB memory_usage_post_profile=15.52GiB non_torch_memory=0.35GiB kv_cache_size=3.81GiB \
gpu_memory_utilization=0.90
INFO 11-20 10:00:34 gpu_executor.py:113] # GPU blocks: 1952, # CPU blocks: 2048
INFO 11-20 10:00:34 gpu_executor.py:117] Maximum concurrency for 20000 tokens per request: 1.56x
"""

V0_6_5 = """\
INFO 12-14 09:00:00 llm_engine.py:234] Initializing an LLM engine (v0.6.5) with config: \
model='meta-llama/Meta-Llama-3-8B', dtype=torch.bfloat16, max_seq_len=8192, tensor_parallel_size=1, enforce_eager=False
INFO 12-14 09:00:20 worker.py:243] Memory profiling results:
INFO 12-14 09:00:20 worker.py:243] duration\t0.75 seconds
INFO 12-14 09:00:20 worker.py:243] total_gpu_memory\t79.22GiB
INFO 12-14 09:00:20 worker.py:243] gpu_memory_utilization\t0.90
INFO 12-14 09:00:20 worker.py:243] model weights take\t14.96GiB
INFO 12-14 09:00:20 worker.py:243] non_torch_memory\t0.15GiB
INFO 12-14 09:00:20 worker.py:243] PyTorch activation peak memory\t1.26GiB
INFO 12-14 09:00:20 worker.py:243] available_kv_cache_memory\t54.92GiB
"""


def _v0_7_rank(prefix: str, cache: float) -> str:
    return f"""\
{prefix}INFO 02-10 09:00:20 [model_runner.py:1116] Model loading took 7.5100 GB and 9.03 seconds
{prefix}INFO 02-10 09:00:24 [worker.py:267] Memory profiling takes 3.33 seconds
{prefix}INFO 02-10 09:00:24 [worker.py:267] the current vLLM instance can use total_gpu_memory (23.58GiB) x \
gpu_memory_utilization (0.90) = 21.22GiB
{prefix}INFO 02-10 09:00:24 [worker.py:267] model weights take 7.51GiB; non_torch_memory takes 0.20GiB; PyTorch \
activation peak memory takes 1.19GiB; the rest of the memory reserved for KV Cache is {cache}GiB.
"""


#: Two ranks, the first without a prefix, as V0 writes them; the second has less room.
V0_7_TWO = (
    "INFO 02-10 09:00:00 [llm_engine.py:234] Initializing an LLM engine (v0.7.2) with config: "
    "model='meta-llama/Llama-3.1-8B-Instruct', dtype=torch.bfloat16, max_seq_len=32768, tensor_parallel_size=2, "
    "enforce_eager=True, kv_cache_dtype=auto\n"
    + _v0_7_rank("(VllmWorkerProcess pid=507) ", 11.02)
    + _v0_7_rank("", 12.32)
    + "INFO 02-10 09:00:25 [executor_base.py:110] # cuda blocks: 11284, # CPU blocks: 4096\n"
    "INFO 02-10 09:00:25 [executor_base.py:115] Maximum concurrency for 32768 tokens per request: 5.51x\n"
)

V1_8 = """\
INFO 04-20 09:00:00 [config.py:1770] Chunked prefill is enabled with max_num_batched_tokens=2048.
INFO 04-20 09:00:04 [core.py:58] Initializing a V1 LLM engine (v0.8.4) with config: model='Qwen/Qwen3-8B', \
dtype=torch.bfloat16, max_seq_len=32768, tensor_parallel_size=1, quantization=None, enforce_eager=False
INFO 04-20 09:00:20 [gpu_model_runner.py:1316] Model loading took 15.2683 GiB and 3.652170 seconds
INFO 04-20 09:00:30 [kv_cache_utils.py:634] GPU KV cache size: 158,656 tokens
INFO 04-20 09:00:30 [kv_cache_utils.py:637] Maximum concurrency for 32,768 tokens per request: 4.84x
INFO 04-20 09:00:50 [gpu_model_runner.py:1686] Graph capturing finished in 21 secs, took 0.51 GiB
"""

V1_11 = """\
(APIServer pid=1) INFO 10-02 09:00:00 [api_server.py:1839] vLLM API server version 0.11.0
(APIServer pid=1) INFO 10-02 09:00:00 [utils.py:233] non-default args: {'model_tag': \
'meta-llama/Llama-3.1-8B-Instruct', 'max_model_len': 16000, 'gpu_memory_utilization': 0.9}
(EngineCore_DP0 pid=7) INFO 10-02 09:00:09 [core.py:77] Initializing a V1 LLM engine (v0.11.0) with config: \
model='meta-llama/Llama-3.1-8B-Instruct', speculative_config=None, dtype=torch.bfloat16, max_seq_len=16000, \
tensor_parallel_size=1, quantization=None, enforce_eager=False, kv_cache_dtype=auto
(EngineCore_DP0 pid=7) INFO 10-02 09:00:39 [gpu_model_runner.py:2653] Model loading took 14.9889 GiB and 3.9 seconds
(EngineCore_DP0 pid=7) DEBUG 10-02 09:00:58 [gpu_worker.py:284] Initial free memory: 78.70 GiB; Requested memory: \
0.90 (util), 71.26 GiB
(EngineCore_DP0 pid=7) DEBUG 10-02 09:00:58 [gpu_worker.py:297] Memory profiling takes 14.40 seconds. Total non KV \
cache memory: 19.88GiB; torch peak memory increase: 4.76GiB; non-torch forward increase memory: 0.13GiB; weights \
memory: 14.99GiB.
(EngineCore_DP0 pid=7) INFO 10-02 09:00:59 [gpu_worker.py:298] Available KV cache memory: 51.38 GiB
(EngineCore_DP0 pid=7) INFO 10-02 09:00:59 [kv_cache_utils.py:1087] GPU KV cache size: 420,896 tokens
(EngineCore_DP0 pid=7) INFO 10-02 09:00:59 [kv_cache_utils.py:1091] Maximum concurrency for 16,000 tokens per request: \
26.31x
(EngineCore_DP0 pid=7) INFO 10-02 09:01:09 [gpu_model_runner.py:3480] Graph capturing finished in 5 secs, took 0.55 GiB
(EngineCore_DP0 pid=7) DEBUG 10-02 09:01:10 [gpu_worker.py:391] Free memory on device (78.70/79.18 GiB) on startup. \
Desired GPU memory utilization is (0.9, 71.26 GiB). Actual usage is 14.99 GiB for weight, 4.76 GiB for peak \
activation, 0.13 GiB for non-torch memory, and 0.55 GiB for CUDAGraph memory.
"""

#: The newest wording: one line for tokens and concurrency, graphs estimated before the cache is taken.
V1_NEWEST = """\
(EngineCore pid=9) INFO 09-20 09:00:09 [core.py:101] Initializing a V1 LLM engine (v0.21.0) with config: \
model='openai/gpt-oss-120b', dtype=torch.bfloat16, max_seq_len=131072, tensor_parallel_size=1, quantization=mxfp4, \
enforce_eager=False, kv_cache_dtype=auto
(EngineCore pid=9) INFO 09-20 09:00:29 [gpu_model_runner.py:4100] Model loading took 65.97 GiB memory and 30.1 seconds
(EngineCore pid=9) INFO 09-20 09:00:39 [fused_moe.py:10] Using configuration from E=128,\
device_name=NVIDIA_H100_80GB_HBM3.json
(EngineCore pid=9) INFO 09-20 09:00:49 [gpu_worker.py:410] Estimated CUDA graph memory: 0.90 GiB total
(EngineCore pid=9) INFO 09-20 09:00:49 [gpu_worker.py:420] Available KV cache memory: 1.31 GiB
(EngineCore pid=9) INFO 09-20 09:00:49 [kv_cache_utils.py:2396] GPU KV cache size: 57,216 tokens, Maximum concurrency \
for 131,072 tokens per request: 0.43x
"""

V1_TOO_LONG = """\
(EngineCore_DP0 pid=15) INFO 09-01 10:00:00 [core.py:76] Initializing a V1 LLM engine (v0.10.2) with config: \
model='Qwen/Qwen2.5-14B-Instruct', dtype=torch.bfloat16, max_seq_len=131072, tensor_parallel_size=1
(EngineCore_DP0 pid=15) INFO 09-01 10:00:30 [gpu_model_runner.py:2300] Model loading took 27.5681 GiB and 9.1 seconds
(EngineCore_DP0 pid=15) INFO 09-01 10:00:50 [gpu_worker.py:298] Available KV cache memory: 10.91 GiB
(EngineCore_DP0 pid=15) ERROR 09-01 10:00:50 [core.py:700] ValueError: To serve at least one request with the models's \
max seq len (131072), (24.00 GiB KV cache is needed, which is larger than the available KV cache memory (10.91 GiB). \
Based on the available memory, the estimated maximum model length is 59584. Try increasing `gpu_memory_utilization`.
"""

V1_CARD_TAKEN = """\
INFO 09-01 10:00:00 [core.py:76] Initializing a V1 LLM engine (v0.11.0) with config: model='Qwen/Qwen3-8B', \
dtype=torch.bfloat16, max_seq_len=32768, tensor_parallel_size=1
ValueError: Free memory on device (3.25/23.58 GiB) on startup is less than desired GPU memory utilization (0.9, \
21.22 GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes.
"""

V1_NO_ROOM = """\
INFO 09-01 10:00:00 [core.py:76] Initializing a V1 LLM engine (v0.11.0) with config: \
model='meta-llama/Llama-3.3-70B-Instruct', dtype=torch.bfloat16, max_seq_len=16000, tensor_parallel_size=2
(Worker_TP0 pid=3) INFO 09-01 10:00:30 [gpu_model_runner.py:2653] Model loading took 65.74 GiB and 90.1 seconds
(Worker_TP1 pid=4) INFO 09-01 10:00:30 [gpu_model_runner.py:2653] Model loading took 65.74 GiB and 90.1 seconds
(Worker_TP0 pid=3) INFO 09-01 10:00:40 [gpu_worker.py:298] Available KV cache memory: -1.44 GiB
ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`.
"""

#: Two ranks of unequal room, coloured, as a container's log viewer shows them.
V1_TWO_COLOURED = "".join(
    f"2025-10-02T09:00:00.{line:06}Z \x1b[1;36m{who}\x1b[0;0m \x1b[32mINFO\x1b[0m 10-02 09:00:00 [x.py:1] {words}\n"
    for line, (who, words) in enumerate(
        (
            (
                "(EngineCore_DP0 pid=5)",
                "Initializing a V1 LLM engine (v0.11.0) with config: model='meta-llama/Llama-3.1-8B-Instruct', \
dtype=torch.bfloat16, max_seq_len=16000, tensor_parallel_size=2, enforce_eager=False",
            ),
            ("(Worker_TP1 pid=9)", "Model loading took \x1b[33m7.5101\x1b[0m GiB and 3.9 seconds"),
            ("(Worker_TP0 pid=8)", "Model loading took \x1b[33m7.5101\x1b[0m GiB and 3.9 seconds"),
            ("(Worker_TP1 pid=9)", "Available KV cache memory: \x1b[1m53.10\x1b[0m GiB"),
            ("(Worker_TP0 pid=8)", "Available KV cache memory: \x1b[1m58.44\x1b[0m GiB"),
            ("(EngineCore_DP0 pid=5)", "GPU KV cache size: \x1b[1m869,984\x1b[0m tokens"),
            ("(EngineCore_DP0 pid=5)", "Maximum concurrency for 16,000 tokens per request: 54.37x"),
        )
    )
)

SGLANG_4 = """\
[2025-02-04 05:20:40] server_args=ServerArgs(model_path='Qwen/Qwen2.5-7B-Instruct', tokenizer_path='x', dtype='auto', \
mem_fraction_static=0.88, tp_size=1, context_length=None, disable_cuda_graph=False, quantization=None)
[2025-02-04 05:21:40 TP0] Load weight begin. avail mem=23.05 GB
[2025-02-04 05:29:17 TP0] Load weight end. type=Qwen2ForCausalLM, dtype=torch.bfloat16, avail mem=8.66 GB
[2025-02-04 05:29:17 TP0] KV Cache is allocated. K size: 2.82 GB, V size: 2.82 GB.
[2025-02-04 05:29:17 TP0] Memory pool end. avail mem=1.68 GB
[2025-02-04 05:29:20 TP0] max_total_num_tokens=105531, chunked_prefill_size=2048, max_prefill_tokens=16384, \
max_running_requests=2049, context_len=131072
"""

SGLANG_5_TWO = """\
[2025-11-04 05:20:40] server_args=ServerArgs(model_path='Qwen/Qwen3-32B', dtype='auto', kv_cache_dtype='auto', \
mem_fraction_static=0.85, tp_size=2, context_length=40960, chunked_prefill_size=8192, disable_cuda_graph=False)
[2025-11-04 05:21:00 TP0] Load weight begin. avail mem=78.46 GB
[2025-11-04 05:21:00 TP1] Load weight begin. avail mem=78.46 GB
[2025-11-04 05:25:00 TP1] Load weight end. elapsed=40.1 s, type=Qwen3ForCausalLM, dtype=torch.bfloat16, avail \
mem=47.80 GB, mem usage=30.66 GB.
[2025-11-04 05:25:00 TP0] Load weight end. elapsed=40.3 s, type=Qwen3ForCausalLM, dtype=torch.bfloat16, avail \
mem=47.80 GB, mem usage=30.66 GB.
[2025-11-04 05:25:01 TP0] KV Cache is allocated. #tokens: 294912, K size: 18.00 GB, V size: 18.00 GB
[2025-11-04 05:25:01 TP1] KV Cache is allocated. #tokens: 294912, K size: 18.00 GB, V size: 18.00 GB
[2025-11-04 05:25:01 TP0] Memory pool end. avail mem=11.50 GB
[2025-11-04 05:25:30 TP0] Capture cuda graph end. Time elapsed: 9.24 s. mem usage=1.02 GB. avail mem=10.30 GB.
[2025-11-04 05:25:31 TP0] max_total_num_tokens=294912, chunked_prefill_size=8192, max_prefill_tokens=16384, \
max_running_requests=2048, context_len=40960, available_gpu_mem=10.30 GB
"""

LLAMA_OLD = """\
llama_model_loader: - kv   2:                               general.name str              = Meta Llama 3.1 8B Instruct
llm_load_print_meta: model ftype      = Q4_K - Medium
llm_load_tensors: offloading 28 repeating layers to GPU
llm_load_tensors: offloaded 28/33 layers to GPU
llm_load_tensors:        CPU buffer size =  4685.30 MiB
llm_load_tensors:      CUDA0 buffer size =  3577.56 MiB
llama_new_context_with_model: n_ctx      = 8192
llama_kv_cache_init:  CUDA_Host KV buffer size =   128.00 MiB
llama_kv_cache_init:      CUDA0 KV buffer size =   896.00 MiB
llama_new_context_with_model: KV self size  = 1024.00 MiB, K (f16):  512.00 MiB, V (f16):  512.00 MiB
llama_new_context_with_model:      CUDA0 compute buffer size =   669.48 MiB
llama_new_context_with_model:  CUDA_Host compute buffer size =    24.01 MiB
"""

LLAMA_NEW = """\
ggml_cuda_init: found 1 CUDA devices:
  Device 0: NVIDIA GeForce RTX 4090, compute capability 8.9, VMM: yes
build: 6100 (0a1b2c3d) with cc (Debian 12.2.0-14) 12.2.0 for x86_64-linux-gnu
llama_model_load_from_file_impl: using device CUDA0 (NVIDIA GeForce RTX 4090) - 23512 MiB free
print_info: file type   = Q8_0
print_info: file size   = 8.11 GiB (8.50 BPW)
print_info: general.name     = Qwen3 8B
load_tensors: offloaded 37/37 layers to GPU
load_tensors:        CUDA0 model buffer size =  7669.77 MiB
load_tensors:   CPU_Mapped model buffer size =   630.59 MiB
llama_context: n_seq_max     = 1
llama_context: n_ctx         = 16384
llama_context: n_ubatch      = 512
llama_kv_cache_unified:      CUDA0 KV buffer size =  2304.00 MiB
llama_kv_cache_unified: size = 2304.00 MiB ( 16384 cells,  36 layers,  1/1 seqs), K (f16): 1152.00 MiB, \
V (f16): 1152.00 MiB
llama_context:      CUDA0 compute buffer size =   304.75 MiB
llama_context:  CUDA_Host compute buffer size =    40.01 MiB
"""

#: The same log as a container engine keeps it: one JSON object a line.
IN_JSON = "".join(json.dumps({"log": line, "stream": "stderr"}) + "\n" for line in V1_11.splitlines(keepends=True))

LOGS = {
    "vllm 0.2": V0_2,
    "vllm 0.6.4": V0_6_4,
    "vllm 0.6.5": V0_6_5,
    "vllm 0.7.2, two ranks": V0_7_TWO,
    "vllm 0.8.4": V1_8,
    "vllm 0.11.0": V1_11,
    "vllm 0.21.0": V1_NEWEST,
    "vllm too long": V1_TOO_LONG,
    "vllm card taken": V1_CARD_TAKEN,
    "vllm no room": V1_NO_ROOM,
    "vllm two ranks, coloured": V1_TWO_COLOURED,
    "sglang 0.4": SGLANG_4,
    "sglang 0.5, two ranks": SGLANG_5_TWO,
    "llama.cpp of 2024": LLAMA_OLD,
    "llama.cpp of 2025": LLAMA_NEW,
    "in json": IN_JSON,
}
