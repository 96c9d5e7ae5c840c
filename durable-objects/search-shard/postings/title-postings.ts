import type { IndexedDocument } from '#src/ports/index-types.ts';
import { analyseTitle } from '#src/search/analysis.ts';
import type { LanguageCode } from '#src/search/languages.ts';
import { joinPostings, keepPostings, type Postings } from '#src/search/postings.ts';

/**
 * Terms of titles and keywords. A new title counts at once, so these postings are not in the runs: each term has a
 * few blocks of its own, of which the last and small one takes what is new.
 */
const SMALL = 256;
const LARGEST = 8_192;

type Titled = Pick<IndexedDocument, 'title' | 'keywords'>;
type BlockRow = { number: number; body: ArrayBuffer };

/** The chunks whose documents have the term in title or keywords. */
export function readTitlePostings(sql: SqlStorage, term: string): Postings {
  return joinPostings(blocksOf(sql, term).map(({ body }) => unpack(body)));
}

/** `locals`: chunks of the version, by the language they are in, that have no postings of its title yet. */
export function addTitle(
  sql: SqlStorage,
  versionKey: number,
  titled: Titled,
  locals: Map<LanguageCode, number[]>,
): void {
  const added = new Set<string>();
  for (const [language, ids] of locals) {
    const { terms, frequencies } = analyseTitle(titled.title, language, titled.keywords);
    for (const [i, term] of terms.entries()) {
      append(sql, term, {
        ids: Uint16Array.from(ids),
        frequencies: new Uint8Array(ids.length).fill(frequencies[i]!),
      });
      added.add(term);
    }
  }
  if (added.size === 0) return;
  const known = new Set(termsOf(sql, JSON.stringify([versionKey])));
  const all = new Set([...known, ...added]);
  if (all.size === known.size) return;
  sql.exec(
    'INSERT INTO title VALUES (?, ?) ON CONFLICT (version_key) DO UPDATE SET terms = excluded.terms',
    versionKey,
    JSON.stringify([...all]),
  );
}

/** `versionKeys` (JSON): versions that these chunks are all of. */
export function removeTitlePostings(sql: SqlStorage, versionKeys: string, locals: number[]): void {
  const gone = new Set(locals);
  for (const term of termsOf(sql, versionKeys)) {
    for (const { number, body } of blocksOf(sql, term)) {
      const postings = unpack(body);
      const kept = keepPostings(postings, (local) => !gone.has(local));
      if (kept === postings) continue;
      if (kept.ids.length > 0) write(sql, term, number, kept);
      else sql.exec('DELETE FROM title_block WHERE term = ? AND number = ?', term, number);
    }
  }
}

/** Gives the chunks of a version that are there the terms of another title. */
export function changeTitle(sql: SqlStorage, versionKey: number, titled: Titled): void {
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

/** Writes what shards kept a row of for each term of a document. */
export function packTitleTerms(sql: SqlStorage): void {
  const rows = sql.exec<{ term: string; local: number; frequency: number }>(
    `SELECT t.term, c.local, t.frequency FROM title_term t
     CROSS JOIN language l ON l.code = substr(t.term, 1, instr(t.term, ':') - 1)
     CROSS JOIN chunk c ON c.version_key = t.version_key AND c.language = l.number
     ORDER BY t.term`,
  );
  let of: { term: string; number: number; ids: number[]; frequencies: number[] } | undefined;
  const done = () => {
    if (of === undefined) return;
    const { term, number, ids, frequencies } = of;
    write(sql, term, number, { ids: Uint16Array.from(ids), frequencies: Uint8Array.from(frequencies) });
  };
  for (const { term, local, frequency } of rows) {
    if (of?.term !== term || of.ids.length === LARGEST) {
      done();
      of = { term, number: of?.term === term ? of.number + 1 : 0, ids: [], frequencies: [] };
    }
    of.ids.push(local);
    of.frequencies.push(frequency);
  }
  done();
  sql.exec(
    'INSERT INTO title SELECT version_key, json_group_array(term) FROM title_term GROUP BY version_key',
  );
}

function termsOf(sql: SqlStorage, versionKeys: string): string[] {
  const rows = sql.exec<{ term: string }>(
    `SELECT DISTINCT t.value AS term FROM title, json_each(title.terms) t
     WHERE title.version_key IN (SELECT value FROM json_each(?))`,
    versionKeys,
  );
  return [...rows].map(({ term }) => term);
}

function blocksOf(sql: SqlStorage, term: string): BlockRow[] {
  return sql
    .exec<BlockRow>('SELECT number, body FROM title_block WHERE term = ? ORDER BY number', term)
    .toArray();
}

/** Small blocks are read and written with each document, large ones once for a small block that is full. */
function append(sql: SqlStorage, term: string, added: Postings): void {
  const [last, before] = sql
    .exec<BlockRow>('SELECT number, body FROM title_block WHERE term = ? ORDER BY number DESC LIMIT 2', term)
    .toArray();
  const goesOn = last !== undefined && countOf(last) < SMALL;
  const grown = goesOn ? joinPostings([unpack(last.body), added]) : added;
  const large = goesOn ? before : last;
  const number = (large?.number ?? -1) + 1;
  if (!large || grown.ids.length < SMALL || countOf(large) + grown.ids.length > LARGEST) {
    write(sql, term, goesOn ? last.number : number, grown);
    return;
  }
  write(sql, term, large.number, joinPostings([unpack(large.body), grown]));
  if (goesOn) sql.exec('DELETE FROM title_block WHERE term = ? AND number = ?', term, last.number);
}

function write(sql: SqlStorage, term: string, number: number, { ids, frequencies }: Postings): void {
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

const countOf = ({ body }: BlockRow) => body.byteLength / 3;

/** Local ids (u16 each, little-endian), then frequencies (u8 each). */
function unpack(body: ArrayBuffer): Postings {
  const count = body.byteLength / 3;
  return { ids: new Uint16Array(body, 0, count), frequencies: new Uint8Array(body, 2 * count) };
}
