/**
 * Bindings of the Worker: those from wrangler.toml, which `npm run types` generates, and optional ones that
 * an operator may add.
 */
export type Bindings = GeneratedBindings & {
  /** Workers Analytics Engine dataset to which metrics are also written; see docs/reference/metrics.md. */
  ANALYTICS?: AnalyticsEngineDataset;
  /**
   * Set to `true` by the single-machine server, which runs the service in one isolate; explained in
   * src/lib/schema/operation-marks.ts and src/db/reads-until-write.ts.
   */
  SUPERVISED?: string;
};
