import { and, eq } from 'drizzle-orm';
import type { TenantContext } from '../../context.ts';
import { parseJobs } from '../../db/schema/index.ts';
import { BadRequest, NotFound } from '../../errors.ts';
import { bareId } from '../../ids.ts';
import type { FileRow } from '../files/content.ts';
import { getFile } from '../files/files.ts';
import { withinScope } from '../scope.ts';
import { jobIdOf, type ParseJob } from './kinds.ts';

/** What a job reads. */
export interface JobInput {
  documentInputType: 'file_id' | 'parse_job_id' | 'url';
  fileId: string | null;
  parseJob?: ParseJob;
}

/** How each product words what is wrong with an input. */
export interface Wording {
  noFile(id: string, ctx: TenantContext): string;
  noParseJob(id: string, ctx: TenantContext): string;
}

const PARSE_ID = /^pjb-/i;
const ID = /^([a-z]{3}-)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A file id or the id of a completed parse job; a bare uuid may be either. */
export async function resolveInput(ctx: TenantContext, input: string, wording: Wording): Promise<JobInput> {
  const isId = ID.test(input);
  const [parseJob, file] = await Promise.all([
    isId && !/^dfl-/i.test(input) ? findParseJob(ctx, input) : undefined,
    isId && !PARSE_ID.test(input) ? findFile(ctx, input) : undefined,
  ]);
  if (parseJob) return fromParseJob(parseJob);
  if (PARSE_ID.test(input)) throw new BadRequest(wording.noParseJob(input, ctx));
  if (!file) throw new BadRequest(wording.noFile(input, ctx));
  if (!file.storageKey)
    throw new BadRequest(`inputs_invalid: the content of file ${input} has not arrived yet`);
  return { documentInputType: 'file_id', fileId: file.id };
}

async function findFile(ctx: TenantContext, id: string): Promise<FileRow | undefined> {
  try {
    return await getFile(ctx, id);
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}

function findParseJob(ctx: TenantContext, id: string): Promise<ParseJob | undefined> {
  return ctx.db.query.parseJobs.findFirst({
    where: and(eq(parseJobs.id, jobIdOf('parse', bareId(id))), withinScope(ctx, parseJobs.projectId)),
  });
}

function fromParseJob(parseJob: ParseJob): JobInput {
  if (parseJob.status !== 'COMPLETED') {
    throw new BadRequest(
      `inputs_invalid: Parse job ${parseJob.id} is not completed (status: ${parseJob.status})`,
    );
  }
  return { documentInputType: 'parse_job_id', fileId: null, parseJob };
}
