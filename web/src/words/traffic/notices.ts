/** Said when a run was ended by hand. */
export function stopped(hasFigures: boolean): string {
  return hasFigures
    ? "The run was ended. The figures shown are those of the run before, not of these settings."
    : "The run was ended before it gave any figures.";
}

/** Said when a file is longer than one question may be. */
export function shortened(name: string, lines: number): string {
  return `${name} is larger than one question may be, so its first ${lines.toLocaleString("en-US")} lines are used.`;
}
