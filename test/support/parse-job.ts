import { eq } from 'drizzle-orm';
import { parseJobs } from '#src/db/schema/index.ts';
import type { Box, PageVerification, ReadBy } from '#src/documents/document.ts';
import { performParse } from '#src/services/jobs/parse/perform-parse.ts';
import { JobPages } from '#src/services/jobs/run-job.ts';
import { call } from './client.ts';
import { run } from './jobs.ts';
import { contextWithModel, heldByNobody } from './page-model.ts';

type Told = Record<Exclude<keyof PageVerification, 'readFromPictures'>, unknown> & {
  read_by: ReadBy;
  read_from_pictures: unknown;
};

/** Page of a job result. */
export interface ToldPage extends Told {
  markdown: string;
  items: { type: string; value: string; rows?: string[][]; box?: Box }[];
}

/**
 * Runs a parse job with a model and returns the result from the API. The test service has no model, so the
 * job is run again with one after it has ended.
 */
export async function parseJobWithModel(
  file_id: string,
  configuration: object,
  ctx = contextWithModel(),
): Promise<ToldPage[]> {
  const { id } = await run('parse', { file_id, configuration });
  const [job] = await ctx.db.select().from(parseJobs).where(eq(parseJobs.id, id));
  const { columns } = await performParse(ctx, job!, heldByNobody(), new JobPages(undefined));
  await ctx.db.update(parseJobs).set(columns!).where(eq(parseJobs.id, id));
  const path = `/api/v2/parse/${id}?expand=metadata&expand=markdown&expand=items`;
  const { body } = await call<{
    metadata: { pages: Told[] };
    markdown: { pages: Pick<ToldPage, 'markdown'>[] };
    items: { pages: Pick<ToldPage, 'items'>[] };
  }>('GET', path);
  return body.metadata.pages.map((page, at) => ({
    ...page,
    markdown: body.markdown.pages[at]!.markdown,
    items: body.items.pages[at]!.items,
  }));
}
