import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { keys } from '#src/bucket/keys.ts';
import { createContext } from '#src/context/context.ts';
import { openDatabase } from '#src/db/client.ts';
import { type IngestionStatus, indexedDocuments, pipelineIndexes } from '#src/db/schema/index.ts';
import { failLostMembers, markPlanned, stopUnfinished } from '#src/services/pipelines/member-statuses.ts';
import { buildEntryUpdate, buildMemberUpdate, removeSuperseded } from '#src/services/sync/record.ts';
import { concludeRun, hasDifferences, recordItemFailure } from '#src/services/sync/runs.ts';
import { scheduledSources } from '#src/services/sync/schedules.ts';
import { beginSources, removeFilesOfFormerSources } from '#src/services/sync/sources.ts';
import type { Work } from '#src/services/sync/work.ts';
import type { Run, WorkItem } from '#src/work/sync-owner.ts';
import { keysUnder } from '#test/support/files.ts';
import {
  attachSource,
  hasRow,
  insertFile,
  insertMember,
  insertPipeline,
  insertRun,
  insertSource,
  insertText,
  valuesOf,
} from '#test/support/inserted-rows.ts';
import { createTenant } from '#test/support/tenants.ts';

// A sync changes the rows of its pipeline alone, and of these only the ones that its step is about.

const db = openDatabase(env.DB);
const ctx = createContext(env, { waitUntil() {} });
let projectId: string;
let pipeline: string;
/** Another pipeline of the same project. */
let other: string;
let source: string;

beforeEach(async () => {
  projectId = (await createTenant()).projectId;
  pipeline = await insertPipeline(projectId);
  other = await insertPipeline(projectId);
  source = await insertSource(projectId);
});

const runOf = (pipelineId: string, jobId: string, more: Partial<Run> = {}) =>
  ({
    pipelineId,
    jobId,
    generation: 1,
    reason: 'request',
    startedAt: 0,
    counters: {},
    verdict: null,
    ...more,
  }) as Run;
const begin = async (pipelineId: string, more: Partial<Run> = {}) =>
  runOf(pipelineId, await insertRun(pipelineId, 1, { status: 'IN_PROGRESS', finishedAt: null }), more);
const statusOf = async (table: string, id: string) => (await valuesOf(table, 'status', `id = '${id}'`))[0];
const statusesOf = (table: string, ids: readonly string[]) =>
  Promise.all(ids.map((id) => statusOf(table, id)));

const STATUSES = ['NOT_STARTED', 'IN_PROGRESS', 'SUCCESS', 'ERROR'] as const satisfies IngestionStatus[];

/** Inserts a file, a text and a data source of a pipeline in each status. */
async function insertEach(pipelineId: string) {
  const found = { pipeline_members: [] as string[], pipeline_data_sources: [] as string[] };
  for (const status of STATUSES) {
    const file = await insertFile(projectId);
    found.pipeline_members.push(await insertMember(pipelineId, file, { status }));
    found.pipeline_members.push(await insertText(pipelineId, status, { status }));
    found.pipeline_data_sources.push(
      await attachSource(pipelineId, await insertSource(projectId), { status }),
    );
  }
  return found;
}

const twice = <Value>(values: readonly Value[]) => values.flatMap((value) => [value, value]);

describe('the end of a run that was stopped', () => {
  it.each([
    ['CANCELLED', ['CANCELLED', 'CANCELLED', 'SUCCESS', 'ERROR']],
    ['ERROR', ['NOT_STARTED', 'ERROR', 'SUCCESS', 'ERROR']],
  ] as const)('sets %s for what it has not finished', async (status, expected) => {
    const [own, theirs] = [await insertEach(pipeline), await insertEach(other)];
    const [run, earlier] = [await begin(pipeline), await insertRun(pipeline, 0)];
    await stopUnfinished(ctx, run, { status });
    expect(await statusesOf('pipeline_members', own.pipeline_members)).toEqual(twice(expected));
    expect(await statusesOf('pipeline_data_sources', own.pipeline_data_sources)).toEqual(expected);
    expect(await statusesOf('pipeline_members', theirs.pipeline_members)).toEqual(twice(STATUSES));
    expect(await statusesOf('pipeline_data_sources', theirs.pipeline_data_sources)).toEqual(STATUSES);
    expect(await statusesOf('sync_runs', [run.jobId, earlier])).toEqual([status, 'SUCCESS']);
  });
});

describe('the end of a run', () => {
  it('fails what is still in progress in its pipeline', async () => {
    const [own, theirs] = [await insertEach(pipeline), await insertEach(other)];
    await failLostMembers(ctx, await begin(pipeline));
    const expected = ['NOT_STARTED', 'ERROR', 'SUCCESS', 'ERROR'];
    expect(await statusesOf('pipeline_members', own.pipeline_members)).toEqual(twice(expected));
    expect(await statusesOf('pipeline_members', theirs.pipeline_members)).toEqual(twice(STATUSES));
  });

  it('concludes the data sources that it has read, of its pipeline', async () => {
    const read = await attachSource(pipeline, source, { status: 'IN_PROGRESS' });
    const unread = await attachSource(pipeline, await insertSource(projectId), { status: 'NOT_STARTED' });
    const elsewhere = await attachSource(other, source, { status: 'IN_PROGRESS' });
    await concludeRun(ctx, await begin(pipeline));
    const all = [read, unread, elsewhere];
    expect(await statusesOf('pipeline_data_sources', all)).toEqual(['SUCCESS', 'NOT_STARTED', 'IN_PROGRESS']);
    const synced = all.map((id) => valuesOf('pipeline_data_sources', 'last_synced_at', `id = '${id}'`));
    expect((await Promise.all(synced)).flat()).toEqual([expect.any(Number), null, null]);
  });

  const failed = { status: 'ERROR', error: { job_id: 'j', message: 'Torn.', step: 'PARSE' } } as const;

  it('counts as failed files of a data source those of this data source and pipeline', async () => {
    const second = await insertSource(projectId);
    const rows = [
      await attachSource(pipeline, source, { status: 'IN_PROGRESS' }),
      await attachSource(pipeline, second, { status: 'IN_PROGRESS' }),
    ];
    await insertMember(pipeline, await insertFile(projectId), { ...failed, dataSourceId: second });
    await insertMember(pipeline, await insertFile(projectId), failed);
    await insertMember(pipeline, await insertFile(projectId), { status: 'SUCCESS', dataSourceId: source });
    await insertMember(other, await insertFile(projectId), { ...failed, dataSourceId: source });
    await concludeRun(ctx, await begin(pipeline));
    expect(await statusesOf('pipeline_data_sources', rows)).toEqual(['SUCCESS', 'ERROR']);
  });

  it('is a success if only another pipeline has failures', async () => {
    await insertMember(pipeline, await insertFile(projectId), { status: 'SUCCESS' });
    await insertMember(other, await insertFile(projectId), failed);
    await attachSource(other, source, failed);
    const run = await begin(pipeline);
    await concludeRun(ctx, run);
    expect(await statusOf('sync_runs', run.jobId)).toBe('SUCCESS');
    expect(await valuesOf('sync_runs', 'error', `id = '${run.jobId}'`)).toEqual([null]);
  });

  it('is an error if nothing has succeeded, and a partial success otherwise', async () => {
    await attachSource(pipeline, source, failed);
    await insertMember(other, await insertFile(projectId), { status: 'SUCCESS' });
    const first = await begin(pipeline);
    await concludeRun(ctx, first);
    await insertMember(pipeline, await insertFile(projectId), { status: 'SUCCESS' });
    const second = await begin(pipeline);
    await concludeRun(ctx, second);
    expect(await statusesOf('sync_runs', [first.jobId, second.jobId])).toEqual(['ERROR', 'PARTIAL_SUCCESS']);
  });
});

describe('an item without attempts left', () => {
  /** A file, a text with the id of the file, and the data source, each in both pipelines. */
  async function insertTwins() {
    const file = await insertFile(projectId);
    const status = 'IN_PROGRESS';
    const rows = {
      file: await insertMember(pipeline, file, { status }),
      text: await insertText(pipeline, file, { status }),
      source: await attachSource(pipeline, source, { status }),
      anotherFile: await insertMember(pipeline, await insertFile(projectId), { status }),
      anotherSource: await attachSource(pipeline, await insertSource(projectId), { status }),
      fileElsewhere: await insertMember(other, file, { status }),
      textElsewhere: await insertText(other, file, { status }),
      sourceElsewhere: await attachSource(other, source, { status }),
    };
    return { file, rows };
  }

  it.each<[string, (file: string) => WorkItem, string[]]>([
    ['a file', (fileId) => ({ id: 'i', kind: 'file', fileId }), ['file']],
    ['pages', (fileId) => ({ id: 'i', kind: 'pages', fileId, range: { from: 0, to: 1 } }), ['file']],
    ['a text', (documentId) => ({ id: 'i', kind: 'document', documentId }), ['text']],
    ['a removal', (documentId) => ({ id: 'i', kind: 'removal', documentId }), []],
    [
      'a data source',
      () => ({ id: 'i', kind: 'source', dataSourceId: source, page: 0, cursor: null }),
      ['source'],
    ],
  ])('fails %s alone', async (_, toItem, expected) => {
    const { file, rows } = await insertTwins();
    const failure = { message: 'It failed.', step: 'INGESTION' } as const;
    await recordItemFailure(ctx, runOf(pipeline, 'job'), toItem(file), failure);
    const failed: string[] = [];
    for (const [name, id] of Object.entries(rows)) {
      const table =
        name.startsWith('source') || name === 'anotherSource' ? 'pipeline_data_sources' : 'pipeline_members';
      if ((await statusOf(table, id)) === 'ERROR') failed.push(name);
    }
    expect(failed).toEqual(expected);
  });
});

describe('the plan of a run', () => {
  const mark = async (jobId: string, id: string) => {
    await markPlanned(ctx, jobId, [{ id }]);
    return statusOf('pipeline_members', id);
  };

  it('marks the planned members alone', async () => {
    const run = await begin(pipeline);
    const [planned, rest] = [
      await insertMember(pipeline, await insertFile(projectId)),
      await insertMember(pipeline, await insertFile(projectId)),
    ];
    expect(await mark(run.jobId, planned)).toBe('IN_PROGRESS');
    expect(await statusOf('pipeline_members', rest)).toBe('NOT_STARTED');
  });

  it.each<IngestionStatus>(['SUCCESS', 'ERROR'])(
    'marks a member with %s of an earlier run only',
    async (status) => {
      const startedAt = new Date();
      const job = await insertRun(pipeline, 1, { status: 'IN_PROGRESS', startedAt, finishedAt: null });
      const insert = async (offset: number) => {
        const statusUpdatedAt = new Date(startedAt.getTime() + offset);
        return insertMember(pipeline, await insertFile(projectId), { status, statusUpdatedAt });
      };
      expect(await mark(job, await insert(-1))).toBe('IN_PROGRESS');
      expect(await mark(job, await insert(0))).toBe(status);
      expect(await mark(job, await insert(1))).toBe(status);
    },
  );

  it('marks nothing once the run has ended', async () => {
    const job = await insertRun(pipeline, 1, { status: 'CANCELLED' });
    const member = await insertMember(pipeline, await insertFile(projectId));
    expect(await mark(job, member)).toBe('NOT_STARTED');
  });
});

describe('the data sources of a run', () => {
  it('begin in its pipeline, all or the requested ones', async () => {
    const second = await insertSource(projectId);
    const rows = [await attachSource(pipeline, source), await attachSource(pipeline, second)];
    const elsewhere = await attachSource(other, source);
    const assignment = { jobId: 'job', phase: 'sources', starts: 1, fileIds: null } as const;
    const items = await beginSources(ctx, pipeline, { ...assignment, sources: [second] });
    expect(items).toEqual([
      { id: `source:${second}:0`, kind: 'source', dataSourceId: second, page: 0, cursor: null },
    ]);
    expect(await statusesOf('pipeline_data_sources', rows)).toEqual(['NOT_STARTED', 'IN_PROGRESS']);
    expect(await beginSources(ctx, pipeline, { ...assignment, sources: 'all' })).toHaveLength(2);
    expect(await statusesOf('pipeline_data_sources', [...rows, elsewhere])).toEqual([
      'IN_PROGRESS',
      'IN_PROGRESS',
      'NOT_STARTED',
    ]);
  });

  it('are scheduled if they have an interval, in this pipeline', async () => {
    await attachSource(pipeline, source, { syncInterval: 60 });
    await attachSource(pipeline, await insertSource(projectId));
    await attachSource(other, await insertSource(projectId), { syncInterval: 120 });
    expect(await scheduledSources(ctx, pipeline)).toEqual([{ dataSourceId: source, intervalMs: 60_000 }]);
  });

  it('cause no run of a pipeline that is being deleted', async () => {
    const gone = await insertPipeline(projectId, { status: 'DELETING' });
    await attachSource(gone, source);
    expect(await hasDifferences(ctx, runOf(gone, 'job'), 'all')).toBe(false);
    await attachSource(pipeline, source);
    expect(await hasDifferences(ctx, runOf(pipeline, 'job'), 'all')).toBe(true);
  });
});

describe('files of a data source that was removed from a pipeline', () => {
  it('leave the pipeline, and are deleted with their bytes if no pipeline holds them', async () => {
    const attached = await insertSource(projectId);
    await attachSource(pipeline, attached);
    await attachSource(other, source);
    const insert = async (dataSourceId: string | null) => {
      const id = await insertFile(projectId, { dataSourceId, origin: dataSourceId ?? '' });
      const storageKey = `${keys.uploads(projectId, id)}1`;
      await env.FILES.put(storageKey, 'A text.');
      await env.DB.prepare('update files set storage_key = ? where id = ?').bind(storageKey, id).run();
      return { id, member: await insertMember(pipeline, id, { dataSourceId }) };
    };
    const [gone, held] = [await insert(source), await insert(source)];
    const [ofAttached, uploaded] = [await insert(attached), await insert(null)];
    const elsewhere = await insertMember(other, held.id, { dataSourceId: source });
    const text = await insertText(pipeline, gone.id);
    await removeFilesOfFormerSources(ctx, pipeline);
    const has = (table: string, ids: string[]) => Promise.all(ids.map((id) => hasRow(table, id)));
    const all = [gone, held, ofAttached, uploaded];
    const members = [...all.map(({ member }) => member), elsewhere, text];
    expect(await has('pipeline_members', members)).toEqual([false, false, true, true, true, true]);
    const ids = all.map(({ id }) => id);
    expect(await has('files', ids)).toEqual([false, true, true, true]);
    const objects = await Promise.all(ids.map((id) => keysUnder(keys.uploads(projectId, id))));
    expect(objects.map(({ length }) => length)).toEqual([0, 1, 1, 1]);
  });
});

describe('the record of what was indexed', () => {
  const insertIndex = async (pipelineId: string, documents: string[]) => {
    const id = crypto.randomUUID();
    await db.insert(pipelineIndexes).values({ id, pipelineId, configHash: 'c', state: 'live' });
    const row = { indexId: id, shard: 0, lastShard: 0, version: 5, chunkCount: 1 };
    const prints = { contentFingerprint: 'old', metadataFingerprint: 'old' };
    for (const documentId of documents)
      await db.insert(indexedDocuments).values({ ...row, ...prints, documentId });
    return (await ctx.db.query.pipelineIndexes.findFirst({ where: (each, { eq }) => eq(each.id, id) }))!;
  };
  const listEntries = async (indexId: string, where = 'true') =>
    (await valuesOf('indexed_documents', 'document_id', `index_id = '${indexId}' and ${where}`)).toSorted();

  it('changes the member of its kind in its pipeline', async () => {
    const file = await insertFile(projectId);
    const rows = {
      file: await insertMember(pipeline, file),
      text: await insertText(pipeline, file),
      elsewhere: await insertMember(other, file),
    };
    const subject = (kind: 'file' | 'text') => ({
      ...{ kind, documentId: file, isMember: undefined },
      fingerprints: { content: 'c', metadata: 'm' },
    });
    const result = { chunkCount: 3, pageCount: 2 };
    await buildMemberUpdate(ctx, { id: pipeline }, [{ subject: subject('file'), result }]);
    const ids = Object.values(rows);
    expect(await statusesOf('pipeline_members', ids)).toEqual(['SUCCESS', 'NOT_STARTED', 'NOT_STARTED']);
    await buildMemberUpdate(ctx, { id: pipeline }, [{ subject: subject('text'), result }]);
    expect(await statusesOf('pipeline_members', ids)).toEqual(['SUCCESS', 'SUCCESS', 'NOT_STARTED']);
  });

  it('changes the entry of its index and document, unless a later attempt has written it', async () => {
    const [index, second] = [await insertIndex(pipeline, ['a', 'b']), await insertIndex(other, ['a'])];
    const write = (version: number) =>
      buildEntryUpdate({ ctx, index }, [
        {
          subject: { documentId: 'a', fingerprints: { content: 'new', metadata: 'new' } },
          entry: { version, chunkCount: 1, pageCount: null, contextHash: '' },
        },
      ]);
    const isNew = "content_fingerprint = 'new'";
    await write(4);
    expect(await listEntries(index.id, isNew)).toEqual([]);
    await write(5);
    expect(await listEntries(index.id, isNew)).toEqual(['a']);
    expect(await listEntries(second.id, isNew)).toEqual([]);
  });

  it('forgets documents that have left the pipeline, in its index', async () => {
    const [held, gone] = [await insertFile(projectId), await insertFile(projectId)];
    const [index, second] = [
      await insertIndex(pipeline, [held, gone, 'not asked for']),
      await insertIndex(other, [held, gone]),
    ];
    await insertMember(pipeline, held);
    await insertMember(other, gone);
    const removed: unknown[] = [];
    const sink = { remove: async (...given: unknown[]) => void removed.push(given) };
    const row = await ctx.db.query.pipelines.findFirst({ where: (each, { eq }) => eq(each.id, pipeline) });
    const work = {
      ctx,
      index,
      pipeline: row,
      claim: { jobId: 'job', version: 9 },
      tools: async () => ({ sink }),
    };
    await removeSuperseded(work as unknown as Work, [held, gone]);
    expect(removed).toEqual([[[gone], 9]]);
    expect(await listEntries(index.id)).toEqual([held, 'not asked for'].toSorted());
    expect(await listEntries(second.id)).toEqual([held, gone].toSorted());
  });
});
