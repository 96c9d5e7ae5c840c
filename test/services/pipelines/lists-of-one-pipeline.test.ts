import { beforeEach, describe, expect, it } from 'vitest';
import type { TenantContext } from '#src/context/context.ts';
import {
  buildDocumentConditions,
  findMembers,
  selectDocuments,
} from '#src/services/pipelines/documents/document-members.ts';
import { readExcludedKeys } from '#src/services/pipelines/documents/documents.ts';
import { countFailuresByReason } from '#src/services/pipelines/pipeline-file-failures.ts';
import {
  countFilesByStatus,
  getPipelineFileOffsetPage,
  getPipelineFilePage,
  type PipelineFileFilter,
} from '#src/services/pipelines/pipeline-file-lists.ts';
import { getRun, getRunPage } from '#src/services/pipelines/runs.ts';
import {
  insertFile,
  insertMember,
  insertPipeline,
  insertProject,
  insertRun,
  insertSource,
  insertText,
} from '#test/support/inserted-rows.ts';
import { quietScopeOf } from '#test/support/scopes.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

// A list of a pipeline has the rows of this pipeline alone, even if another one has the same file, a text with the same
// id, or the same data source.

let tenant: Tenant;
let scope: TenantContext;
let pipeline: string;
/** Another pipeline of the same project. */
let other: string;

beforeEach(async () => {
  tenant = await createTenant();
  scope = await quietScopeOf(tenant);
  pipeline = await insertPipeline(tenant.projectId);
  other = await insertPipeline(tenant.projectId);
});

const insertOwnFile = (columns: Parameters<typeof insertFile>[1] = {}) =>
  insertFile(tenant.projectId, columns);

/** A file of both pipelines, and a text of the first one with the id of the file. */
async function insertTwins() {
  const file = await insertOwnFile();
  const members = [await insertMember(pipeline, file), await insertText(pipeline, file)];
  await insertMember(other, file);
  return { file, members };
}

describe('the documents of a pipeline', () => {
  it.each([
    [{}, ['file', 'text', 'fetched']],
    [{ only_direct_upload: true }, ['text']],
    [{ only_api_data_source_documents: true }, ['fetched']],
    [{ only_direct_upload: true, only_api_data_source_documents: true }, []],
  ])('that match %j are %j', async (filter, expected) => {
    const dataSourceId = await insertSource(tenant.projectId);
    const { file, members } = await insertTwins();
    const fetched = await insertOwnFile();
    const names = new Map([
      [members[0]!, 'file'],
      [members[1]!, 'text'],
      [await insertMember(pipeline, fetched, { dataSourceId }), 'fetched'],
    ]);
    await insertMember(other, fetched, { dataSourceId });
    const list = async (more: object) => {
      const rows = await selectDocuments(scope, buildDocumentConditions(pipeline, { ...filter, ...more }));
      return rows.map(({ member }) => names.get(member.id)).toSorted();
    };
    expect(await list({})).toEqual(expected.toSorted());
    const ofFile = Object.keys(filter).length === 0 ? ['file'] : [];
    expect(await list({ file_id: file })).toEqual(ofFile);
    const ofFetched = 'only_direct_upload' in filter ? [] : ['fetched'];
    expect(await list({ file_id: fetched })).toEqual(ofFetched);
  });

  it('have metadata that models must not see, each in its own pipeline', async () => {
    await insertText(pipeline, 'doc', { excludedEmbedMetadataKeys: ['a'], excludedLlmMetadataKeys: ['b'] });
    await insertText(other, 'doc', { excludedEmbedMetadataKeys: ['c'], excludedLlmMetadataKeys: ['d'] });
    await insertText(pipeline, 'another', { excludedLlmMetadataKeys: ['e'] });
    const found = await readExcludedKeys(scope, pipeline, [{ documentId: 'doc', metadata: {} }]);
    expect([...found]).toEqual([['doc', { embed: ['a'], llm: ['b'] }]]);
  });

  it('are found in their pipeline, a text before the file with its id', async () => {
    const { file, members } = await insertTwins();
    await insertText(other, 'elsewhere');
    const found = await findMembers(scope, pipeline, [file, 'elsewhere']);
    expect([...found].map(([id, { member }]) => [id, member.id])).toEqual([[file, members[1]]]);
  });
});

describe('the files of a pipeline', () => {
  let source: string;
  const failure = (message: string) =>
    ({ status: 'ERROR', error: { job_id: 'j', message, step: 'PARSE' } }) as const;

  beforeEach(async () => {
    source = await insertSource(tenant.projectId);
    const rows = [
      ['uploaded.txt', { status: 'SUCCESS' }],
      ['torn upload.txt', failure('Torn.')],
      ['torn.txt', { ...failure('Torn.'), dataSourceId: source }],
      ['burnt.txt', { ...failure('Burnt.'), dataSourceId: await insertSource(tenant.projectId) }],
      ['cancelled.txt', { status: 'CANCELLED', error: failure('Torn.').error, dataSourceId: source }],
    ] as const;
    for (const [name, columns] of rows) await insertMember(pipeline, await insertOwnFile({ name }), columns);
    const elsewhere = await insertOwnFile({ name: 'elsewhere.txt' });
    await insertMember(other, elsewhere, { ...failure('Torn.'), dataSourceId: source });
    await insertOwnFile({ name: 'loose.txt' });
  });

  const ALL = ['burnt.txt', 'cancelled.txt', 'torn upload.txt', 'torn.txt', 'uploaded.txt'];

  it.each<[string, () => PipelineFileFilter, string[]]>([
    ['all', () => ({}), ALL],
    ['of a data source', () => ({ data_source_id: source }), ['cancelled.txt', 'torn.txt']],
    ['uploaded', () => ({ only_manually_uploaded: true }), ['torn upload.txt', 'uploaded.txt']],
    ['with a part of their name', () => ({ file_name_contains: 'TORN' }), ['torn upload.txt', 'torn.txt']],
    ['with a status', () => ({ statuses: ['CANCELLED'] }), ['cancelled.txt']],
    [
      'with one of two statuses',
      () => ({ statuses: ['CANCELLED', 'SUCCESS'] }),
      ['cancelled.txt', 'uploaded.txt'],
    ],
    ['with a reason', () => ({ reason: 'Torn.' }), ['torn upload.txt', 'torn.txt']],
    [
      'with all of these',
      () => ({ data_source_id: source, reason: 'Torn.', file_name_contains: 'torn' }),
      ['torn.txt'],
    ],
  ])('are listed and counted: %s', async (_, toFilter, expected) => {
    const filter = toFilter();
    const page = await getPipelineFilePage(scope, pipeline, filter);
    expect(page.items.map(({ file }) => file.name).toSorted()).toEqual(expected);
    expect(page.total_size).toBe(expected.length);
    for (const order_by of ['created_at', 'name', 'status', 'file_size']) {
      const { files, total_count } = await getPipelineFileOffsetPage(scope, pipeline, {
        ...filter,
        order_by,
      });
      expect([order_by, files.map(({ file }) => file.name).toSorted()]).toEqual([order_by, expected]);
      expect(total_count).toBe(expected.length);
    }
    const counts = Object.values(await countFilesByStatus(scope, pipeline, filter));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(expected.length);
  });

  it.each<[string, () => PipelineFileFilter, Record<string, number>]>([
    ['all', () => ({}), { 'Torn.': 2, 'Burnt.': 1 }],
    ['of a data source', () => ({ data_source_id: source }), { 'Torn.': 1 }],
    ['uploaded', () => ({ only_manually_uploaded: true }), { 'Torn.': 1 }],
  ])('are counted by the reason of their failure: %s', async (_, toFilter, expected) => {
    const { reasons, total_count } = await countFailuresByReason(scope, pipeline, toFilter());
    expect(Object.fromEntries(reasons.map(({ reason, count }) => [reason, count]))).toEqual(expected);
    expect(total_count).toBe(Object.values(expected).reduce((sum, count) => sum + count, 0));
  });
});

describe('the syncs of a project', () => {
  it('are selected by pipeline and status', async () => {
    const ofSibling = await insertPipeline(await insertProject(tenant.organizationId));
    const startedAt = (second: number) => ({ startedAt: new Date(second * 1000) });
    const failed = { status: 'ERROR' } as const;
    const first = await insertRun(pipeline, 1, { ...failed, ...startedAt(1) });
    const second = await insertRun(pipeline, 2, startedAt(2));
    const third = await insertRun(other, 1, { ...failed, ...startedAt(3) });
    await insertRun(ofSibling, 1, failed);
    const list = async (query: Parameters<typeof getRunPage>[1]) => {
      const { items, total_size } = await getRunPage(scope, query);
      expect(total_size).toBe(items.length);
      return items.map(({ run }) => run.id);
    };
    expect(await list({})).toEqual([third, second, first]);
    expect(await list({ statuses: ['ERROR'] })).toEqual([third, first]);
    expect(await list({ pipeline_id: pipeline })).toEqual([second, first]);
    expect(await list({ pipeline_id: pipeline, statuses: ['ERROR'] })).toEqual([first]);
    expect(await list({ pipeline_id: ofSibling })).toEqual([]);
  });

  it('name what failed in them, of their pipeline', async () => {
    const run = await insertRun(pipeline, 1);
    const failed = (job_id: string) =>
      ({ status: 'ERROR', error: { job_id, message: 'Torn.', step: 'PARSE' } }) as const;
    await insertText(pipeline, 'in this run', failed(run));
    await insertText(pipeline, 'in another run', failed(crypto.randomUUID()));
    await insertText(pipeline, 'not any more', { ...failed(run), status: 'SUCCESS' });
    await insertText(other, 'elsewhere', failed(run));
    const { failed: shown } = await getRun(scope, pipeline, run, { limit: 10, offset: 0 });
    expect(shown).toMatchObject({ total_count: 1, items: [{ document_id: 'in this run', reason: 'Torn.' }] });
  });
});
