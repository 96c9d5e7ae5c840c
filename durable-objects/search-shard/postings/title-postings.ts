import type { IndexedDocument } from '#src/ports/index-types.ts';
import { analyseTitle } from '#src/search/analysis.ts';
import type { LanguageCode } from '#src/search/languages.ts';
import { filterPostings, joinPostings, type Postings } from '#src/search/postings.ts';

/**
 * Maximum numbers of postings in the small and the large blocks of a term. A new title must be found at once,
 * so postings of titles and keywords are not part of the runs. New postings of a term go to its last block,
 * which is small.
 */
const SMALL_BLOCK = 256;
const MAX_BLOCK = 8_192;

type TitleFields = Pick<IndexedDocument, 'title' | 'keywords'>;
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

/**
 * Adds the title's postings for new chunks of a version. `locals` holds the local ids of these chunks by
 * language.
 */
export function addTitle(
  sql: SqlStorage,
  versionKey: number,
  titled: TitleFields,
  locals: Map<LanguageCode, number[]>,
): void {
  const added = new Set<string>();
  for (const [language, ids] of locals) {
    const { terms, frequencies } = analyseTitle(titled.title, language, titled.keywords);
    for (const [i, term] of terms.entries()) {
      appendToTerm(sql, term, {
        ids: Uint16Array.from(ids),
        frequencies: new Uint8Array(ids.length).fill(frequencies[i]!),
      });
      added.add(term);
    }
  }
  if (added.size === 0) return;
  const known = new Set(readTitleTerms(sql, JSON.stringify([versionKey])));
  const all = new Set([...known, ...added]);
  if (all.size === known.size) return;
  sql.exec(
    'INSERT INTO title VALUES (?, ?) ON CONFLICT (version_key) DO UPDATE SET terms = excluded.terms',
    versionKey,
    JSON.stringify([...all]),
  );
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
  addTitle(sql, versionKey, titled, locals);
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
 * Appends postings to a term. Each document rewrites only a small block. A small block that is full is merged
 * into the large block before it.
 */
function appendToTerm(sql: SqlStorage, term: string, added: Postings): void {
  const [last, before] = sql
    .exec<BlockRow>('SELECT number, body FROM title_block WHERE term = ? ORDER BY number DESC LIMIT 2', term)
    .toArray();
  const extendsLast = last !== undefined && countBlockPostings(last) < SMALL_BLOCK;
  const grown = extendsLast ? joinPostings([unpack(last.body), added]) : added;
  const large = extendsLast ? before : last;
  const number = (large?.number ?? -1) + 1;
  if (!large || grown.ids.length < SMALL_BLOCK || countBlockPostings(large) + grown.ids.length > MAX_BLOCK) {
    writeBlock(sql, term, extendsLast ? last.number : number, grown);
    return;
  }
  writeBlock(sql, term, large.number, joinPostings([unpack(large.body), grown]));
  if (extendsLast) sql.exec('DELETE FROM title_block WHERE term = ? AND number = ?', term, last.number);
}

function writeBlock(sql: SqlStorage, term: string, number: number, { ids, frequencies }: Postings): void {
  const body = new Uint8Array(3 * ids.length);
  body.set(new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength));
  body.set(frequencies, 2 * ids.length);
  sql.exec(
    `INSERT INTO title_block VALUES (?, ?, ?)
     ON CONFLICT (term, number) DO UPDATE SET body = excluded.body`,
    term,
    number,
    body,
  );
}

const countBlockPostings = ({ body }: BlockRow) => body.byteLength / 3;

/**
 * Unpacks a block. It holds the local ids (u16 each, little-endian), followed by the frequencies (u8 each).
 */
function unpack(body: ArrayBuffer): Postings {
  const count = body.byteLength / 3;
  return { ids: new Uint16Array(body, 0, count), frequencies: new Uint8Array(body, 2 * count) };
}
