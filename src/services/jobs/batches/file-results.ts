import { and, desc, eq } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { isInNoDeletedBatch } from '#src/db/deleted-batch.ts';
import { BATCH_JOB_TYPES, type BatchJobType, type FileRow } from '#src/db/schema/index.ts';
import { configHash } from '#src/lib/secrets/hash.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { getFile } from '#src/services/files/files.ts';
import { maskSecrets } from '#src/services/secrets/secret-fields.ts';
import { getJobTable, type Job } from '../kinds.ts';
import { removeSavedParsing } from '../parameters.ts';

/** Maximum number of jobs per kind. */
const MAX_JOBS = 50;

/** Completed job of a file. */
export interface FileResult {
  kind: BatchJobType;
  job: Job;
  /** Configuration of the job, with masked secrets. */
  configuration: Record<string, unknown>;
  /** Hash of the configuration. Jobs with the same configuration have the same hash. */
  configurationHash: string;
}

/** Returns the newest completed jobs of a file, of one kind or of all kinds that a batch can have. */
export async function listFileResults(
  ctx: TenantContext,
  fileId: string,
  kind: BatchJobType | null | undefined,
): Promise<{ file: FileRow; results: FileResult[] }> {
  const file = await getFile(ctx, fileId);
  const kinds = kind ? [kind] : BATCH_JOB_TYPES;
  const found = await Promise.all(kinds.map((each) => selectResults(ctx, file, each)));
  const results = found.flat().toSorted((a, b) => getEnd(b.job) - getEnd(a.job));
  return { file, results };
}

const getEnd = ({ finishedAt, updatedAt }: Job) => (finishedAt ?? updatedAt).getTime();

async function selectResults(ctx: TenantContext, file: FileRow, kind: BatchJobType): Promise<FileResult[]> {
  const table = getJobTable(kind);
  const rows = await ctx.db
    .select()
    .from(table)
    .where(
      and(
        eq(table.fileId, file.id),
        eq(table.projectId, file.projectId),
        eq(table.status, 'COMPLETED'),
        isInNoDeletedBatch(table.batchId),
      ),
    )
    .orderBy(desc(table.createdAt))
    .limit(MAX_JOBS);
  return Promise.all(
    (rows as Job[]).map(async (job) => {
      const own = removeSavedParsing(job.configuration);
      const configuration = kind === 'parse' ? maskSecrets(parseParameters, own) : own;
      return { kind, job, configuration, configurationHash: await configHash(configuration) };
    }),
  );
}
