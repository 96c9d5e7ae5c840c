/** Kinds of data that expire, each after its own number of days. */
export const RETENTION_KINDS = ['files', 'parses', 'jobs', 'webhook_deliveries', 'usage'] as const;
export type RetentionKind = (typeof RETENTION_KINDS)[number];

/**
 * Number of days after which each kind of data expires. If a number is missing, the installation's default
 * applies.
 */
export type Retention = { [Kind in RetentionKind as `${Kind}_days`]?: number | null };
