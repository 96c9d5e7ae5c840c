import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { pipelines } from '#src/db/schema/index.ts';
import { prepareTargetIndex } from '#src/services/indexes/lifecycle.ts';
import {
  buildFingerprintParts,
  type Difference,
  iterateDifferences,
  PAGE_SIZE,
} from '#src/services/sync/difference.ts';
import { createPipeline } from '#test/support/pipelines.ts';

/**
 * An odd number, so that a page ends between a file and the text with the same id. The first file has no such
 * text.
 */
const PAIRS = PAGE_SIZE + 1;

const COUNTED = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${PAIRS})`;

const ctx = createContext(env, { waitUntil() {} } as never);

async function readPipeline(pipelineId: string) {
  return (await ctx.db.select().from(pipelines).where(eq(pipelines.id, pipelineId)))[0]!;
}

async function pages(pipelineId: string, fileIds: string[] | null = null): Promise<Difference[]> {
  const pipeline = await readPipeline(pipelineId);
  const index = await prepareTargetIndex(ctx, pipeline, 1);
  const read: Difference[] = [];
  for await (const difference of iterateDifferences(ctx, pipeline, index, fileIds)) read.push(difference);
  return read;
}

/** Creates files that differ from the index, texts with the same ids, and index entries without a member. */
async function manyDifferences(): Promise<string> {
  const id = await createPipeline();
  await pages(id);
  const file = `'file-' || ?1 || '-' || i`;
  const statements = [
    `${COUNTED}, every(i) as (select 0 union all select i from n)
     insert into files (id, project_id, name, content_hash)
     select ${file}, (select project_id from pipelines where id = ?1), 'a file', 'bytes' from every`,
    `insert into pipeline_members (id, pipeline_id, kind, document_id, file_id)
     select 'of-' || id, ?1, 'file', id, id from files where id like 'file-' || ?1 || '-%'`,
    `${COUNTED} insert into pipeline_members (id, pipeline_id, kind, document_id, content_hash, text_id, metadata,
       excluded_embed_metadata_keys, excluded_llm_metadata_keys)
     select 'text-' || ?1 || i, ?1, 'text', ${file}, 'text', 'text', '{}', '[]', '[]' from n`,
    `${COUNTED} insert into indexed_documents (index_id, document_id, shard, last_shard, version, chunk_count,
       content_fingerprint, metadata_fingerprint)
     select (select id from pipeline_indexes where pipeline_id = ?1), 'gone-' || i, 0, 0, 1, 1, '', '' from n`,
  ];
  await env.DB.batch(statements.map((statement) => env.DB.prepare(statement).bind(id)));
  return id;
}

it('lists every changed file, text and orphan once, across all pages', async () => {
  const id = await manyDifferences();
  const read = await pages(id);
  const members = read.flatMap((page) => page.members);
  const ofKind = (kind: string) =>
    members.filter((each) => each.kind === kind).map((each) => each.documentId);
  expect([ofKind('file').length, new Set(ofKind('file')).size]).toEqual([PAIRS + 1, PAIRS + 1]);
  expect([ofKind('text').length, new Set(ofKind('text')).size]).toEqual([PAIRS, PAIRS]);
  const removed = read.flatMap((page) => page.removedIds);
  expect([removed.length, new Set(removed).size]).toEqual([PAIRS, PAIRS]);
  for (const page of read)
    expect(page.members.length + page.removedIds.length).toBeLessThanOrEqual(PAGE_SIZE);
});

it('lists all of the named files, and nothing else', async () => {
  const id = await manyDifferences();
  const named = Array.from({ length: PAIRS }, (_, i) => `file-${id}-${i}`);
  const read = await pages(id, named);
  expect(read.flatMap((page) => page.removedIds)).toEqual([]);
  const members = read.flatMap((page) => page.members);
  expect(members.map((each) => each.documentId).sort()).toEqual(named.sort());
  expect(new Set(members.map((each) => each.kind))).toEqual(new Set(['file']));
});

describe('a member differs from the index', () => {
  /** State of a file in its row, its member row and its index entry. Times appear as in fingerprints. */
  interface State {
    hash?: string | null;
    versions?: [source: string, fetched: string];
    ofSource?: boolean;
    failed?: string;
    indexed?: [content: string, metadata: string] | 'in another index';
    differs: boolean;
  }
  const CURRENT: [string, string] = ['h:SHAPE', '5:7:0:METADATA'];
  const STATES: Record<string, State> = {
    'that is new': { differs: true },
    'with the content and metadata of the index': { indexed: CURRENT, differs: false },
    'with other content': { indexed: ['old:SHAPE', '5:7:0:METADATA'], differs: true },
    'of another configuration': { indexed: ['h:other', '5:7:0:METADATA'], differs: true },
    'that was renamed': { indexed: ['h:SHAPE', '4:7:0:METADATA'], differs: true },
    'that was described anew': { indexed: ['h:SHAPE', '5:6:0:METADATA'], differs: true },
    'whose source was changed': { ofSource: true, indexed: CURRENT, differs: true },
    'whose source is unchanged': { ofSource: true, indexed: ['h:SHAPE', '5:7:9:METADATA'], differs: false },
    'of a pipeline that excluded other keys': { indexed: ['h:SHAPE', '5:7:0:other'], differs: true },
    'that another index has': { indexed: 'in another index', differs: true },
    'without bytes': { hash: null, differs: false },
    'that its source has anew': { versions: ['2', '1'], indexed: CURRENT, differs: true },
    'that its source has unchanged': { versions: ['1', '1'], indexed: CURRENT, differs: false },
    'that its source never gave': { versions: ['2', '1'], failed: 'source:2', differs: false },
    'whose earlier version its source never gave': {
      versions: ['2', '1'],
      failed: 'source:1',
      differs: true,
    },
    'that cannot be read': { failed: 'h:SHAPE', differs: false },
    'that could not be read before it changed': { failed: 'old:SHAPE', differs: true },
    'that this engine could not read': { failed: 'h:SHAPE:unread:ENGINE', differs: false },
    'that another engine could not read': { failed: 'h:SHAPE:unread:another', differs: true },
  };

  it('if it is new or changed, unless this version has failed already', async () => {
    const id = await createPipeline();
    await pages(id);
    const other = await createPipeline();
    await pages(other);
    const [shape, engine] = [await buildFingerprintParts(await readPipeline(id)), await ctx.parser.ocrId()];
    const real = (text: string) =>
      text.replace('SHAPE', shape.content).replace('METADATA', shape.metadata).replace('ENGINE', engine);
    const say = (statement: string, ...values: (string | null)[]) =>
      env.DB.prepare(statement).bind(...values);
    const project = '(select project_id from pipelines where id = ?1)';
    const enter = (pipeline: string, document: string, [content, metadata]: [string, string]) =>
      say(
        `insert into indexed_documents (index_id, document_id, shard, last_shard, version, chunk_count,
           content_fingerprint, metadata_fingerprint)
         select id, ?2, 0, 0, 1, 1, ?3, ?4 from pipeline_indexes where pipeline_id = ?1`,
        ...[pipeline, document, real(content), real(metadata)],
      );
    const source = crypto.randomUUID();
    const statements = Object.entries(STATES).flatMap(([title, state]) => {
      const file = `${id} ${title}`;
      const { hash = 'h', versions = [null, null], ofSource, failed, indexed } = state;
      return [
        say(
          `insert into files (id, project_id, name, content_hash, source_version, fetched_version, updated_at)
           values (?2, ${project}, ?2, ?3, ?4, ?5, 5)`,
          ...[id, file, hash, ...versions],
        ),
        say(
          `insert into pipeline_members (id, pipeline_id, kind, document_id, file_id, data_source_id,
             failed_fingerprint, described_at) values ('of ' || ?2, ?1, 'file', ?2, ?2, ?3, ?4, 7)`,
          ...[id, file, ofSource ? source : null, failed === undefined ? null : real(failed)],
        ),
        ...(indexed === undefined
          ? []
          : [indexed === 'in another index' ? enter(other, file, CURRENT) : enter(id, file, indexed)]),
      ];
    });
    await env.DB.batch([
      say(
        `insert into data_sources (id, project_id, name, source_type, component, updated_at)
         values (?2, ${project}, 's', 'SOURCE_9_BUCKET', '{"bucket_name":"b"}', 9)`,
        ...[id, source],
      ),
      ...statements,
      enter(id, 'gone', CURRENT),
    ]);
    const read = await pages(id);
    const listed = read.flatMap(({ members }) => members).map(({ documentId }) => documentId);
    const differing = Object.entries(STATES).filter(([, { differs }]) => differs);
    expect(listed.toSorted()).toEqual(differing.map(([title]) => `${id} ${title}`).toSorted());
    expect(read.flatMap(({ removedIds }) => removedIds)).toEqual(['gone']);
  });

  it('never in an empty pipeline, which has no pages of differences', async () => {
    expect(await pages(await createPipeline())).toEqual([]);
  });
});

it('the shape depends on the parsing and chunking configuration, and on the excluded metadata keys', async () => {
  const pipeline = await readPipeline(await createPipeline());
  const excluding = (...excluded_embed_metadata_keys: string[]) => ({
    metadataConfig: { excluded_embed_metadata_keys },
  });
  const shaped = (changes: object) => buildFingerprintParts({ ...pipeline, ...changes });
  const now = await shaped({});
  expect(await shaped({ name: 'other', metadataConfig: null })).toEqual(now);
  const author = await shaped(excluding('author'));
  expect(author.content).toBe(now.content);
  expect(author.metadata).not.toBe(now.metadata);
  expect(await shaped(excluding('title', 'author'))).toEqual(await shaped(excluding('author', 'title')));
  for (const changes of [{ parsingConfigHash: 'other' }, { transformConfigHash: 'other' }]) {
    const { content, metadata } = await shaped(changes);
    expect(content).not.toBe(now.content);
    expect(metadata).toBe(now.metadata);
  }
});
