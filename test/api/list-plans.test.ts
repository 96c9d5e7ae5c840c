import { env } from 'cloudflare:workers';
import { and, asc, count, desc, eq } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { selectMessages } from '#src/chat/sessions/messages.ts';
import { selectSessions } from '#src/chat/sessions/sessions.ts';
import { selectStreams } from '#src/chat/sessions/streams.ts';
import { createContext, type TenantContext } from '#src/context/context.ts';
import { openDatabase } from '#src/db/client.ts';
import { afterKey } from '#src/db/paging.ts';
import { whereMembers, whereTexts } from '#src/db/pipeline-members.ts';
import { files, type PipelineIndex, pipelineMembers, syncRuns } from '#src/db/schema/index.ts';
import { selectMetadata, selectNewestMembers } from '#src/retrieval/metadata-keys.ts';
import {
  buildFileConditions,
  type FileFilter,
  parseOrder,
  selectFileRows,
  selectLabelled,
} from '#src/services/files/listing.ts';
import { buildConfigurationConditions, selectConfigurations } from '#src/services/jobs/configurations.ts';
import {
  buildRetryUpdate,
  selectFiles,
  whereIdSelected,
  whereSelected,
} from '#src/services/pipelines/bulk-files.ts';
import {
  buildDocumentConditions,
  isFiltered,
  selectDocuments,
} from '#src/services/pipelines/documents/document-members.ts';
import { selectDocumentPage } from '#src/services/pipelines/documents/documents.ts';
import { selectPipelines, selectSyncRuns } from '#src/services/pipelines/lists.ts';
import { selectStatusCounts } from '#src/services/pipelines/member-statuses.ts';
import { selectMemberCounts, selectNewestRuns } from '#src/services/pipelines/overview.ts';
import { selectPipelineDataSources } from '#src/services/pipelines/pipeline-data-sources.ts';
import { selectFailures } from '#src/services/pipelines/pipeline-file-failures.ts';
import {
  buildPipelineFileConditions,
  countPipelineFiles,
  type PipelineFileFilter,
  selectPipelineFiles,
} from '#src/services/pipelines/pipeline-file-lists.ts';
import { selectEmbeddingModelConfigs, selectSinks } from '#src/services/pipelines/pipeline-view.ts';
import { selectFailedItems, selectProjectRuns, whereFailedIn } from '#src/services/pipelines/runs.ts';
import { selectChangedMembers, selectOrphans } from '#src/services/sync/difference.ts';
import { buildEntryUpdate, buildMemberUpdate } from '#src/services/sync/record.ts';
import { createPipeline } from '#test/support/pipelines.ts';

interface Query {
  toSQL(): { sql: string; params: unknown[] };
}

const ctx = createContext(env as never, { waitUntil() {} });
const PROJECT = 'a project';
const tenant = { ...ctx, projectId: PROJECT } as TenantContext;
const PIPELINE = 'a pipeline';

async function explainPlan(query: Query): Promise<string[]> {
  const { sql, params } = query.toSQL();
  const { results } = await env.DB.prepare(`explain query plan ${sql}`)
    .bind(...params)
    .all<{ detail: string }>();
  return results.map(({ detail }) => detail);
}

/** Checks that a query reads every table through an index and sorts nothing in a temporary B-tree. */
async function expectIndexed(query: Query): Promise<void> {
  const plan = await explainPlan(query);
  expect(plan.length).toBeGreaterThan(0);
  for (const step of plan) {
    expect(step, plan.join('\n')).not.toMatch(/^SCAN(?! \(subquery| json_each)/);
    expect(step, plan.join('\n')).not.toMatch(/TEMP B-TREE/);
  }
}

/** Checks that a query merges the sorted files and texts of a pipeline, and sorts only the page. */
async function expectMerged(query: Query): Promise<void> {
  const plan = (await explainPlan(query)).join('\n');
  expect(plan).toMatch(/MERGE \(UNION ALL\)/);
  expect(plan.match(/USING COVERING INDEX pipeline_members_by_creation/g), plan).toHaveLength(2);
  expect(plan.match(/TEMP B-TREE FOR ORDER BY/g) ?? [], plan).toHaveLength(1);
  expect(plan, plan).not.toMatch(/^SCAN(?! page)/m);
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

describe('indexes', () => {
  it.each(filters)('cover lists of pipeline files with %s', async (_, filter) => {
    const where = buildPipelineFileConditions(PIPELINE, filter);
    const after = afterKey([pipelineMembers.createdAt, pipelineMembers.id], [1, 'x'], 'asc');
    await expectIndexed(selectPipelineFiles(ctx, where, byCreation).limit(50).offset(10));
    await expectIndexed(selectPipelineFiles(ctx, and(where, after), byCreation).limit(50));
    await expectIndexed(selectPipelineFiles(ctx, and(eq(files.projectId, PROJECT), where), byName).limit(50));
    for (const sorted of [asc, desc]) {
      await expectIndexed(selectPipelineFiles(ctx, where, { by: 'status', sorted }).limit(50));
      const within = and(eq(files.projectId, PROJECT), where);
      await expectIndexed(selectPipelineFiles(ctx, within, { by: 'file_size', sorted }).limit(50));
    }
    await expectIndexed(countPipelineFiles(ctx, where, filter));
  });

  it.each(filters)('cover files to retry or to remove, with %s', async (_, filter) => {
    for (const statuses of [filter.statuses, ['ERROR', 'CANCELLED'] as const]) {
      const where = whereSelected(PIPELINE, { filter: { ...filter, statuses: statuses && [...statuses] } });
      await expectIndexed(selectFiles(ctx, where).limit(500));
      await expectIndexed(ctx.db.select({ n: count() }).from(selectFiles(ctx, where).as('selected')));
      await expectIndexed(buildRetryUpdate(ctx, whereIdSelected(where)));
    }
    await expectIndexed(selectFiles(ctx, whereSelected(PIPELINE, { file_ids: ['a file'] })).limit(500));
  });

  it.each([{}, { data_source_id: SOURCE }, { only_manually_uploaded: true }])(
    'cover failures by reason, with %j',
    async (filter) => {
      const where = buildPipelineFileConditions(PIPELINE, { ...filter, statuses: ['ERROR'] });
      const plan = await explainPlan(selectFailures(ctx, where).limit(100));
      // Failures are grouped and sorted by the reason in the error, so only files in ERROR are read.
      expect(plan[0]).toMatch(
        /^SEARCH .* USING INDEX \w+ \(pipeline_id=\? AND (kind=\? AND status|data_source_id)=\?/,
      );
      expect(plan.join('\n')).not.toContain('SCAN');
    },
  );

  it('cover the metadata of a pipeline and the resources it refers to', async () => {
    await expectMerged(selectNewestMembers(ctx, PIPELINE, 2000));
    await expectIndexed(selectMetadata(ctx, ['a member']));
    await expectIndexed(selectSinks(ctx, ['a sink']));
    await expectIndexed(selectEmbeddingModelConfigs(ctx, ['a config']));
  });

  it('cover status counts', async () => {
    await expectIndexed(selectStatusCounts(ctx, buildPipelineFileConditions(PIPELINE, {})));
    await expectIndexed(selectStatusCounts(ctx, whereTexts(PIPELINE)));
    await expectIndexed(selectStatusCounts(ctx, whereMembers(PIPELINE)));
  });

  it('cover the differences between a pipeline and its index', async () => {
    const [pipeline, index] = [{ id: PIPELINE }, { id: 'an index' }];
    const state = { shape: { content: 'shape', metadata: 'shape' }, ocrId: 'none' };
    const after = { id: 'x', kind: 'file', documentId: 'x', status: 'ERROR', bytes: null } as const;
    for (const last of [undefined, after]) {
      await expectIndexed(selectChangedMembers(ctx, pipeline, index, state, last, undefined));
      await expectIndexed(selectOrphans(ctx, pipeline, index, last));
    }
    const [first] = await explainPlan(selectChangedMembers(ctx, pipeline, index, state, after, undefined));
    expect(first).toContain('(pipeline_id=? AND (document_id,kind)>(?,?))');
  });

  it('cover updates of many members, which are looked up one by one', async () => {
    const subject = {
      ...{ documentId: 'd', kind: 'text' as const, isMember: undefined },
      fingerprints: { content: 'c', metadata: 'm' },
    };
    const result = { version: 1, chunkCount: 1, pageCount: 1, contextHash: 'h' };
    const many = [{ subject, result, entry: result }];
    const index = { id: 'an index' } as PipelineIndex;
    for (const statement of [
      buildMemberUpdate(ctx, { id: PIPELINE }, many),
      buildEntryUpdate({ ctx, index }, many),
    ]) {
      const plan = (await explainPlan(statement)).join('\n');
      expect(plan).toMatch(/^SCAN row.*\nSEARCH (pipeline_members|indexed_documents) USING/);
    }
  });

  it('cover lists of documents, syncs, data sources and messages', async () => {
    for (const filter of [
      {},
      { only_direct_upload: true },
      { only_api_data_source_documents: true },
      { only_direct_upload: true, only_api_data_source_documents: true },
    ]) {
      const where = buildDocumentConditions(PIPELINE, filter);
      const expectFast = isFiltered(filter) ? expectIndexed : expectMerged;
      await expectFast(selectDocumentPage(ctx, PIPELINE, filter, { skip: 100, limit: 10 }));
      await expectIndexed(ctx.db.select({ n: count() }).from(pipelineMembers).where(where));
    }
    await expectIndexed(selectDocuments(ctx, buildDocumentConditions(PIPELINE, { file_id: 'a file' })));
    await expectIndexed(selectSyncRuns(ctx, eq(syncRuns.pipelineId, PIPELINE)).limit(50));
    await expectIndexed(selectMessages(ctx, 'a session').limit(50));
    await expectIndexed(selectMessages(ctx, 'a session', 100).limit(50));
    // A pipeline has only a few data sources, so sorting them is acceptable.
    expect((await explainPlan(selectPipelineDataSources(ctx, PIPELINE))).join()).not.toContain('SCAN');
  });

  it.each(['pipeline', 'retriever'] as const)('cover conversations with a %s', async (kind) => {
    const caller = { ...ctx, actor: { userId: 'a user' } } as TenantContext;
    const corpus = { kind, id: 'its id', projectId: PROJECT };
    await expectIndexed(selectSessions(caller, corpus).limit(50).offset(10));
    await expectIndexed(selectStreams(caller, corpus, 'a chat').limit(1));
  });

  it('cover syncs and overviews of several pipelines', async () => {
    const { pipelines } = await import('#src/db/schema/index.ts');
    for (const key of [undefined, [1, 'x']]) {
      const plan = await explainPlan(
        selectProjectRuns(ctx, eq(pipelines.projectId, PROJECT), { hasStatus: undefined, key, limit: 50 }),
      );
      expect(plan.join('\n')).toMatch(/sync_runs USING COVERING INDEX sync_runs_by_start \(pipeline_id=\?/);
      expect(plan.join('\n')).not.toMatch(/SCAN (?!json_each)/);
    }
    for (const query of [selectNewestRuns(ctx, [PIPELINE]), selectMemberCounts(ctx, [PIPELINE])] as Query[]) {
      expect((await explainPlan(query)).join('\n')).not.toMatch(/SCAN (?!json_each|each)/);
    }
    await expectIndexed(selectFailedItems(ctx, whereFailedIn({ id: PIPELINE }, { id: 'a run' })).limit(50));
  });

  it('cover lists of pipelines and configurations', async () => {
    const { pipelines, configurations } = await import('#src/db/schema/index.ts');
    const afterPipeline = afterKey([pipelines.createdAt, pipelines.id], [1, 'x'], 'desc');
    await expectIndexed(selectPipelines(ctx, and(eq(pipelines.projectId, PROJECT), afterPipeline)).limit(50));
    const after = afterKey([configurations.createdAt, configurations.id], [1, 'x'], 'desc');
    for (const filter of [
      {},
      { latest_only: true },
      { product_type: ['parse_v2' as const], latest_only: true },
    ]) {
      const where = buildConfigurationConditions(ctx, PROJECT, filter);
      await expectIndexed(selectConfigurations(ctx, and(where, after)).limit(50));
    }
  });
});

it.each(['name', 'id', 'created_at', 'file_size'])(
  'an index covers the files of a project sorted by %s',
  async (by) => {
    for (const direction of ['', ' desc']) {
      const { order, direction: sorted } = parseOrder(by + direction);
      const after = afterKey(order.columns, order.shape.slice(0, order.columns.length).map(sample), sorted);
      const where = and(buildFileConditions(tenant, { name_contains: 'x', file_types: ['pdf'] }), after);
      const page = selectFileRows(ctx, where, { order, direction: sorted }).limit(50);
      await expectIndexed(page);
      expect((await explainPlan(page))[0]).toMatch(/project_id=\? AND .*[<>]/);
    }
  },
);

const FOLDER = 'reports/2026';

it.each(['name', 'created_at', 'file_size'])(
  'indexes cover the files of a folder or tag by %s',
  async (by) => {
    const sorting = parseOrder(by);
    const key = sorting.order.shape.slice(0, sorting.order.columns.length).map(sample);
    const folder = { folder: FOLDER };
    const within = { ...folder, include_subfolders: true };
    const tags = { tags: ['a', 'b'] };
    for (const after of [undefined, key]) {
      const explain = async (filter: FileFilter, total: number) =>
        (await explainPlan(selectLabelled(tenant, filter, sorting, after, total).limit(50))).join('\n');
      expect(await explain(folder, 100)).toMatch(/files_by_folder \(project_id=\? AND folder=\?/);
      expect(await explain(within, 100)).toMatch(
        /files_by_folder \(project_id=\? AND folder>\? AND folder<\?/,
      );
      expect(await explain(tags, 100)).toMatch(
        /^SEARCH files USING INDEX \w+ \((project_id=\? AND )?id=\?\)/,
      );
      // Many files are read in the order of the list and not sorted.
      for (const filter of [folder, within, tags]) {
        const plan = await explain(filter, 1_000_000);
        expect(plan, plan).not.toMatch(/TEMP B-TREE|^SCAN/m);
        expect(plan).not.toContain('files_by_folder');
      }
    }
  },
);

it('an index contains the files of a folder by creation time', async () => {
  const sorting = parseOrder('created_at desc');
  const query = selectFileRows(ctx, buildFileConditions(tenant, { folder: FOLDER }), sorting).limit(50);
  await expectIndexed(query);
  expect((await explainPlan(query))[0]).toContain('files_by_folder (project_id=? AND folder=?)');
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

  it('a page in the middle reads only the rows it shows', async () => {
    const where = buildPipelineFileConditions(id, {});
    const after = afterKey([pipelineMembers.createdAt, pipelineMembers.id], [50_000, ''], 'asc');
    for (const query of [
      selectPipelineFiles(ctx, and(where, after), byCreation).limit(51),
      selectPipelineFiles(
        ctx,
        and(where, after, eq(pipelineMembers.status, 'NOT_STARTED')),
        byCreation,
      ).limit(51),
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
