/** What wrangler.toml binds (`npm run types`), and what an operator may bind besides. */
export type Bindings = GeneratedBindings & {
  /** Gets what is counted as well: docs/operations.md. */
  ANALYTICS?: AnalyticsEngineDataset;
  /** Set by the single-machine server; see src/lib/operation-marks.ts. */
  SUPERVISED?: string;
};

const VECTORIZE = /^VECTORIZE_\d+$/;

/** Whether a Vectorize index is bound at all, whatever its dimension. */
export function hasVectorize(env: object): boolean {
  return Object.entries(env).some(
    ([name, value]) => VECTORIZE.test(name) && typeof value === 'object' && value !== null,
  );
}
