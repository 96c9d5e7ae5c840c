import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { hasLeftovers } from '#src/db/schema/index.ts';
import type { Removal } from '#src/ports/shard.ts';
import type {
  CompleteVersion,
  LanguageCounts,
  LedgerEntry,
  VersionLedger,
} from '#src/sinks/native/ledger/version-ledger.ts';

/** Number of documents per statement. They are one JSON parameter, because D1 allows at most 100 parameters. */
const DOCUMENTS_AT_ONCE = 500;
const DELETED_AT_ONCE = 2_000;

interface EntryRow extends LedgerEntry {
  id: string;
}

/** Creates the ledger of an index in the database. */
export function createVersionLedger(ctx: Pick<Context, 'db'>, indexId: string): VersionLedger {
  const { db } = ctx;
  const selectEntries = (ids: string[]) => sql`select document_id as id, version, removed, chunks
    from stored_versions where index_id = ${indexId}
      and document_id in (select value from json_each(${JSON.stringify(ids)}))`;
  const toEntries = (rows: EntryRow[]) => new Map(rows.map(({ id, ...entry }) => [id, entry]));
  return {
    async find(documentIds) {
      const pages = splitIntoPages([...new Set(documentIds)]);
      const rows = await Promise.all(pages.map((page) => db.all<EntryRow>(selectEntries(page))));
      return toEntries(rows.flat());
    },
    async open(documentIds) {
      const entries = new Map<string, LedgerEntry>();
      for (const page of splitIntoPages([...new Set(documentIds)])) {
        const known = toEntries(await db.all<EntryRow>(selectEntries(page)));
        for (const [id, entry] of known) entries.set(id, entry);
        const unknown = page.filter((id) => !known.has(id));
        if (unknown.length === 0) continue;
        await db.run(sql`insert into stored_versions (index_id, document_id)
          select ${indexId}, value from json_each(${JSON.stringify(unknown)}) where true
          on conflict (index_id, document_id) do nothing`);
      }
      return entries;
    },
    async publish(versions) {
      const published = new Set<string>();
      for (const page of splitIntoPages(versions)) {
        // The languages come first. A search that sees a version then knows the languages of all its chunks.
        await addLanguages(ctx, indexId, page);
        for (const { id } of await db.all<{ id: string }>(buildPublication(indexId, page))) published.add(id);
      }
      return published;
    },
    async remove(removals) {
      for (const page of splitIntoPages(toUnique(removals))) await db.run(buildRemoval(indexId, page));
    },
    async listLeftovers(limit) {
      return db.all<Removal>(sql`select document_id as "documentId", leftover as version from stored_versions
        where index_id = ${indexId} and ${hasLeftovers} order by document_id limit ${limit}`);
    },
    async recordLeftovers(removals) {
      for (const page of splitIntoPages(toUnique(removals))) {
        await db.run(sql`update stored_versions set leftover = max(coalesce(leftover, -1), r.value ->> 'version')
          ${ofDocuments(indexId, page)}`);
      }
    },
    async settle(removals) {
      for (const page of splitIntoPages(toUnique(removals))) {
        await db.run(sql`update stored_versions set leftover = null
          ${ofDocuments(indexId, page)} and leftover <= (r.value ->> 'version')`);
      }
    },
    async languages() {
      const rows = await db.all<LanguageCounts & { language: string }>(
        sql`select language, chunks, words from stored_languages where index_id = ${indexId}`,
      );
      return new Map(rows.map(({ language, ...counts }) => [language, counts]));
    },
    async stats() {
      const [row] = await db.all<{ documents: number; chunks: number; bytes: number }>(
        sql`select count(*) as documents, coalesce(sum(chunks), 0) as chunks, coalesce(sum(bytes), 0) as bytes
          from stored_versions where index_id = ${indexId} and version is not null`,
      );
      return row!;
    },
    async drop() {
      for (;;) {
        const { meta } = await db.run(sql`delete from stored_versions where rowid in
          (select rowid from stored_versions where index_id = ${indexId} limit ${DELETED_AT_ONCE})`);
        if (meta.changes === 0) break;
      }
      await db.run(sql`delete from stored_languages where index_id = ${indexId}`);
    },
  };
}

/** Condition of an update of the rows of the given documents, whose JSON objects are `r.value`. */
function ofDocuments(indexId: string, documents: { documentId: string }[]): SQL {
  return sql`from json_each(${JSON.stringify(documents)}) as r
    where stored_versions.index_id = ${indexId} and stored_versions.document_id = (r.value ->> 'documentId')`;
}

function buildPublication(indexId: string, versions: CompleteVersion[]): SQL {
  return sql`update stored_versions set version = r.value ->> 'version', chunks = r.value ->> 'chunks',
      bytes = r.value ->> 'bytes',
      leftover = case when r.value ->> 'hasEarlier'
        then max(coalesce(leftover, -1), (r.value ->> 'version') - 1) else leftover end
    ${ofDocuments(indexId, versions)}
      and stored_versions.removed < (r.value ->> 'version')
      and coalesce(stored_versions.version, -1) <= (r.value ->> 'version')
    returning document_id as id`;
}

/** Inserts or changes the rows of removed documents. Rows of unknown documents are needed to reject later versions. */
function buildRemoval(indexId: string, removals: Removal[]): SQL {
  const isHidden = sql`stored_versions.version <= excluded.removed`;
  return sql`insert into stored_versions (index_id, document_id, removed, leftover)
    select ${indexId}, value ->> 'documentId', value ->> 'version', value ->> 'version'
    from json_each(${JSON.stringify(removals)}) where true
    on conflict (index_id, document_id) do update set
      removed = max(stored_versions.removed, excluded.removed),
      leftover = max(coalesce(stored_versions.leftover, -1), excluded.removed),
      chunks = case when ${isHidden} then 0 else stored_versions.chunks end,
      bytes = case when ${isHidden} then 0 else stored_versions.bytes end,
      version = case when ${isHidden} then null else stored_versions.version end`;
}

async function addLanguages(
  { db }: Pick<Context, 'db'>,
  indexId: string,
  versions: CompleteVersion[],
): Promise<void> {
  const sums = new Map<string, LanguageCounts>();
  for (const { languages } of versions) {
    for (const [language, { chunks, words }] of languages) {
      const sum = sums.get(language) ?? { chunks: 0, words: 0 };
      sums.set(language, { chunks: sum.chunks + chunks, words: sum.words + words });
    }
  }
  if (sums.size === 0) return;
  const rows = [...sums].map(([language, counts]) => ({ language, ...counts }));
  await db.run(sql`insert into stored_languages (index_id, language, chunks, words)
    select ${indexId}, value ->> 'language', value ->> 'chunks', value ->> 'words'
    from json_each(${JSON.stringify(rows)}) where true
    on conflict (index_id, language) do update set
      chunks = stored_languages.chunks + excluded.chunks, words = stored_languages.words + excluded.words`);
}

/** Keeps the highest version of each document. */
function toUnique(removals: Removal[]): Removal[] {
  const highest = new Map<string, number>();
  for (const { documentId, version } of removals) {
    highest.set(documentId, Math.max(version, highest.get(documentId) ?? version));
  }
  return [...highest].map(([documentId, version]) => ({ documentId, version }));
}

function splitIntoPages<Item>(items: Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / DOCUMENTS_AT_ONCE) }, (_, page) =>
    items.slice(page * DOCUMENTS_AT_ONCE, (page + 1) * DOCUMENTS_AT_ONCE),
  );
}
