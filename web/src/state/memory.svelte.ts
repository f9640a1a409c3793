import { askCommand, askMemory, createAsker } from "../api/client.ts";
import type { CommandLine, EngineMemory, Problem } from "../api/types.ts";
import { parts } from "../ui/parts.svelte.ts";
import type { Config, Field } from "./config.ts";
import { ENGINE_FIELDS, blamed } from "./config.ts";

/** TensorRT-LLM is started by a configuration of its own, not by flags. */
const hasCommand = (engine: string) => engine !== "tensorrt-llm";

/** What an engine's memory is, and the command that starts it so: the answer to the current settings. */
class EngineAnswer {
  memory = $state.raw<EngineMemory | null>(null);
  command = $state.raw<CommandLine | null>(null);
  /** What is wrong with a setting of the engine, by its control. */
  problems = $state.raw<Partial<Record<Field, string>>>({});
  /** What else stands in the way. */
  refused = $state<string | null>(null);

  #askMemory = createAsker(askMemory);
  #askCommand = createAsker(askCommand);
  #followed = "";

  async follow(start: Record<string, unknown>, config: Config): Promise<void> {
    const key = JSON.stringify(start);
    if (key === this.#followed) return;
    this.#followed = key;
    const arrived = parts.hold();
    try {
      const memory = await this.#askMemory(start);
      if (memory.kind === "superseded") return;
      const command = memory.kind === "answer" && hasCommand(config.engine) ? await this.#askCommand(start) : null;
      if (command?.kind === "superseded") return;
      this.memory = memory.kind === "answer" ? memory.answer : this.memory;
      this.command = command?.kind === "answer" ? command.answer : null;
      this.#take(memory.kind === "refused" ? memory.problems : [], config);
      if (memory.kind === "unreachable") this.#followed = "";
    } finally {
      arrived();
    }
  }

  #take(problems: readonly Problem[], config: Config): void {
    const named = problems.map(({ field, message }) => [blamed(field, config), message] as const);
    const own = named.filter(([field]) => field && ENGINE_FIELDS.includes(field));
    this.problems = Object.fromEntries(own);
    const rest = named.filter(([field]) => !field || !ENGINE_FIELDS.includes(field));
    this.refused = rest.length ? rest.map(([, message]) => message).join(" ") : null;
  }
}

export const engineMemory = new EngineAnswer();
