import { eq } from 'drizzle-orm';
import { parseJobs } from '#src/db/schema/index.ts';
import type { PageVerification, ReadBy } from '#src/parsing/document.ts';
import { performParse } from '#src/services/jobs/perform-parse.ts';
import { call } from './client.ts';
import { run } from './jobs.ts';
import { contextWithModel, heldByNobody } from './page-model.ts';

type Told = Record<keyof PageVerification, unknown> & { read_by: ReadBy };

/** A page as the job tells of it. */
export interface ToldPage extends Told {
  markdown: string;
}

/**
 * A parse job whose work is done in a service with a model: the one that tests run in has none, so the job is
 * performed anew after it has ended there, and asked for over the API.
 */
export async function parseJobWithModel(
  file_id: string,
  configuration: object,
  ctx = contextWithModel(),
): Promise<ToldPage[]> {
  const { id } = await run('parse', { file_id, configuration });
  const [job] = await ctx.db.select().from(parseJobs).where(eq(parseJobs.id, id));
  const { columns } = await performParse(ctx, job!, heldByNobody());
  await ctx.db.update(parseJobs).set(columns!).where(eq(parseJobs.id, id));
  const path = `/api/v2/parse/${id}?expand=metadata&expand=markdown`;
  const { body } = await call<{ metadata: { pages: Told[] }; markdown: { pages: { markdown: string }[] } }>(
    'GET',
    path,
  );
  return body.metadata.pages.map((page, at) => ({ ...page, markdown: body.markdown.pages[at]!.markdown }));
}
