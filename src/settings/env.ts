/** What wrangler.toml binds (`npm run types`), and what an operator may bind besides. */
export type Bindings = GeneratedBindings & {
  /** Gets what is counted as well: docs/operations.md. */
  ANALYTICS?: AnalyticsEngineDataset;
  /** Set by the single-machine server; see src/lib/schema/operation-marks.ts. */
  SUPERVISED?: string;
};
