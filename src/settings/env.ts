/** Bindings of wrangler.toml (`npm run types`), and optional bindings that an operator may add. */
export type Bindings = GeneratedBindings & {
  /** Dataset that receives a copy of all metrics; see docs/operations.md. */
  ANALYTICS?: AnalyticsEngineDataset;
  /** Set by the single-machine server; see src/lib/schema/operation-marks.ts. */
  SUPERVISED?: string;
};
