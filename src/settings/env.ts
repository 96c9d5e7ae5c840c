/** Bindings of wrangler.toml (`npm run types`), and optional bindings that an operator may add. */
export type Bindings = GeneratedBindings & {
  /** Dataset to which the metrics are also written; see docs/operations.md. */
  ANALYTICS?: AnalyticsEngineDataset;
  /** Set by the single-machine server; see src/lib/schema/operation-marks.ts. */
  SUPERVISED?: string;
};
