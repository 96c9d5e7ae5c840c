import { integer, text } from 'drizzle-orm/sqlite-core';
import { createdAt, timestamp, updatedAt } from '../columns.ts';
import { JOB_STATUSES } from '../jobs.ts';

/** Columns that runs of all kinds share. They say how far a run is and who works on it. */
export const runState = () => ({
  status: text({ enum: JOB_STATUSES }).notNull().default('PENDING'),
  errorMessage: text(),
  /** Consumer that evaluates the questions or files now, and the time at which its lease expires. */
  consumer: text(),
  leaseUntil: timestamp(),
  finishedAt: timestamp(),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
});

/** Columns that the results of runs of all kinds share. */
export const resultState = () => ({
  status: text({ enum: ['pending', 'completed', 'failed'] })
    .notNull()
    .default('pending'),
  /** Number of times that the evaluation of the question or file was started. */
  attempts: integer().notNull().default(0),
  errorMessage: text(),
});
