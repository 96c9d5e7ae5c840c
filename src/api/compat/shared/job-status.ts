import type { JobStatus } from '#src/db/schema/index.ts';

/** Job statuses that the older operations return. */
export const CLIENT_STATUSES = ['PENDING', 'SUCCESS', 'ERROR', 'PARTIAL_SUCCESS', 'CANCELLED'] as const;
export type ClientStatus = (typeof CLIENT_STATUSES)[number];

/**
 * Maps a job's status to a status of the older operations. Existing clients treat unknown statuses as
 * failures. Therefore a running job is reported as pending, and a job with unread pages as successful.
 */
export const toClientStatus = {
  PENDING: 'PENDING',
  RUNNING: 'PENDING',
  COMPLETED: 'SUCCESS',
  FAILED: 'ERROR',
  CANCELLED: 'CANCELLED',
} as const satisfies Record<JobStatus, ClientStatus>;
