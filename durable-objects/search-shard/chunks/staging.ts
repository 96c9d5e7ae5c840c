import { Conflict } from '#src/lib/errors.ts';
import type { IndexedChunk, IndexedDocument } from '#src/ports/index-types.ts';
import type { AnalysedChunk } from '#src/search/analysis.ts';
import type { LanguageCode } from '#src/search/languages.ts';
import { insertRecentBatch } from '../postings/recent-batches.ts';
import type { Resident } from '../postings/resident.ts';
import { addTitle } from '../postings/title-postings.ts';
import { fixDimension } from '../vectors/dimension.ts';
import { insertChunk, languageNumber } from './chunk-rows.ts';
import { describeVersion, isPast, openVersion, versionsOf } from './versions.ts';

export interface StagedChunks {
  dimension: number | null;
  versionKey: number;
  languages: Map<LanguageCode, number>;
  placed: (AnalysedChunk & { local: number; chunk: IndexedChunk })[];
}

/** Writes the missing chunks of a version. Writes nothing for an outdated or removed version. */
export function writeStaged(
  sql: SqlStorage,
  resident: Resident,
  document: IndexedDocument,
  analysed: Map<IndexedChunk, AnalysedChunk>,
): StagedChunks | 'past' | 'no room' {
  const { documentId, version } = document;
  if (isPast(sql, documentId, version)) return 'past';
  const chunks = [...analysed.keys()];
  const dimension = fixDimension(sql, chunks);
  const known = versionsOf(sql, documentId).find((each) => each.version === version);
  const missing = missingOf(documentId, chunks, known ? idsByPosition(sql, known.key, chunks) : new Map());
  const locals = resident.chunks.free(missing.length, dimension);
  if (locals === undefined) return 'no room';
  if (known) describeVersion(sql, known, document);
  const versionKey = known?.key ?? openVersion(sql, document);
  const languages = new Map<LanguageCode, number>();
  for (const { language } of analysed.values()) {
    if (languages.has(language)) continue;
    languages.set(language, resident.languageNumber(language) ?? languageNumber(sql, language));
  }
  const placed = missing.map((chunk, i) => ({ ...analysed.get(chunk)!, chunk, local: locals[i]! }));
  for (const { local, chunk, length, language } of placed) {
    insertChunk(sql, versionKey, { local, chunk, length, language: languages.get(language)! });
  }
  insertRecentBatch(sql, placed);
  const byLanguage = Map.groupBy(placed, ({ language }) => language);
  const localsBy = [...byLanguage].map(([code, each]) => [code, each.map(({ local }) => local)] as const);
  addTitle(sql, versionKey, document, new Map(localsBy));
  return { dimension, versionKey, languages, placed };
}

function idsByPosition(sql: SqlStorage, versionKey: number, chunks: IndexedChunk[]): Map<number, string> {
  const rows = sql.exec<{ id: string; position: number }>(
    `SELECT id, position FROM chunk
     WHERE version_key = ? AND position IN (SELECT value FROM json_each(?))`,
    versionKey,
    JSON.stringify(chunks.map((chunk) => chunk.position)),
  );
  return new Map([...rows].map((row) => [row.position, row.id]));
}

/** Returns the chunks that are not staged yet. */
function missingOf(documentId: string, chunks: IndexedChunk[], idAt: Map<number, string>): IndexedChunk[] {
  return chunks.filter((chunk) => {
    const id = idAt.get(chunk.position);
    if (id !== undefined && id !== chunk.id) {
      throw new Conflict(`${documentId} has two chunks at position ${chunk.position}`);
    }
    idAt.set(chunk.position, chunk.id);
    return id === undefined;
  });
}

/** Updates the in-memory data after the transaction has succeeded. */
export function rememberStaged(resident: Resident, { versionKey, languages, placed }: StagedChunks): void {
  for (const [code, number] of languages) resident.addLanguage(code, number);
  for (const each of placed) {
    const { local, chunk, length, language } = each;
    resident.chunks.add(local, versionKey, length, languages.get(language)!);
    resident.loadedCodes?.set(local, chunk.vector);
    resident.loadedRecent?.add(local, each);
  }
  resident.recentCount += placed.length;
  resident.changed();
}
