import { and, eq } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { files, type ParseJob, usageRecords } from '#src/db/schema/index.ts';

export interface ParseFacts {
  /** Name of the parsed file. Null if the file was deleted or is not downloaded yet. */
  name: string | null;
  /** Number of credits that the job used. Null until the job has completed. */
  credits: number | null;
}

export async function getParseFacts(ctx: Context, jobs: readonly ParseJob[]): Promise<ParseFacts[]> {
  const fileIds = jobs.flatMap(({ fileId }) => fileId ?? []);
  const jobIds = jobs.map(({ id }) => id);
  const isUsage = and(eq(usageRecords.product, 'parse'), isInList(usageRecords.jobId, jobIds));
  const [named, used] = await ctx.db.batch([
    ctx.db.select({ id: files.id, name: files.name }).from(files).where(isInList(files.id, fileIds)),
    ctx.db
      .select({ id: usageRecords.jobId, credits: usageRecords.credits })
      .from(usageRecords)
      .where(isUsage),
  ]);
  const names = new Map(named.map(({ id, name }) => [id, name]));
  const credits = new Map(used.map((row) => [row.id, row.credits]));
  return jobs.map(({ id, fileId }) => ({
    name: names.get(fileId ?? '') ?? null,
    credits: credits.get(id) ?? null,
  }));
}
