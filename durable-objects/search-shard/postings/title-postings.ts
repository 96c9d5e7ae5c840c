import type { IndexedDocument } from '#src/ports/index-types.ts';
import { analyseTitle } from '#src/search/analysis.ts';
import type { LanguageCode } from '#src/search/languages.ts';
import { filterPostings, joinPostings, type Postings } from '#src/search/postings.ts';
import { insertRows, MAX_PARAMETERS } from '../../insert-rows.ts';
import { toSlices } from './slices.ts';

/**
 * Maximum numbers of postings in the small and the large blocks of a term. A new title must be found at once,
 * so postings of titles and keywords are not part of the runs. New postings of a term go to its last block,
 * which is small.
 */
const SMALL_BLOCK = 256;
const MAX_BLOCK = 8_192;

type TitleFields = Pick<IndexedDocument, 'title' | 'keywords' | 'hasWeights'>;
type BlockRow = { number: number; body: ArrayBuffer };

/** Returns for each term the chunks whose documents have it in the title or the keywords. */
export function readTitlePostings(sql: SqlStorage, terms: readonly string[]): Map<string, Postings> {
  const rows = sql.exec<{ term: string; body: ArrayBuffer }>(
    `SELECT b.term, b.body FROM json_each(?) w CROSS JOIN title_block b ON b.term = w.value
     ORDER BY w.key, b.number`,
    JSON.stringify(terms),
  );
  const parts = Map.groupBy(rows, ({ term }) => term);
  return new Map(
    terms.map((term) => [term, joinPostings((parts.get(term) ?? []).map(({ body }) => unpack(body)))]),
  );
}

export interface TitledChunks {
  versionKey: number;
  titled: TitleFields;
  /** Local ids of the new chunks of the version, by language. */
  locals: Map<LanguageCode, number[]>;
}

/**
 * Adds the postings of titles and keywords for new chunks of versions. Adds none for documents with weights of a
 * learned model.
 */
export function addTitles(sql: SqlStorage, added: readonly TitledChunks[]): void {
  const postings = new Map<string, { ids: number[]; frequencies: number[] }>();
  const termsByVersion = new Map<number, Set<string>>();
  for (const { versionKey, titled, locals } of added) {
    if (titled.hasWeights) continue;
    const ownTerms = new Set<string>();
    for (const [language, ids] of locals) {
      const { terms, frequencies } = analyseTitle(titled.title, language, titled.keywords);
      for (const [i, term] of terms.entries()) {
        const known = postings.get(term) ?? { ids: [], frequencies: [] };
        postings.set(term, known);
        for (const id of ids) {
          known.ids.push(id);
          known.frequencies.push(frequencies[i]!);
        }
        ownTerms.add(term);
      }
    }
    if (ownTerms.size > 0) termsByVersion.set(versionKey, ownTerms);
  }
  appendToTerms(sql, postings);
  const known = readTermsByVersion(sql, [...termsByVersion.keys()]);
  const rows = [...termsByVersion].flatMap(([versionKey, terms]) => {
    const before = known.get(versionKey) ?? [];
    const all = new Set([...before, ...terms]);
    return all.size === before.length ? [] : [[versionKey, JSON.stringify([...all])]];
  });
  insertRows(
    sql,
    'INSERT INTO title',
    rows,
    'ON CONFLICT (version_key) DO UPDATE SET terms = excluded.terms',
  );
}

function readTermsByVersion(sql: SqlStorage, versionKeys: number[]): Map<number, string[]> {
  const rows = sql.exec<{ version_key: number; terms: string }>(
    'SELECT version_key, terms FROM title WHERE version_key IN (SELECT value FROM json_each(?))',
    JSON.stringify(versionKeys),
  );
  return new Map([...rows].map((row) => [row.version_key, JSON.parse(row.terms) as string[]]));
}

/**
 * Removes the title postings of these chunks. `versionKeys` is a JSON array with the keys of their versions.
 */
export function removeTitlePostings(sql: SqlStorage, versionKeys: string, locals: number[]): void {
  const gone = new Set(locals);
  for (const term of readTitleTerms(sql, versionKeys)) {
    for (const { number, body } of readBlocks(sql, term)) {
      const postings = unpack(body);
      const remaining = filterPostings(postings, (local) => !gone.has(local));
      if (remaining === postings) continue;
      if (remaining.ids.length > 0) writeBlock(sql, term, number, remaining);
      else sql.exec('DELETE FROM title_block WHERE term = ? AND number = ?', term, number);
    }
  }
}

/** Replaces the title postings of a version's chunks after its title has changed. */
export function changeTitle(sql: SqlStorage, versionKey: number, titled: TitleFields): void {
  const rows = sql.exec<{ code: LanguageCode; locals: string }>(
    `SELECT l.code, json_group_array(c.local) AS locals
     FROM chunk c JOIN language l ON l.number = c.language WHERE c.version_key = ? GROUP BY l.code`,
    versionKey,
  );
  const locals = new Map([...rows].map((row) => [row.code, JSON.parse(row.locals) as number[]]));
  removeTitlePostings(sql, JSON.stringify([versionKey]), [...locals.values()].flat());
  sql.exec('DELETE FROM title WHERE version_key = ?', versionKey);
  addTitles(sql, [{ versionKey, titled, locals }]);
}

/**
 * Converts the `title_term` table of older releases, which has one row per term and document, into blocks.
 */
export function packTitleTerms(sql: SqlStorage): void {
  const rows = sql.exec<{ term: string; local: number; frequency: number }>(
    `SELECT t.term, c.local, t.frequency FROM title_term t
     CROSS JOIN language l ON l.code = substr(t.term, 1, instr(t.term, ':') - 1)
     CROSS JOIN chunk c ON c.version_key = t.version_key AND c.language = l.number
     ORDER BY t.term`,
  );
  let block: { term: string; number: number; ids: number[]; frequencies: number[] } | undefined;
  const writeCurrentBlock = () => {
    if (block === undefined) return;
    const { term, number, ids, frequencies } = block;
    writeBlock(sql, term, number, { ids: Uint16Array.from(ids), frequencies: Uint8Array.from(frequencies) });
  };
  for (const { term, local, frequency } of rows) {
    if (block?.term !== term || block.ids.length === MAX_BLOCK) {
      writeCurrentBlock();
      block = { term, number: block?.term === term ? block.number + 1 : 0, ids: [], frequencies: [] };
    }
    block.ids.push(local);
    block.frequencies.push(frequency);
  }
  writeCurrentBlock();
  sql.exec(
    'INSERT INTO title SELECT version_key, json_group_array(term) FROM title_term GROUP BY version_key',
  );
}

function readTitleTerms(sql: SqlStorage, versionKeys: string): string[] {
  const rows = sql.exec<{ term: string }>(
    `SELECT DISTINCT t.value AS term FROM title, json_each(title.terms) t
     WHERE title.version_key IN (SELECT value FROM json_each(?))`,
    versionKeys,
  );
  return [...rows].map(({ term }) => term);
}

function readBlocks(sql: SqlStorage, term: string): BlockRow[] {
  return sql
    .exec<BlockRow>('SELECT number, body FROM title_block WHERE term = ? ORDER BY number', term)
    .toArray();
}

/**
 * Appends postings to terms. Each call rewrites only a small block of a term. A small block that is full is merged into
 * the large block before it.
 */
function appendToTerms(sql: SqlStorage, added: Map<string, { ids: number[]; frequencies: number[] }>): void {
  const blocks = readLastBlocks(sql, [...added.keys()]);
  const written: [term: string, number: number, body: ArrayBuffer][] = [];
  for (const [term, { ids, frequencies }] of added) {
    const [last, before] = blocks.get(term) ?? [];
    const own = { ids: Uint16Array.from(ids), frequencies: Uint8Array.from(frequencies) };
    const extendsLast = last !== undefined && countBlockPostings(last) < SMALL_BLOCK;
    const grown = extendsLast ? joinPostings([unpack(last.body), own]) : own;
    const large = extendsLast ? before : last;
    const number = (large?.number ?? -1) + 1;
    const isLarge =
      grown.ids.length >= SMALL_BLOCK && large && countBlockPostings(large) + grown.ids.length <= MAX_BLOCK;
    if (!isLarge) {
      written.push([term, extendsLast ? last.number : number, pack(grown)]);
      continue;
    }
    written.push([term, large.number, pack(joinPostings([unpack(large.body), grown]))]);
    if (extendsLast) sql.exec('DELETE FROM title_block WHERE term = ? AND number = ?', term, last.number);
  }
  writeBlocks(sql, written);
}

/** Returns the last two blocks of each term, the last one first. */
function readLastBlocks(sql: SqlStorage, terms: string[]): Map<string, BlockRow[]> {
  const blocks = new Map<string, BlockRow[]>();
  for (const slice of toSlices(terms, MAX_PARAMETERS)) {
    const list = slice.map(() => '(?)').join(', ');
    const rows = sql.exec<BlockRow & { term: string }>(
      `WITH asked (term) AS (VALUES ${list})
       SELECT b.term, b.number, b.body FROM asked CROSS JOIN title_block b ON b.term = asked.term AND b.number IN (
         SELECT number FROM title_block WHERE term = asked.term ORDER BY number DESC LIMIT 2)
       ORDER BY b.number DESC`,
      ...slice,
    );
    for (const { term, number, body } of rows) {
      const known = blocks.get(term);
      if (known) known.push({ number, body });
      else blocks.set(term, [{ number, body }]);
    }
  }
  return blocks;
}

function writeBlock(sql: SqlStorage, term: string, number: number, postings: Postings): void {
  writeBlocks(sql, [[term, number, pack(postings)]]);
}

function writeBlocks(sql: SqlStorage, blocks: readonly [string, number, ArrayBuffer][]): void {
  insertRows(
    sql,
    'INSERT INTO title_block',
    blocks,
    'ON CONFLICT (term, number) DO UPDATE SET body = excluded.body',
  );
}

function pack({ ids, frequencies }: Postings): ArrayBuffer {
  const body = new Uint8Array(3 * ids.length);
  body.set(new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength));
  body.set(frequencies, 2 * ids.length);
  return body.buffer;
}

const countBlockPostings = ({ body }: BlockRow) => body.byteLength / 3;

/**
 * Unpacks a block. It holds the local ids (u16 each, little-endian), followed by the frequencies (u8 each).
 */
function unpack(body: ArrayBuffer): Postings {
  const count = body.byteLength / 3;
  return { ids: new Uint16Array(body, 0, count), frequencies: new Uint8Array(body, 2 * count) };
}
