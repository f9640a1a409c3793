export function ignored(pairs: readonly string[]): string {
  const list = pairs.join(", ");
  return pairs.length === 1
    ? `One setting could not be used and was left out: ${list}.`
    : `${pairs.length} settings could not be used and were left out: ${list}.`;
}

export function unreachable(hasFigures: boolean): string {
  return `The server did not answer.${hasFigures ? " The figures shown are the last ones it gave." : ""}`;
}

export function refused(messages: readonly string[]): string {
  return messages.join(" ");
}

export function lowered(degree: number, reason: string): string {
  return `Tensor parallel degree set to ${degree}: ${reason.replace(/\.$/, "")}.`;
}
