import type { JobStatus } from '#src/db/schema/index.ts';

/** States of a job in the older operations. */
export const CLIENT_STATUSES = ['PENDING', 'SUCCESS', 'ERROR', 'PARTIAL_SUCCESS', 'CANCELLED'] as const;
export type ClientStatus = (typeof CLIENT_STATUSES)[number];

/**
 * State of a job as the older operations name it. Existing clients take any word that they do not know for a failure,
 * so a job that is running is pending, and a job that could not read some of its pages has succeeded.
 */
export const toClientStatus = {
  PENDING: 'PENDING',
  RUNNING: 'PENDING',
  COMPLETED: 'SUCCESS',
  FAILED: 'ERROR',
  CANCELLED: 'CANCELLED',
} as const satisfies Record<JobStatus, ClientStatus>;
