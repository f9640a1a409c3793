/** The last few values by key, the one longest unused forgotten first. */
export class Recent<Value> {
  #kept = new Map<string, Value>();

  constructor(private readonly most: number) {}

  get(key: string): Value | null {
    const value = this.#kept.get(key);
    if (value === undefined) return null;
    this.put(key, value);
    return value;
  }

  put(key: string, value: Value): void {
    this.#kept.delete(key);
    this.#kept.set(key, value);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size > this.most && !oldest.done) this.#kept.delete(oldest.value);
  }
}
