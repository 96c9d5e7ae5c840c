import type { JobKind } from '../../../durable-objects/job-owner.ts';
import { parseJobs, usageRecords } from '../../db/schema/index.ts';
import { derivedId } from '../../ids.ts';
import { hasStatus } from '../webhooks/job-events.ts';
import { type ConditionalRow, rowWhen } from './conditional-insert.ts';
import type { Job } from './kinds.ts';
import type { ParsedDocument } from './pages.ts';

// Rows that are written together with a job's COMPLETED, once.

/** What the job cost. */
export async function usageOf(
  kind: JobKind,
  job: Job,
  pages: number,
  credits: number,
): Promise<ConditionalRow> {
  const row = {
    id: await derivedId('usage', kind, job.id),
    projectId: job.projectId,
    product: kind,
    jobId: job.id,
    pages,
    credits,
    createdAt: new Date(),
  };
  return rowWhen(usageRecords, row, hasStatus(kind, job.id, 'COMPLETED'));
}

/** The parse that a job did for itself, as a parse job that others can start from; its id and its row. */
export async function parseRecordOf(
  kind: JobKind,
  job: Job,
  fileId: string,
  document: ParsedDocument,
  parameters: Record<string, unknown>,
): Promise<{ id: string; insert: ConditionalRow }> {
  const id = `pjb-${await derivedId('parse of job', job.id)}`;
  const now = new Date();
  const row = {
    id,
    projectId: job.projectId,
    userId: job.userId,
    status: 'COMPLETED' as const,
    fileInput: fileId,
    documentInputType: 'file_id' as const,
    fileId,
    configuration: parameters,
    attempt: 1,
    contentHash: document.key.contentHash,
    configHash: document.key.configHash,
    pageCount: document.pageCount,
    startedAt: now,
    finishedAt: now,
    createdAt: now,
    updatedAt: now,
  };
  return { id, insert: rowWhen(parseJobs, row, hasStatus(kind, job.id, 'COMPLETED')) };
}
