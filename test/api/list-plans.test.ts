import { env } from 'cloudflare:workers';
import { and, asc, count, desc, eq } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { messageRows } from '#src/chat/sessions/messages.ts';
import { sessionRows } from '#src/chat/sessions/sessions.ts';
import { streamRows } from '#src/chat/sessions/streams.ts';
import { createContext, type TenantContext } from '#src/context/context.ts';
import { openDatabase } from '#src/db/client.ts';
import { following } from '#src/db/paging.ts';
import { membersOf, textsOf } from '#src/db/pipeline-members.ts';
import { files, type PipelineIndex, pipelineMembers, syncRuns } from '#src/db/schema/index.ts';
import { metadataRows, newestRows } from '#src/retrieval/metadata-keys.ts';
import { fileConditions, fileRows, readOrder } from '#src/services/files/listing.ts';
import { configurationConditions, configurationRows } from '#src/services/jobs/configurations.ts';
import { isIn, retryUpdate, selected, selectedRows } from '#src/services/pipelines/bulk-files.ts';
import { documentConditions, documentRows } from '#src/services/pipelines/documents/document-members.ts';
import { documentPage } from '#src/services/pipelines/documents/documents.ts';
import { pipelineRows, syncRunRows } from '#src/services/pipelines/lists.ts';
import { memberCountRows, newestRunRows } from '#src/services/pipelines/overview.ts';
import { pipelineDataSourceRows } from '#src/services/pipelines/pipeline-data-sources.ts';
import { failureRows } from '#src/services/pipelines/pipeline-file-failures.ts';
import {
  type PipelineFileFilter,
  pipelineFileConditions,
  pipelineFileRows,
  pipelineFileTotal,
} from '#src/services/pipelines/pipeline-file-lists.ts';
import { embeddingModelConfigRows, sinkRows } from '#src/services/pipelines/pipeline-view.ts';
import { failedIn, failedRows, projectRunRows } from '#src/services/pipelines/runs.ts';
import { statusCountRows } from '#src/services/pipelines/statuses.ts';
import { changedMembers, orphans } from '#src/services/sync/difference.ts';
import { markIndexed, rememberIndexed } from '#src/services/sync/record.ts';
import { createPipeline } from '#test/support/pipelines.ts';

interface Query {
  toSQL(): { sql: string; params: unknown[] };
}

const ctx = createContext(env as never, { waitUntil() {} });
const PROJECT = 'a project';
const tenant = { ...ctx, projectId: PROJECT } as TenantContext;
const PIPELINE = 'a pipeline';

async function planOf(query: Query): Promise<string[]> {
  const { sql, params } = query.toSQL();
  const { results } = await env.DB.prepare(`explain query plan ${sql}`)
    .bind(...params)
    .all<{ detail: string }>();
  return results.map(({ detail }) => detail);
}

/** Every table is reached through an index, and nothing is sorted that an index has in order. */
async function expectIndexed(query: Query): Promise<void> {
  const plan = await planOf(query);
  expect(plan.length).toBeGreaterThan(0);
  for (const step of plan) {
    expect(step, plan.join('\n')).not.toMatch(/^SCAN(?! \(subquery| json_each)/);
    expect(step, plan.join('\n')).not.toMatch(/TEMP B-TREE/);
  }
}

const byCreation = { by: 'created_at', sorted: asc } as const;
const byName = { by: 'name', sorted: desc } as const;
const SOURCE = crypto.randomUUID();

const filters: [string, PipelineFileFilter][] = [
  ['no filter', {}],
  ['a data source', { data_source_id: SOURCE }],
  ['uploads only', { only_manually_uploaded: true }],
  ['one state', { statuses: ['ERROR'] }],
  ['several states', { statuses: ['ERROR', 'SUCCESS'] }],
  ['part of a name', { file_name_contains: 'x' }],
  ['a reason', { reason: 'x' }],
];

describe('lists read indexes only', () => {
  it.each(filters)('of pipeline files with %s', async (_, filter) => {
    const where = pipelineFileConditions(PIPELINE, filter);
    const after = following([pipelineMembers.createdAt, pipelineMembers.id], [1, 'x'], 'asc');
    await expectIndexed(pipelineFileRows(ctx, where, byCreation).limit(50).offset(10));
    await expectIndexed(pipelineFileRows(ctx, and(where, after), byCreation).limit(50));
    await expectIndexed(pipelineFileRows(ctx, and(eq(files.projectId, PROJECT), where), byName).limit(50));
    for (const sorted of [asc, desc]) {
      await expectIndexed(pipelineFileRows(ctx, where, { by: 'status', sorted }).limit(50));
      const within = and(eq(files.projectId, PROJECT), where);
      await expectIndexed(pipelineFileRows(ctx, within, { by: 'file_size', sorted }).limit(50));
    }
    await expectIndexed(pipelineFileTotal(ctx, where, filter));
  });

  it.each(filters)('of files to try again or to take out, with %s', async (_, filter) => {
    for (const statuses of [filter.statuses, ['ERROR', 'CANCELLED'] as const]) {
      const where = selected(PIPELINE, { filter: { ...filter, statuses: statuses && [...statuses] } });
      await expectIndexed(selectedRows(ctx, where).limit(500));
      await expectIndexed(ctx.db.select({ n: count() }).from(selectedRows(ctx, where).as('selected')));
      await expectIndexed(retryUpdate(ctx, isIn(where)));
    }
    await expectIndexed(selectedRows(ctx, selected(PIPELINE, { file_ids: ['a file'] })).limit(500));
  });

  it.each([{}, { data_source_id: SOURCE }, { only_manually_uploaded: true }])(
    'of failures by reason, with %j',
    async (filter) => {
      const where = pipelineFileConditions(PIPELINE, { ...filter, statuses: ['ERROR'] });
      const plan = await planOf(failureRows(ctx, where).limit(100));
      // Reasons are sorted and grouped by what is inside an error; only files in ERROR are read for it.
      expect(plan[0]).toMatch(
        /^SEARCH .* USING INDEX \w+ \(pipeline_id=\? AND kind=\? AND (status|data_source_id)=\?/,
      );
      expect(plan.join('\n')).not.toContain('SCAN');
    },
  );

  it('of the metadata of a pipeline, and of what pipelines refer to', async () => {
    await expectIndexed(newestRows(ctx, PIPELINE).limit(2000));
    await expectIndexed(metadataRows(ctx, ['a member']));
    await expectIndexed(sinkRows(ctx, ['a sink']));
    await expectIndexed(embeddingModelConfigRows(ctx, ['a config']));
  });

  it('of states', async () => {
    await expectIndexed(statusCountRows(ctx, pipelineFileConditions(PIPELINE, {})));
    await expectIndexed(statusCountRows(ctx, textsOf(PIPELINE)));
    await expectIndexed(statusCountRows(ctx, membersOf(PIPELINE)));
  });

  it('of what differs between a pipeline and its index', async () => {
    const [pipeline, index] = [{ id: PIPELINE }, { id: 'an index' }];
    const state = { shape: { content: 'shape', metadata: 'shape' }, ocrId: 'none' };
    const after = { id: 'x', kind: 'file', documentId: 'x', status: 'ERROR', bytes: null } as const;
    for (const last of [undefined, after]) {
      await expectIndexed(changedMembers(ctx, pipeline, index, state, last, undefined));
      await expectIndexed(orphans(ctx, pipeline, index, last));
    }
    const [first] = await planOf(changedMembers(ctx, pipeline, index, state, after, undefined));
    expect(first).toContain('(pipeline_id=? AND (document_id,kind)>(?,?))');
  });

  it('of what is written of many members at once, which are looked up one by one', async () => {
    const subject = {
      ...{ documentId: 'd', kind: 'text' as const, isMember: undefined },
      fingerprints: { content: 'c', metadata: 'm' },
    };
    const result = { version: 1, chunkCount: 1, pageCount: 1, contextHash: 'h' };
    const many = [{ subject, result, entry: result }];
    const index = { id: 'an index' } as PipelineIndex;
    for (const statement of [
      markIndexed(ctx, { id: PIPELINE }, many),
      rememberIndexed({ ctx, index }, many),
    ]) {
      const plan = (await planOf(statement)).join('\n');
      expect(plan).toMatch(/^SCAN row.*\nSEARCH (pipeline_members|indexed_documents) USING/);
    }
  });

  it('of documents, syncs, data sources and messages', async () => {
    for (const filter of [
      {},
      { only_direct_upload: true },
      { only_api_data_source_documents: true },
      { only_direct_upload: true, only_api_data_source_documents: true },
    ]) {
      const where = documentConditions(PIPELINE, filter);
      await expectIndexed(documentPage(ctx, where, { skip: 100, limit: 10 }));
      await expectIndexed(ctx.db.select({ n: count() }).from(pipelineMembers).where(where));
    }
    await expectIndexed(documentRows(ctx, documentConditions(PIPELINE, { file_id: 'a file' })));
    await expectIndexed(syncRunRows(ctx, eq(syncRuns.pipelineId, PIPELINE)).limit(50));
    await expectIndexed(messageRows(ctx, 'a session').limit(50));
    await expectIndexed(messageRows(ctx, 'a session', 100).limit(50));
    // A pipeline has a handful of sources, so these may be sorted.
    expect((await planOf(pipelineDataSourceRows(ctx, PIPELINE))).join()).not.toContain('SCAN');
  });

  it.each(['pipeline', 'retriever'] as const)('of conversations with a %s', async (kind) => {
    const caller = { ...ctx, actor: { userId: 'a user' } } as TenantContext;
    const corpus = { kind, id: 'its id', projectId: PROJECT, excludedKeys: [] };
    await expectIndexed(sessionRows(caller, corpus).limit(50).offset(10));
    await expectIndexed(streamRows(caller, corpus, 'a chat').limit(1));
  });

  it('of syncs and overviews of several pipelines', async () => {
    const { pipelines } = await import('#src/db/schema/index.ts');
    for (const key of [undefined, [1, 'x']]) {
      const plan = await planOf(
        projectRunRows(ctx, eq(pipelines.projectId, PROJECT), { isOfState: undefined, key, limit: 50 }),
      );
      expect(plan.join('\n')).toMatch(/sync_runs USING COVERING INDEX sync_runs_by_start \(pipeline_id=\?/);
      expect(plan.join('\n')).not.toMatch(/SCAN (?!json_each)/);
    }
    for (const query of [newestRunRows(ctx, [PIPELINE]), memberCountRows(ctx, [PIPELINE])] as Query[]) {
      expect((await planOf(query)).join('\n')).not.toMatch(/SCAN (?!json_each|each)/);
    }
    await expectIndexed(failedRows(ctx, failedIn({ id: PIPELINE }, { id: 'a run' })).limit(50));
  });

  it('of pipelines and configurations', async () => {
    const { pipelines, configurations } = await import('#src/db/schema/index.ts');
    const afterPipeline = following([pipelines.createdAt, pipelines.id], [1, 'x'], 'desc');
    await expectIndexed(pipelineRows(ctx, and(eq(pipelines.projectId, PROJECT), afterPipeline)).limit(50));
    const after = following([configurations.createdAt, configurations.id], [1, 'x'], 'desc');
    for (const filter of [
      {},
      { latest_only: true },
      { product_type: ['parse_v2' as const], latest_only: true },
    ]) {
      const where = configurationConditions(ctx, PROJECT, filter);
      await expectIndexed(configurationRows(ctx, and(where, after)).limit(50));
    }
  });
});

it.each(['name', 'id', 'created_at', 'file_size'])('files of a project sorted by %s', async (by) => {
  for (const direction of ['', ' desc']) {
    const { order, direction: sorted } = readOrder(by + direction);
    const after = following(order.columns, order.shape.slice(0, order.columns.length).map(sample), sorted);
    const where = and(fileConditions(tenant, { name_contains: 'x', file_types: ['pdf'] }), after);
    const page = fileRows(ctx, where, { order, direction: sorted }).limit(50);
    await expectIndexed(page);
    expect((await planOf(page))[0]).toMatch(/project_id=\? AND .*[<>]/);
  }
});

const sample = (part: 'string' | 'number') => (part === 'number' ? 1 : 'x');

describe('with 100,000 rows in a pipeline', () => {
  let id = '';
  beforeAll(async () => {
    id = await createPipeline();
    await openDatabase(env.DB);
    const project = await env.DB.prepare('select project_id as id from pipelines where id = ?')
      .bind(id)
      .first<{ id: string }>();
    await env.DB.batch([
      env.DB.prepare(
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000)
         insert into files (id, project_id, name, created_at) select 'many-' || i, ?, 'file ' || i, i from n`,
      ).bind(project!.id),
      env.DB.prepare(
        `insert into pipeline_members (id, pipeline_id, kind, document_id, file_id, created_at)
         select 'in-' || id, ?, 'file', id, id, created_at from files where id like 'many-%'`,
      ).bind(id),
    ]);
  });

  it('a page from the middle reads the rows it shows, not the table', async () => {
    const where = pipelineFileConditions(id, {});
    const after = following([pipelineMembers.createdAt, pipelineMembers.id], [50_000, ''], 'asc');
    for (const query of [
      pipelineFileRows(ctx, and(where, after), byCreation).limit(51),
      pipelineFileRows(ctx, and(where, after, eq(pipelineMembers.status, 'NOT_STARTED')), byCreation).limit(
        51,
      ),
    ] as Query[]) {
      const { sql, params } = query.toSQL();
      const { results, meta } = await env.DB.prepare(sql)
        .bind(...params)
        .run();
      expect(results).toHaveLength(51);
      expect(meta.rows_read).toBeLessThan(500);
    }
  });
});
