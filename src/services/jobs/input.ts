import { and, eq } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { isInNoDeletedBatch } from '#src/db/deleted-batch.ts';
import { type FileRow, type ParseJob, parseJobs } from '#src/db/schema/index.ts';
import { BadRequest } from '#src/lib/errors.ts';
import { bareId } from '#src/lib/ids.ts';
import { selectFile } from '#src/services/files/files.ts';
import { adoptPresignedUpload } from '#src/services/files/pending-uploads.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import { toJobId } from './kinds.ts';

export interface JobInput {
  documentInputType: 'file_id' | 'parse_job_id' | 'url';
  fileId: string | null;
  parseJob?: ParseJob;
}

/** Error messages for invalid inputs of a job. Parse, extract and classify jobs have different messages. */
export interface InputMessages {
  noFile(id: string, ctx: TenantContext): string;
  noParseJob(id: string, ctx: TenantContext): string;
}

const PARSE_ID = /^pjb-/i;
const ID = /^([a-z]{3}-)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Resolves the id of a file or of a completed parse job. A UUID without prefix may be either. */
export async function resolveInput(
  ctx: TenantContext,
  input: string,
  wording: InputMessages,
): Promise<JobInput> {
  const [parseJob, file] = await findEither(ctx, input);
  if (parseJob) return fromParseJob(parseJob);
  if (PARSE_ID.test(input)) throw new BadRequest(wording.noParseJob(input, ctx));
  if (!file) throw new BadRequest(wording.noFile(input, ctx));
  if (!file.storageKey)
    throw new BadRequest(`inputs_invalid: the content of file ${input} has not been uploaded yet`);
  return { documentInputType: 'file_id', fileId: file.id };
}

async function findEither(
  ctx: TenantContext,
  input: string,
): Promise<[ParseJob | undefined, FileRow | undefined]> {
  if (!ID.test(input)) return [undefined, undefined];
  const parseJob = parseJobQuery(ctx, input);
  const file = selectFile(ctx, input);
  const [[ofParse], [ofFile]] = PARSE_ID.test(input)
    ? [await parseJob, []]
    : /^dfl-/i.test(input)
      ? [[], await file]
      : await ctx.db.batch([parseJob, file]);
  return [ofParse, ofFile && (await adoptPresignedUpload(ctx, ofFile))];
}

function parseJobQuery(ctx: TenantContext, id: string) {
  return ctx.db
    .select()
    .from(parseJobs)
    .where(
      and(
        eq(parseJobs.id, toJobId('parse', bareId(id))),
        withinScope(ctx, parseJobs.projectId),
        isInNoDeletedBatch(parseJobs.batchId),
      ),
    );
}

function fromParseJob(parseJob: ParseJob): JobInput {
  if (parseJob.status !== 'COMPLETED') {
    throw new BadRequest(
      `inputs_invalid: Parse job ${parseJob.id} is not completed (status: ${parseJob.status})`,
    );
  }
  return { documentInputType: 'parse_job_id', fileId: null, parseJob };
}
