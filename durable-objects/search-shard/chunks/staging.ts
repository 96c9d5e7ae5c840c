import { Conflict } from '#src/lib/errors.ts';
import type { IndexedChunk, IndexedDocument } from '#src/ports/index-types.ts';
import type { AnalysedChunk } from '#src/search/analysis.ts';
import type { LanguageCode } from '#src/search/languages.ts';
import { insertRecentBatch } from '../postings/recent-batches.ts';
import type { Resident } from '../postings/resident.ts';
import { addTitle } from '../postings/title-postings.ts';
import { resolveDimension } from '../vectors/dimension.ts';
import { getOrAddLanguageNumber, insertChunk } from './chunk-rows.ts';
import { createVersion, isOutdated, readVersions, updateVersion } from './versions.ts';

export interface StagedChunks {
  dimension: number | null;
  versionKey: number;
  languages: Map<LanguageCode, number>;
  placed: (AnalysedChunk & { local: number; chunk: IndexedChunk })[];
}

/**
 * Writes the missing chunks of a version. Returns 'outdated' if the version is published, replaced or
 * removed, and 'full' if too few local ids are free. No chunks are written in these cases.
 */
export function writeStaged(
  sql: SqlStorage,
  resident: Resident,
  document: IndexedDocument,
  analysed: Map<IndexedChunk, AnalysedChunk>,
): StagedChunks | 'outdated' | 'full' {
  const { documentId, version } = document;
  if (isOutdated(sql, documentId, version)) return 'outdated';
  const chunks = [...analysed.keys()];
  const dimension = resolveDimension(sql, chunks);
  const known = readVersions(sql, documentId).find((each) => each.version === version);
  const missing = findMissingChunks(
    documentId,
    chunks,
    known ? readIdsByPosition(sql, known.key, chunks) : new Map(),
  );
  const locals = resident.chunks.findFreeIds(missing.length, dimension);
  if (locals === undefined) return 'full';
  if (known) updateVersion(sql, known, document);
  const versionKey = known?.key ?? createVersion(sql, document);
  const languages = new Map<LanguageCode, number>();
  for (const { language } of analysed.values()) {
    if (languages.has(language)) continue;
    languages.set(language, resident.getLanguageNumber(language) ?? getOrAddLanguageNumber(sql, language));
  }
  const placed = missing.map((chunk, i) => ({ ...analysed.get(chunk)!, chunk, local: locals[i]! }));
  for (const { local, chunk, length, language } of placed) {
    insertChunk(sql, versionKey, { local, chunk, length, language: languages.get(language)! });
  }
  insertRecentBatch(sql, placed);
  const byLanguage = Map.groupBy(placed, ({ language }) => language);
  const localsByLanguage = [...byLanguage].map(
    ([code, each]) => [code, each.map(({ local }) => local)] as const,
  );
  addTitle(sql, versionKey, document, new Map(localsByLanguage));
  return { dimension, versionKey, languages, placed };
}

function readIdsByPosition(sql: SqlStorage, versionKey: number, chunks: IndexedChunk[]): Map<number, string> {
  const rows = sql.exec<{ id: string; position: number }>(
    `SELECT id, position FROM chunk
     WHERE version_key = ? AND position IN (SELECT value FROM json_each(?))`,
    versionKey,
    JSON.stringify(chunks.map((chunk) => chunk.position)),
  );
  return new Map([...rows].map((row) => [row.position, row.id]));
}

/**
 * Returns the given chunks that are not staged yet. Throws Conflict if two different chunks have the
 * same position in the document.
 */
function findMissingChunks(
  documentId: string,
  chunks: IndexedChunk[],
  idByPosition: Map<number, string>,
): IndexedChunk[] {
  return chunks.filter((chunk) => {
    const id = idByPosition.get(chunk.position);
    if (id !== undefined && id !== chunk.id) {
      throw new Conflict(`Document ${documentId} has two chunks at position ${chunk.position}.`);
    }
    idByPosition.set(chunk.position, chunk.id);
    return id === undefined;
  });
}

/**
 * Adds staged chunks to the data in memory. Call this function only after the database transaction has
 * succeeded.
 */
export function addStagedToMemory(resident: Resident, { versionKey, languages, placed }: StagedChunks): void {
  for (const [code, number] of languages) resident.addLanguage(code, number);
  for (const each of placed) {
    const { local, chunk, length, language } = each;
    resident.chunks.add(local, versionKey, length, languages.get(language)!);
    resident.loadedCodes?.set(local, chunk.vector);
    resident.loadedRecent?.add(local, each);
  }
  resident.recentCount += placed.length;
  resident.invalidate();
}
