import type { IndexedDocument } from '#src/ports/index-types.ts';
import type { Removal } from '#src/ports/shard.ts';
import { splitIntoBatches } from '#src/sinks/external/points.ts';
import type { Description } from '#src/sinks/external/vector-store.ts';
import type {
  AnalyseStored,
  NewVersion,
  PublishResult,
  SearchChunk,
} from '#src/sinks/native/search-store.ts';
import type { RunStatement } from '#src/sinks/pgvector/database.ts';
import { toFacets } from './facets.ts';
import { buildChunkInsert, toChunkRow, toTermColumns } from './rows.ts';
import { decodeText, encodeText } from './storable.ts';
import type { TableNames } from './tables.ts';
import {
  type CountChange,
  changeCounts,
  type DocumentState,
  deleteChunks,
  isOutdated,
  lockDocuments,
} from './versions.ts';

/** Limits per statement. All rows of a statement are sent as one JSON text. */
const LIMITS = { points: 500, bytes: 8_000_000 };
/** Number of chunks whose words are analysed at a time if a title changes. */
const ANALYSED_AT_ONCE = 500;

export interface Place {
  indexId: string;
  tables: TableNames;
  hash(term: string): number;
}

type Versioned = Pick<IndexedDocument, 'documentId' | 'version'>;
interface Row {
  document: Versioned;
  chunk: SearchChunk;
}

async function insertChunks(ask: RunStatement, { indexId, tables, hash }: Place, rows: Row[]): Promise<void> {
  // Metadata of the document is not part of a row, and must not count towards the size of a batch.
  const points = rows.map(({ chunk, document: { documentId, version } }) => ({
    ...chunk,
    document: { documentId, version },
  }));
  for (const batch of splitIntoBatches(points, LIMITS)) {
    const values = batch.map(({ document, ...chunk }) => toChunkRow(indexId, document, chunk, hash));
    await ask(buildChunkInsert(tables.chunks), [JSON.stringify(values)]);
  }
}

/** Writes chunks that searches do not see, unless their version is outdated or visible already. */
export async function stageChunks(
  ask: RunStatement,
  place: Place,
  document: IndexedDocument,
  chunks: SearchChunk[],
): Promise<void> {
  const { documentId, version } = document;
  const states = await lockDocuments(ask, place.tables, place.indexId, [documentId], 'share');
  const state = states.get(documentId);
  if (isOutdated(state, version) || state?.version === version) return;
  await insertChunks(
    ask,
    place,
    chunks.map((chunk) => ({ document, chunk })),
  );
}

/** Makes versions visible, and deletes the chunks of the versions that they replace. */
export async function publishVersions(
  ask: RunStatement,
  place: Place,
  versions: NewVersion[],
): Promise<PublishResult[]> {
  const { indexId, tables } = place;
  const ids = versions.map(({ document }) => document.documentId);
  const states = await lockDocuments(ask, tables, indexId, ids, 'update');
  const isNew = ({ document: { documentId, version } }: NewVersion) =>
    !isOutdated(states.get(documentId), version) && states.get(documentId)?.version !== version;
  const fresh = versions.filter(isNew);
  await insertChunks(
    ask,
    place,
    fresh.flatMap(({ document, chunks }) => chunks.map((chunk) => ({ document, chunk }))),
  );
  const held = await countChunks(ask, place, fresh);
  const complete = fresh.filter(({ chunkCount }, at) => held[at] === chunkCount);
  if (complete.length > 0) await switchVersions(ask, place, complete, states);
  return versions.map((version) => {
    const { document } = version;
    if (isOutdated(states.get(document.documentId), document.version)) return 'outdated';
    return fresh.includes(version) && !complete.includes(version) ? 'incomplete' : 'published';
  });
}

async function switchVersions(
  ask: RunStatement,
  { indexId, tables }: Place,
  versions: NewVersion[],
  states: Map<string, DocumentState>,
): Promise<void> {
  const changes = versions.flatMap(({ document: { documentId, version } }): CountChange[] => {
    const old = states.get(documentId)?.version ?? null;
    return [
      { documentId, version, sign: 1 },
      ...(old === null ? [] : [{ documentId, version: old, sign: -1 as const }]),
    ];
  });
  await changeCounts(ask, tables, indexId, changes);
  await deleteChunks(
    ask,
    tables,
    indexId,
    versions.map(({ document: { documentId, version } }) => ({ documentId, version: version - 1 })),
  );
  const rows = versions.map(({ document: { documentId, version, title, keywords, metadata } }) => ({
    document_id: encodeText(documentId),
    version,
    title: encodeText(title),
    keywords: keywords === undefined ? null : encodeText(keywords),
    metadata: JSON.stringify(metadata),
    facets: toFacets(metadata),
  }));
  await ask(
    `update ${tables.documents} d set version = r.version, title = r.title, keywords = r.keywords,
      metadata = r.metadata::json, facets = r.facets
    from json_to_recordset($2::text::json)
      as r(document_id text, version int8, title text, keywords text, metadata text, facets jsonb)
    where d.sluice_index = $1 and d.document_id = r.document_id`,
    [indexId, JSON.stringify(rows)],
  );
}

async function countChunks(
  ask: RunStatement,
  { indexId, tables }: Place,
  versions: NewVersion[],
): Promise<number[]> {
  if (versions.length === 0) return [];
  const wanted = versions.map(({ document: { documentId, version } }, at) => ({
    at,
    document_id: encodeText(documentId),
    version,
  }));
  const rows = await ask(
    `select r.at, count(c.id)::float8 as chunks
    from json_to_recordset($2::text::json) as r(at int4, document_id text, version int8)
    left join ${tables.chunks} c
      on c.sluice_index = $1 and c.document_id = r.document_id and c.version = r.version
    group by r.at`,
    [indexId, JSON.stringify(wanted)],
  );
  const counts = new Map(rows.map(({ at, chunks }) => [Number(at), Number(chunks)]));
  return versions.map((_, at) => counts.get(at) ?? 0);
}

/** Removes documents and records tombstones. A lower tombstone never replaces a higher one. */
export async function removeDocuments(
  ask: RunStatement,
  { indexId, tables }: Place,
  removals: Removal[],
): Promise<void> {
  const ids = removals.map(({ documentId }) => documentId);
  const states = await lockDocuments(ask, tables, indexId, ids, 'update');
  const changes = removals.flatMap(({ documentId, version }): CountChange[] => {
    const visible = states.get(documentId)?.version ?? null;
    return visible === null || visible > version ? [] : [{ documentId, version: visible, sign: -1 }];
  });
  await changeCounts(ask, tables, indexId, changes);
  await deleteChunks(ask, tables, indexId, removals);
  const rows = removals.map(({ documentId, version }) => ({ document_id: encodeText(documentId), version }));
  const values = [indexId, JSON.stringify(rows)];
  const removed = `from json_to_recordset($2::text::json) as r(document_id text, version int8)
    where d.sluice_index = $1 and d.document_id = r.document_id`;
  await ask(`update ${tables.documents} d set removed = greatest(d.removed, r.version) ${removed}`, values);
  await ask(
    `update ${tables.documents} d set version = null, title = '', keywords = null, metadata = '{}', facets = '{}'
    ${removed} and d.version <= r.version`,
    values,
  );
}

/** Changes title and metadata. Words of the chunks are analysed again if the title has changed. */
export async function describeDocument(
  ask: RunStatement,
  place: Place,
  { documentId, title, metadata }: Description,
  analyse: AnalyseStored,
): Promise<void> {
  const { indexId, tables } = place;
  const id = encodeText(documentId);
  const [row] = await ask(
    `select version::float8 as version, title, keywords from ${tables.documents}
    where sluice_index = $1 and document_id = $2 and version is not null for update`,
    [indexId, id],
  );
  if (!row) return;
  await ask(
    `update ${tables.documents} set title = $3, metadata = $4::text::json, facets = $5::text::jsonb
    where sluice_index = $1 and document_id = $2`,
    [indexId, id, encodeText(title), JSON.stringify(metadata), JSON.stringify(toFacets(metadata))],
  );
  if (row.title === encodeText(title)) return;
  const version = Number(row.version);
  const keywords = row.keywords === null ? '' : decodeText(String(row.keywords));
  await changeCounts(ask, tables, indexId, [{ documentId, version, sign: -1 }]);
  await analyseAgain(ask, place, { documentId, version }, (chunk) => analyse(chunk, keywords));
  await changeCounts(ask, tables, indexId, [{ documentId, version, sign: 1 }]);
}

async function analyseAgain(
  ask: RunStatement,
  { indexId, tables, hash }: Place,
  { documentId, version }: Versioned,
  analyse: (chunk: Parameters<AnalyseStored>[0]) => ReturnType<AnalyseStored>,
): Promise<void> {
  for (let from = 0; ; ) {
    const chunks = await ask(
      `select id::text as id, position, text, details, language from ${tables.chunks}
      where sluice_index = $1 and document_id = $2 and version = $3::int8 and position >= $4::int
      order by position limit ${ANALYSED_AT_ONCE}`,
      [indexId, encodeText(documentId), version, from],
    );
    if (chunks.length === 0) return;
    const rows = chunks.map(({ id, text, details, language }) => {
      const { headings } = JSON.parse(String(details)) as { headings: string[] };
      const analysed = analyse({ text: decodeText(String(text)), headings, language: String(language) });
      return { id, ...toTermColumns(analysed, hash) };
    });
    await ask(
      `update ${tables.chunks} c set terms = r.terms::int8[], frequencies = r.frequencies::int2[]
      from json_to_recordset($1::text::json) as r(id uuid, terms text, frequencies text) where c.id = r.id`,
      [JSON.stringify(rows)],
    );
    from = Number(chunks.at(-1)!.position) + 1;
  }
}
