import { describe, expect, it } from "vitest";
import { fromPairs, toPairs } from "./codec.ts";
import { DEFAULTS, PRESETS } from "./presets.ts";

const CHANGED = {
  ...DEFAULTS,
  requests_per_s: 7.5,
  process: "gamma" as const,
  burstiness: 0.1,
  burst: { start_s: 20, end_s: 30, factor: 4 },
  prompt: { kind: "uniform" as const, numbers: [10, 20] },
  max_num_seqs: null,
  watermark_fraction: 0.05,
  ttft_target_s: null,
};

describe("a link of the traffic page", () => {
  it("says nothing of the defaults", () => {
    expect(toPairs(DEFAULTS, DEFAULTS)).toEqual({});
    expect(fromPairs({}, DEFAULTS)).toEqual({ settings: DEFAULTS, ignored: [] });
  });

  it("carries what differs, and brings it back", () => {
    const pairs = toPairs(CHANGED, DEFAULTS);
    expect(pairs["traffic.burst"]).toBe("20:30:4");
    expect(pairs["traffic.prompt"]).toBe("uniform:10:20");
    expect(pairs["traffic.max_num_seqs"]).toBe("null");
    expect(Object.keys(pairs)).toHaveLength(8);
    expect(fromPairs(pairs, DEFAULTS)).toEqual({ settings: CHANGED, ignored: [] });
  });

  it.each(PRESETS.map((preset) => [preset.id, preset.settings] as const))(
    "carries the starting point %s",
    (_, settings) => {
      expect(fromPairs(toPairs(settings, DEFAULTS), DEFAULTS).settings).toEqual(settings);
    },
  );

  it("judges each setting on its own", () => {
    const { settings, ignored } = fromPairs(
      {
        "traffic.requests_per_s": "12",
        "traffic.requests": "1.5",
        "traffic.burst": "30:20:4",
        "traffic.process": "lunar",
        "traffic.seed": "null",
        "traffic.max_num_seqs": "0",
        "traffic.trace": "mine.csv",
        "traffic.nothing": "1",
      },
      DEFAULTS,
    );
    expect(settings).toEqual({ ...DEFAULTS, requests_per_s: 12 });
    expect(ignored).toHaveLength(7);
  });
});
