import type { Estimate } from "../api/types.ts";
import { count, plural } from "../ui/format.ts";
import type { Parts, Term } from "./terms.ts";
import { size } from "./terms.ts";

/** Layers that route tokens to experts, and those whose cache is another than keys and values of heads. */
export function special(estimate: Estimate): Parts {
  const { groups } = estimate.deployment.model;
  const mixture = groups.find((group) => group.experts !== null);
  const latent = groups.find((group) => group.attention === "latent");
  const seen = groups.find((group) => group.window !== null);
  const states = groups.find((group) => group.attention === "state");
  const terms: Term[] = [];
  if (mixture)
    terms.push({
      name: "Experts",
      how: "only those that the tokens of a pass touch are read; each token does the work of its own",
      value: `${count(mixture.experts_per_token ?? 0)} of ${count(mixture.experts ?? 0)}`,
    });
  if (latent)
    terms.push({
      name: "Latent",
      how: "one vector a token is read in place of the keys and values of all heads, whole on each device",
      value: plural((latent.latent_dim ?? 0) + (latent.rope_dim ?? 0), "value"),
    });
  if (seen)
    terms.push({
      name: "Window",
      how: "no query sees or reads more in its layers",
      value: plural(seen.window ?? 0, "token"),
    });
  if (states)
    terms.push({
      name: "State",
      how: "of one request in one layer; read and written once a pass",
      value: size(states.state_bytes ?? 0),
    });
  return { formulas: mixture ? ["touched", "expertBytes"] : [], terms };
}
