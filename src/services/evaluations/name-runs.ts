/** Returns different names for two runs, so that the summary is clear. */
export function nameRuns(
  baseline: { name: string },
  run: { name: string },
): { first: string; second: string } {
  if (baseline.name !== run.name) return { first: `“${baseline.name}”`, second: `“${run.name}”` };
  return { first: `“${baseline.name}” (baseline)`, second: `“${run.name}”` };
}
