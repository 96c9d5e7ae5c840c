import type { Removal } from '#src/ports/shard.ts';
import type { RunStatement } from '#src/sinks/pgvector/database.ts';
import { decodeText, encodeText } from './storable.ts';
import type { TableNames } from './tables.ts';

/** State of a document: its visible version, and the highest removed one. */
export interface DocumentState {
  version: number | null;
  removed: number;
}

/** Change of the counts by all chunks of one version: 1 if they become visible, -1 if they disappear. */
export interface CountChange {
  documentId: string;
  version: number;
  sign: 1 | -1;
}

/**
 * Locks the rows of documents until the transaction ends, and creates missing ones. The order of the locks is
 * always the same, so that two transactions never wait for each other.
 */
export async function lockDocuments(
  ask: RunStatement,
  { documents }: TableNames,
  indexId: string,
  documentIds: string[],
  mode: 'share' | 'update',
): Promise<Map<string, DocumentState>> {
  const ids = JSON.stringify([...new Set(documentIds)].map(encodeText));
  await ask(
    `insert into ${documents} (sluice_index, document_id, removed, title, metadata, facets)
    select $1, value, -1, '', '{}', '{}' from json_array_elements_text($2::text::json) order by value collate "C"
    on conflict (sluice_index, document_id) do nothing`,
    [indexId, ids],
  );
  const rows = await ask(
    `select document_id, version::float8 as version, removed::float8 as removed from ${documents}
    where sluice_index = $1 and document_id in (select json_array_elements_text($2::text::json))
    order by document_id for ${mode}`,
    [indexId, ids],
  );
  return new Map(
    rows.map(({ document_id, version, removed }) => [
      decodeText(String(document_id)),
      { version: version === null ? null : Number(version), removed: Number(removed) },
    ]),
  );
}

/** Returns whether a version can no longer be published. */
export const isOutdated = (state: DocumentState | undefined, version: number): boolean =>
  state !== undefined && (state.removed >= version || (state.version !== null && state.version > version));

const toRecords = (changes: CountChange[]) =>
  JSON.stringify(
    changes.map(({ documentId, version, sign }) => ({ document_id: encodeText(documentId), version, sign })),
  );

/**
 * Adds the chunks of versions to the counts of terms and languages, or subtracts them. Must run while the rows
 * still have the counted values.
 */
export async function changeCounts(
  ask: RunStatement,
  { chunks, terms, languages }: TableNames,
  indexId: string,
  changes: CountChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const affected = `${chunks} c join json_to_recordset($2::text::json)
    as r(document_id text, version int8, sign int4) on c.document_id = r.document_id and c.version = r.version`;
  const values = [indexId, toRecords(changes)];
  await ask(
    `insert into ${languages} as l (sluice_index, language, chunks, words, bytes)
    select $1, c.language, sum(r.sign), sum(r.sign * c.length), sum(r.sign * octet_length(c.text))
    from ${affected} where c.sluice_index = $1 group by c.language order by c.language
    on conflict (sluice_index, language) do update
    set chunks = l.chunks + excluded.chunks, words = l.words + excluded.words, bytes = l.bytes + excluded.bytes`,
    values,
  );
  await ask(
    `insert into ${terms} as t (sluice_index, term, chunks)
    select $1, term, sum(r.sign) from ${affected} cross join unnest(c.terms) term
    where c.sluice_index = $1 group by term having sum(r.sign) <> 0 order by term
    on conflict (sluice_index, term) do update set chunks = t.chunks + excluded.chunks`,
    values,
  );
}

/** Deletes all chunks up to and including the given versions. */
export async function deleteChunks(
  ask: RunStatement,
  { chunks }: TableNames,
  indexId: string,
  removals: Removal[],
): Promise<void> {
  await ask(
    `delete from ${chunks} c using json_to_recordset($2::text::json) as r(document_id text, version int8)
    where c.sluice_index = $1 and c.document_id = r.document_id and c.version <= r.version`,
    [
      indexId,
      JSON.stringify(
        removals.map(({ documentId, version }) => ({ document_id: encodeText(documentId), version })),
      ),
    ],
  );
}
