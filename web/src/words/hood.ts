/** The words of the page that says how the figures come about. */

export interface Passage {
  id: string;
  title: string;
  /** Paragraphs, and names of formulas from formulas.tex between them. */
  body: readonly ({ text: string } | { formula: string })[];
}

const say = (text: string) => ({ text });
const show = (formula: string) => ({ formula });

export const PASSAGES: readonly Passage[] = [
  {
    id: "memory",
    title: "Will it fit?",
    body: [
      say(
        "Every device holds its share of the weights, of the KV cache and of a workspace, and keeps a reserve for the runtime. The whole budget of prompt and output tokens is counted from the start, so that a batch that fits stays in to its last token.",
      ),
      show("weights"),
      show("allWeights"),
      show("kvCache"),
      show("perToken"),
      show("workspace"),
      show("total"),
      say(
        "Where the sum is larger than the device, there is no latency, no rate and no price: a configuration that cannot run has no performance. Instead the page looks for the largest batch, the longest prompt, the fewest devices and the single change of format that would fit.",
      ),
    ],
  },
  {
    id: "pass",
    title: "How long does one pass take?",
    body: [
      say(
        "A model runs in passes. The prefill is one pass over all prompts of the batch; then every decode step is a pass that adds one token to each request. A pass has two stages: the linear layers, whose weights are read once however many tokens pass through, and attention, which reads the KV cache of every request. The formulas are those of plain layers all alike; other kinds follow below.",
      ),
      show("pass"),
      show("linearFlop"),
      show("linearBytes"),
      show("attentionFlop"),
      show("attentionBytes"),
      say(
        "T counts the tokens of the pass, A the pairs of a query and a key that may see each other, K the cached tokens that are read. For the prefill:",
      ),
      show("prefillFeatures"),
      say("and for the decode step number i:"),
      show("decodeFeatures"),
      say(
        "Arithmetic and memory traffic of a stage overlap, so the longer of the two is what counts. This is the roofline: a stage is bound by compute or by memory, whichever takes longer.",
      ),
      show("stage"),
      say("The two meet at the knee: with less work per byte than this, the arithmetic units wait for memory."),
      show("knee"),
      say("With several devices each layer ends in two exchanges of activations, which overlap with nothing:"),
      show("communication"),
    ],
  },
  {
    id: "kinds",
    title: "What if the layers are not all alike?",
    body: [
      say(
        "A model is a tuple of groups of layers, each with one kind of attention and one kind of feed-forward; every sum above runs over them. In a mixture of experts a token goes through k of E experts a layer. A pass reads only the experts that its tokens touch: few in a decode step of a small batch, nearly all in a prefill. W(T) then stands for W in the bytes of a pass; memory holds all experts.",
      ),
      show("touched"),
      show("expertBytes"),
      show("expertFlop"),
      say(
        "Multi-head latent attention keeps one compressed vector of a token in place of keys and values of every head, and each device holds it whole. Layers with a state of fixed size keep the same σ bytes however long the request is, read and written once a pass.",
      ),
      show("groupPerToken"),
      show("latentPerToken"),
      show("groupedCache"),
      say(
        "A layer with a sliding window sees and reads no more than its window; a chunk of c tokens after s earlier ones has so many pairs, and reads so many tokens:",
      ),
      show("windowPairs"),
      show("windowReads"),
      say(
        "What has left a window is freed, unless the planning assumption says otherwise. Top-k attention reads as many tokens as its indexer picks, and keeps all; the indexer itself looks at the whole context.",
      ),
    ],
  },
  {
    id: "latency",
    title: "From passes to what users feel",
    body: [
      say(
        "The first token appears at the end of the prefill. Every later one takes a decode step, a little longer than the one before because the context has grown.",
      ),
      show("ttft"),
      show("tpot"),
      show("e2e"),
      say(
        "Throughput counts the prefill too; the decode rates leave it out. The price spreads the hourly cost of all devices over it.",
      ),
      show("throughput"),
      show("decodeRate"),
      show("requestRate"),
      show("cost"),
    ],
  },
  {
    id: "floor",
    title: "What no software can beat",
    body: [
      say(
        "Beside each time stands a floor: only the least arithmetic and the least bytes, at the full rates of the datasheet, with no activations, no communication and no overhead. A figure close to its floor has little left to gain on this hardware; one far above it has room.",
      ),
      show("floor"),
    ],
  },
  {
    id: "training",
    title: "Training, in its smallest form",
    body: [
      say(
        "The planner plans inference. The room of the studio also shows how training goes, with a classifier of a single weight that learns to answer “blue”: it answers, the loss says how wrong that was, the gradient says which way to go, and the optimiser goes half of it.",
      ),
      show("probability"),
      show("trainingLoss"),
      show("gradient"),
      show("update"),
      say(
        "The toy has no relation to the model chosen. That model only says what a real run with Adam in mixed precision keeps of its parameters, before activations and overhead: a copy for the passes, master weights, gradients and two running means. Other optimisers and methods keep other amounts.",
      ),
      show("trainingMemory"),
    ],
  },
];

export const SYMBOLS: readonly { symbol: string; meaning: string }[] = [
  { symbol: "P, L, h", meaning: "parameters, layers and hidden width of the model" },
  { symbol: "H_q, H_kv, d", meaning: "query heads, KV heads, and the width of a head" },
  { symbol: "w, v", meaning: "bytes of a weight, bytes of a value in the KV cache" },
  { symbol: "W, κ", meaning: "all weights in bytes; KV cache of one token in bytes" },
  { symbol: "p, o, b", meaning: "prompt tokens, output tokens, requests in the batch" },
  { symbol: "g, n, w_g", meaning: "a group of layers, how many layers it has, and how many tokens its window holds" },
  { symbol: "E, k, p_g", meaning: "experts of a layer, those a token goes through, and the weights of one" },
  { symbol: "x, σ, z", meaning: "tokens of a request, bytes of its fixed states, and ways in which a cache is split" },
  { symbol: "N", meaning: "devices that split every layer: the tensor parallel degree" },
  {
    symbol: "F, B",
    meaning: "FLOP/s and bytes/s that one device reaches: the datasheet’s dense rate times its utilisation",
  },
];

export const LEFT_OUT: readonly { what: string; why: string }[] = [
  { what: "Queues and traffic", why: "All requests of a batch arrive together, are alike and end together." },
  { what: "Scheduling", why: "Prefill and decode are not mixed; no request joins or leaves a running batch." },
  { what: "Fragmentation", why: "The KV cache is counted token by token, as if no allocator rounded anything up." },
  { what: "Kernels", why: "Two utilisations stand for all of them, whatever the shape of a matrix." },
  {
    what: "The number format of the arithmetic",
    why: "A weight format changes storage and traffic, not the compute rate.",
  },
  {
    what: "Parts beside the decoder",
    why: "Encoders, vision towers and layers that draft tokens take memory; no pass runs them. An answer names those of its model.",
  },
  {
    what: "The arithmetic of fixed states",
    why: "Their bytes are counted; their math is small beside the projections.",
  },
  { what: "Topology", why: "Devices exchange in a ring over one link; hosts and switches do not appear." },
  { what: "The network to the user", why: "Latencies start and end at the server." },
  { what: "Quality", why: "A narrower format is faster here; what it does to answers is not judged." },
];
