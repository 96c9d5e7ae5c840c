/** What expires by itself, each after a number of days of its own. */
export const RETENTION_KINDS = ['files', 'parses', 'jobs', 'webhook_deliveries', 'usage'] as const;
export type RetentionKind = (typeof RETENTION_KINDS)[number];

/** Days; absent or null: as long as the installation says. */
export type Retention = { [Kind in RetentionKind as `${Kind}_days`]?: number | null };
