import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { keys } from '#src/bucket/keys.ts';
import type { TenantContext } from '#src/context/context.ts';
import { openDatabase } from '#src/db/client.ts';
import { indexedDocuments, pipelineIndexes } from '#src/db/schema/index.ts';
import { Invalid } from '#src/lib/errors.ts';
import { removePipelineFiles, retryPipelineFiles } from '#src/services/pipelines/bulk-files.ts';
import { deleteDocument, syncDocument } from '#src/services/pipelines/documents/documents.ts';
import { applyMetadataTable, clearMetadataTable } from '#src/services/pipelines/metadata-table.ts';
import {
  removePipelineDataSource,
  syncPipelineDataSource,
} from '#src/services/pipelines/pipeline-data-sources.ts';
import {
  removePipelineFile,
  retryPipelineFile,
  setPipelineFileMetadata,
} from '#src/services/pipelines/pipeline-files.ts';
import { keysUnder } from '#test/support/files.ts';
import {
  attachSource,
  hasRow,
  insertFile,
  insertMember,
  insertPipeline,
  insertSource,
  insertText,
  valuesOf,
} from '#test/support/inserted-rows.ts';
import { quietScopeOf } from '#test/support/scopes.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

// An operation on a pipeline changes the rows of this pipeline alone, even if another one has the same file, a text
// with the same id, or the same data source.

const db = openDatabase(env.DB);
/** Pipelines whose sync was started. Nothing is synced. */
let started: string[];
let tenant: Tenant;
let scope: TenantContext;
let pipeline: string;
/** Another pipeline of the same project. */
let other: string;

beforeEach(async () => {
  started = [];
  tenant = await createTenant();
  scope = await quietScopeOf(tenant, started);
  pipeline = await insertPipeline(tenant.projectId);
  other = await insertPipeline(tenant.projectId);
});

const insertOwnFile = (columns: Parameters<typeof insertFile>[1] = {}) =>
  insertFile(tenant.projectId, columns);
const read = async (column: string, ids: readonly string[]) => {
  const values = await Promise.all(ids.map((id) => valuesOf('pipeline_members', column, `id = '${id}'`)));
  return values.map(([value]) => value);
};
const exist = (ids: readonly string[]) => Promise.all(ids.map((id) => hasRow('pipeline_members', id)));

/** A file of both pipelines, and a text of the first one with the id of the file. */
async function insertTwins(columns: Parameters<typeof insertMember>[2] = {}) {
  const file = await insertOwnFile();
  const members = [
    await insertMember(pipeline, file, columns),
    await insertText(pipeline, file, columns),
    await insertMember(other, file, columns),
    await insertMember(pipeline, await insertOwnFile(), columns),
  ];
  return { file, members };
}

describe('a metadata table', () => {
  const apply = (rows: object[]) =>
    applyMetadataTable(scope, pipeline, {
      name: 'table.json',
      bytes: new TextEncoder().encode(JSON.stringify(rows)),
    });

  it('describes the files of its pipeline alone', async () => {
    const { file, members } = await insertTwins();
    const elsewhere = await insertOwnFile({
      name: 'elsewhere.txt',
      externalFileId: 'ext',
      origin: 'a source',
    });
    members.push(await insertMember(other, elsewhere));
    members.push(await insertMember(pipeline, await insertOwnFile({ externalFileId: 'ext' })));
    await insertOwnFile({ name: 'loose.txt' });
    const told = await apply([
      { file_id: file, n: 1 },
      { file_name: 'elsewhere.txt', n: 2 },
      { file_name: 'loose.txt', n: 3 },
      { external_file_id: 'ext', n: 4 },
    ]);
    expect(told).toMatchObject({ files_updated: '2', rows_without_file: '2' });
    expect(told.unknown_files).toBe('name:elsewhere.txt, name:loose.txt');
    const expected = ['{"n":1}', null, null, null, null, '{"n":4}'];
    expect(await read('table_metadata', members)).toEqual(expected);
    expect(started).toEqual([pipeline]);
  });

  it('starts no sync if it describes no file', async () => {
    await apply([{ file_name: 'nothing.txt', n: 1 }]);
    expect(started).toEqual([]);
  });

  it('is cleared in its pipeline alone, and the own metadata of files stays', async () => {
    const file = await insertOwnFile();
    const columns = { tableMetadata: { n: 1 }, customMetadata: { own: 1 } };
    const members = [await insertMember(pipeline, file, columns), await insertMember(other, file, columns)];
    await clearMetadataTable(scope, pipeline);
    expect(await read('table_metadata', members)).toEqual([null, '{"n":1}']);
    expect(await read('custom_metadata', members)).toEqual(['{"own":1}', '{"own":1}']);
    expect(started).toEqual([pipeline]);
    await clearMetadataTable(scope, pipeline);
    expect(started).toEqual([pipeline]);
  });
});

describe('an operation on one file', () => {
  it('removes it from its pipeline alone', async () => {
    const { file, members } = await insertTwins();
    await removePipelineFile(scope, pipeline, file);
    expect(await exist(members)).toEqual([false, true, true, true]);
  });

  it('describes it in its pipeline alone', async () => {
    const { file, members } = await insertTwins();
    await setPipelineFileMetadata(scope, pipeline, file, { n: 1 });
    expect(await read('custom_metadata', members)).toEqual(['{"n":1}', null, null, null]);
  });

  it('retries it in its pipeline alone', async () => {
    const { file, members } = await insertTwins({ failedFingerprint: 'f' });
    await retryPipelineFile(scope, pipeline, file);
    expect(await read('failed_fingerprint', members)).toEqual([null, 'f', 'f', 'f']);
  });
});

describe('an operation on several files', () => {
  it('removes the named files from its pipeline alone', async () => {
    const { file, members } = await insertTwins();
    expect(await removePipelineFiles(scope, pipeline, { file_ids: [file] })).toEqual({
      removed: 1,
      remaining: 0,
    });
    expect(await exist(members)).toEqual([false, true, true, true]);
  });

  it('removes the files that match its filter from its pipeline alone', async () => {
    const dataSourceId = await insertSource(tenant.projectId);
    const { members } = await insertTwins();
    members.push(await insertMember(pipeline, await insertOwnFile(), { dataSourceId }));
    const filter = { only_manually_uploaded: true };
    expect(await removePipelineFiles(scope, pipeline, { filter })).toEqual({ removed: 2, remaining: 0 });
    expect(await exist(members)).toEqual([false, true, true, false, true]);
  });

  it('retries the named files whatever their status, or by default those that failed', async () => {
    const statuses = ['ERROR', 'CANCELLED', 'SUCCESS', 'NOT_STARTED'] as const;
    const members: string[] = [];
    const files: string[] = [];
    for (const status of statuses) {
      files.push(await insertOwnFile());
      members.push(await insertMember(pipeline, files.at(-1)!, { status, failedFingerprint: 'f' }));
    }
    members.push(await insertMember(other, files[0]!, { status: 'ERROR', failedFingerprint: 'f' }));
    expect(await retryPipelineFiles(scope, pipeline, { filter: {} })).toBe(2);
    expect(await read('failed_fingerprint', members)).toEqual([null, null, 'f', 'f', 'f']);
    expect(await retryPipelineFiles(scope, pipeline, { file_ids: [files[2]!] })).toBe(1);
    expect(await read('failed_fingerprint', members)).toEqual([null, null, null, 'f', 'f']);
    expect(started).toEqual([pipeline, pipeline]);
  });
});

describe('an operation on one document', () => {
  const failed = { status: 'ERROR', failedFingerprint: 'f' } as const;

  async function insertIndex(pipelineId: string, documents: string[]) {
    const indexId = crypto.randomUUID();
    await db.insert(pipelineIndexes).values({ id: indexId, pipelineId, configHash: 'c', state: 'live' });
    for (const documentId of documents) {
      const row = { indexId, documentId, shard: 0, lastShard: 0, version: 1, chunkCount: 1 };
      await db
        .insert(indexedDocuments)
        .values({ ...row, contentFingerprint: 'old', metadataFingerprint: '' });
    }
    return () =>
      valuesOf('indexed_documents', 'document_id', `index_id = '${indexId}' and content_fingerprint = ''`);
  }

  it('indexes it again in its pipeline alone', async () => {
    const members = [
      await insertText(pipeline, 'doc', failed),
      await insertText(pipeline, 'another', failed),
      await insertText(other, 'doc', failed),
    ];
    const [own, elsewhere] = [
      await insertIndex(pipeline, ['doc', 'another']),
      await insertIndex(other, ['doc']),
    ];
    await syncDocument(scope, pipeline, 'doc');
    expect(await read('status', members)).toEqual(['NOT_STARTED', 'ERROR', 'ERROR']);
    expect(await read('failed_fingerprint', members)).toEqual([null, 'f', 'f']);
    expect([await own(), await elsewhere()]).toEqual([['doc'], []]);
    expect(started).toEqual([pipeline]);
  });

  it('indexes the text and not the file with the same id', async () => {
    const { file, members } = await insertTwins(failed);
    await syncDocument(scope, pipeline, file);
    expect(await read('status', members)).toEqual(['ERROR', 'NOT_STARTED', 'ERROR', 'ERROR']);
  });

  it('deletes it with its stored text, in its pipeline alone', async () => {
    const place = (id: string) => keys.documentText(tenant.projectId, id, 'long');
    const members: string[] = [];
    for (const each of [pipeline, other]) {
      members.push(await insertText(each, 'doc', { textId: 'long', text: null }));
      await env.FILES.put(place(each), 'A long text.');
    }
    members.push(await insertText(pipeline, 'another'));
    await deleteDocument(scope, pipeline, 'doc');
    expect(await exist(members)).toEqual([false, true, true]);
    expect(await keysUnder(`${keys.project(tenant.projectId)}pipelines/`)).toEqual([place(other)]);
  });
});

describe('the data sources of a pipeline', () => {
  let first: string;
  let second: string;
  /** Members of the first pipeline by data source or by upload, and one of the other pipeline. */
  let members: Record<'first' | 'second' | 'uploaded' | 'elsewhere', string>;
  let attached: string[];

  beforeEach(async () => {
    [first, second] = [await insertSource(tenant.projectId), await insertSource(tenant.projectId)];
    attached = [
      await attachSource(pipeline, first),
      await attachSource(pipeline, second),
      await attachSource(other, first),
    ];
    const file = await insertOwnFile();
    const columns = { failedFingerprint: 'f' };
    members = {
      first: await insertMember(pipeline, file, { ...columns, dataSourceId: first }),
      second: await insertMember(pipeline, await insertOwnFile(), { ...columns, dataSourceId: second }),
      uploaded: await insertMember(pipeline, await insertOwnFile(), columns),
      elsewhere: await insertMember(other, file, { ...columns, dataSourceId: first }),
    };
  });

  it('are removed one by one, with their own files of this pipeline', async () => {
    await removePipelineDataSource(scope, pipeline, first);
    expect(await exist(Object.values(members))).toEqual([false, true, true, true]);
    const left = await Promise.all(attached.map((id) => hasRow('pipeline_data_sources', id)));
    expect(left).toEqual([false, true, true]);
  });

  it('are synced with the named files', async () => {
    await syncPipelineDataSource(scope, pipeline, first, [members.first]);
    expect(await read('failed_fingerprint', Object.values(members))).toEqual([null, 'f', 'f', 'f']);
    expect(started).toEqual([pipeline]);
  });

  it.each(['second', 'uploaded', 'elsewhere'] as const)(
    'are not synced with a file that is %s',
    async (name) => {
      const syncing = syncPipelineDataSource(scope, pipeline, first, [members[name]]);
      await expect(syncing).rejects.toBeInstanceOf(Invalid);
      expect(await read('failed_fingerprint', Object.values(members))).toEqual(['f', 'f', 'f', 'f']);
      expect(started).toEqual([]);
    },
  );
});
