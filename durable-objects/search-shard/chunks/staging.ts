import { Conflict } from '#src/lib/errors.ts';
import type { IndexedChunk, IndexedDocument } from '#src/ports/index-types.ts';
import type { StagedPart } from '#src/ports/shard.ts';
import { type AnalysedChunk, analyseChunk } from '#src/search/analysis.ts';
import type { LanguageCode } from '#src/search/languages.ts';
import { insertRecentBatch } from '../postings/recent-batches.ts';
import type { Resident } from '../postings/resident.ts';
import { addTitles } from '../postings/title-postings.ts';
import { resolveDimension } from '../vectors/dimension.ts';
import { getOrAddLanguageNumber, insertChunks } from './chunk-rows.ts';
import {
  createPublishedVersions,
  createVersion,
  hideOlderVersions,
  isOutdated,
  type Published,
  readLatestVersions,
  readVersions,
  updateVersion,
} from './versions.ts';

type PlacedChunk = AnalysedChunk & { local: number; versionKey: number; chunk: IndexedChunk };

export interface StagedChunks {
  dimension: number | null;
  languages: Map<LanguageCode, number>;
  placed: PlacedChunk[];
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
  const languages = resolveLanguageNumbers(sql, resident, analysed.values());
  const placed = missing.map((chunk, i) => ({
    ...analysed.get(chunk)!,
    chunk,
    local: locals[i]!,
    versionKey,
  }));
  writePlaced(sql, placed, languages);
  addTitles(sql, [{ versionKey, titled: document, locals: groupByLanguage(placed) }]);
  return { dimension, languages, placed };
}

/** Document that is staged and published in one call. */
export interface WholePart {
  document: IndexedDocument;
  analysed: Map<IndexedChunk, AnalysedChunk>;
}

export interface WrittenTogether {
  staged: StagedChunks;
  published: Published;
}

/**
 * Writes and publishes documents of which the shard has no version that is as new. Statements insert the rows of all
 * documents together. Returns undefined without writing anything if too few local ids are free.
 */
export function writeTogether(
  sql: SqlStorage,
  resident: Resident,
  parts: readonly WholePart[],
): WrittenTogether | undefined {
  const chunks = parts.flatMap(({ analysed }) => [...analysed.keys()]);
  const dimension = resolveDimension(sql, chunks);
  const locals = resident.chunks.findFreeIds(chunks.length, dimension);
  if (locals === undefined) return undefined;
  const documents = parts.map(({ document }) => document);
  const hidden = hideOlderVersions(sql, documents);
  const keys = createPublishedVersions(sql, documents);
  const languages = resolveLanguageNumbers(
    sql,
    resident,
    parts.flatMap(({ analysed }) => [...analysed.values()]),
  );
  let next = 0;
  const placedByPart = parts.map(({ document, analysed }) => {
    const versionKey = keys.get(document.documentId)!;
    return [...analysed].map(([chunk, each]) => ({ ...each, chunk, local: locals[next++]!, versionKey }));
  });
  const placed = placedByPart.flat();
  writePlaced(sql, placed, languages);
  const titles = documents.map((document, at) => {
    const versionKey = keys.get(document.documentId)!;
    return { versionKey, titled: document, locals: groupByLanguage(placedByPart[at]!) };
  });
  addTitles(sql, titles);
  return {
    staged: { dimension, languages, placed },
    published: { current: true, shown: locals, hidden },
  };
}

function resolveLanguageNumbers(
  sql: SqlStorage,
  resident: Resident,
  analysed: Iterable<AnalysedChunk>,
): Map<LanguageCode, number> {
  const numbers = new Map<LanguageCode, number>();
  for (const { language } of analysed) {
    if (numbers.has(language)) continue;
    numbers.set(language, resident.getLanguageNumber(language) ?? getOrAddLanguageNumber(sql, language));
  }
  return numbers;
}

function writePlaced(
  sql: SqlStorage,
  placed: readonly PlacedChunk[],
  languages: Map<LanguageCode, number>,
): void {
  insertChunks(
    sql,
    placed.map((each) => ({ ...each, language: languages.get(each.language)! })),
  );
  insertRecentBatch(sql, placed);
}

function groupByLanguage(placed: readonly PlacedChunk[]): Map<LanguageCode, number[]> {
  const locals = new Map<LanguageCode, number[]>();
  for (const { language, local } of placed) {
    const known = locals.get(language);
    if (known) known.push(local);
    else locals.set(language, [local]);
  }
  return locals;
}

/**
 * Selects the parts that `writeTogether` can write: whole documents of which the shard has no version that is as new,
 * and each document once. A later part of the same document has to wait for the earlier one.
 */
export function selectWholeParts(sql: SqlStorage, parts: readonly StagedPart[]): StagedPart[] {
  const latest = readLatestVersions(
    sql,
    parts.map(({ document }) => document.documentId),
  );
  const seen = new Set<string>();
  return parts.filter(({ document: { documentId, version }, chunks, chunkCount }) => {
    if (seen.has(documentId)) return false;
    seen.add(documentId);
    const isWhole = chunks.length > 0 && chunks.length === chunkCount && hasDistinctPositions(chunks);
    // SQLite replaces such characters, so the rows of these documents could not be found by their ids.
    const isPlain = documentId.isWellFormed() && !documentId.includes('\0');
    return isWhole && isPlain && (latest.get(documentId)?.version ?? -1) < version;
  });
}

function hasDistinctPositions(chunks: readonly IndexedChunk[]): boolean {
  return new Set(chunks.map(({ position }) => position)).size === chunks.length;
}

export function analyseChunks(chunks: readonly IndexedChunk[]): Map<IndexedChunk, AnalysedChunk> {
  return new Map(chunks.map((chunk) => [chunk, analyseChunk(chunk)]));
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
export function addStagedToMemory(resident: Resident, { languages, placed }: StagedChunks): void {
  for (const [code, number] of languages) resident.addLanguage(code, number);
  for (const each of placed) {
    const { local, versionKey, chunk, length, language } = each;
    resident.chunks.add(local, versionKey, length, languages.get(language)!);
    resident.loadedCodes?.set(local, chunk.vector);
    resident.loadedRecent?.add(local, each);
  }
  resident.recentCount += placed.length;
  resident.invalidate();
}
