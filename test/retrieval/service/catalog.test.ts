import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { indexedDocuments, pipelineIndexes, pipelines } from '#src/db/schema/index.ts';
import { PAGE_SIZE, readCatalog, readFirstEntries } from '#src/retrieval/catalog.ts';
import { call, upload } from '#test/support/client.ts';
import { taken } from '#test/support/metering/counts.ts';
import { meteredDatabase } from '#test/support/metering/database.ts';
import { createPipeline, untilFinished } from '#test/support/pipelines.ts';
import { toldDatabase } from '#test/support/told-database.ts';

const MORE = 3 * PAGE_SIZE + 5;
const OWN = 'own of the catalog';

/** Inserts copies of the document's rows with new ids. */
async function multiply(table: string): Promise<void> {
  const { results } = await env.DB.prepare(`select name from pragma_table_info('${table}')`).all();
  const names = results.map(({ name }) => String(name));
  const values = names.map((name) =>
    name === 'document_id' || name === 'id' ? `${name} || '-' || i` : name,
  );
  await env.DB.prepare(
    `insert into ${table} (${names})
     with recursive n(i) as (select 1 union all select i + 1 from n where i < ${MORE})
     select ${values} from ${table}, n where document_id = '${OWN}'`,
  ).run();
}

it('lists every file and document once with its metadata, across several pages', async () => {
  const id = await createPipeline();
  const own = { id: OWN, text: 'Gulls nest.', metadata: { title: 'On gulls' } };
  const documents = [{ ...own, excluded_llm_metadata_keys: ['x'] }];
  expect((await call('POST', `/api/v1/pipelines/${id}/documents`, { body: documents })).status).toBe(200);
  expect((await untilFinished(id)).status).toBe('SUCCESS');
  const fileId = await upload('tides.txt', 'Tides rise.');
  const body = [{ file_id: fileId, custom_metadata: { author: 'Jens' } }];
  expect((await call('PUT', `/api/v1/pipelines/${id}/files`, { body })).status).toBe(200);

  const { DB, statements } = toldDatabase();
  const ctx = createContext({ ...env, DB }, { waitUntil() {} });
  const [pipeline] = await ctx.db.select().from(pipelines).where(eq(pipelines.id, id));
  const [index] = await ctx.db.select().from(pipelineIndexes).where(eq(pipelineIndexes.pipelineId, id));
  const ofOwn = eq(indexedDocuments.documentId, OWN);
  const [indexed] = await ctx.db.select().from(indexedDocuments).where(ofOwn);
  await ctx.db.insert(indexedDocuments).values({ ...indexed!, documentId: fileId });
  await multiply('pipeline_members');
  await multiply('indexed_documents');

  statements.length = 0;
  const entries = new Map();
  let largest = 0;
  let count = 0;
  for await (const batch of readCatalog(ctx, pipeline!, index!)) {
    // The first pages are requested together before the first result is read.
    if (entries.size === 0) expect(statements).toHaveLength(1 + 3);
    largest = Math.max(largest, batch.length);
    count += batch.length;
    for (const entry of batch) entries.set(entry.documentId, entry);
  }
  expect([count, entries.size]).toEqual([MORE + 2, MORE + 2]);
  expect(largest).toBeLessThanOrEqual(PAGE_SIZE);
  expect(entries.get(fileId)).toMatchObject({
    title: 'tides.txt',
    metadata: { author: 'Jens', file_id: fileId },
  });
  expect(entries.get(`${OWN}-7`)).toMatchObject({ title: 'On gulls', hiddenKeys: ['x'] });
  for (const unread of ['permission_info', 'text_id', 'status'])
    expect(statements.join()).not.toContain(unread);

  // The first entries are read without counting the others.
  const sorted = [...entries.keys()].sort();
  const metered = createContext({ ...env, DB: meteredDatabase(env.DB) }, { waitUntil() {} });
  taken();
  const first = await readFirstEntries(metered, pipeline!, index!, { limit: 5 });
  expect(first.map(({ documentId }) => documentId)).toEqual(sorted.slice(0, 5));
  expect(taken()['D1 rows read']).toBeLessThan(100);
  const next = await readFirstEntries(metered, pipeline!, index!, { after: sorted[4], limit: 5 });
  expect(next.map(({ documentId }) => documentId)).toEqual(sorted.slice(5, 10));
});
