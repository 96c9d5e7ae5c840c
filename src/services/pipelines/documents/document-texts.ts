import type { Context } from '#src/context/context.ts';
import { textMember } from '#src/db/pipeline-members.ts';
import type { FileRow, Pipeline } from '#src/db/schema/index.ts';
import { RANGE_PAGES } from '#src/documents/page-selection.ts';
import { type ParseKey, readRange, type StoredPage } from '#src/documents/page-store.ts';
import { chunkableText } from '#src/ingest/join-pages.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { fileMetadata } from '#src/services/indexes/node-metadata.ts';
import { openParameters } from '../configuration.ts';
import type { DocumentMember, Member } from './document-members.ts';
import { withText } from './document-rows.ts';

/** A document as clients see it. */
export interface ShownDocument {
  member: Pick<Member, 'documentId' | 'status' | 'statusUpdatedAt' | 'chunkCount' | 'error'>;
  /**
   * Text of the document. For a file these are its joined pages as they are chunked; empty until it is
   * parsed.
   */
  text: string;
  metadata: Record<string, unknown>;
  excludedEmbedMetadataKeys: string[];
  excludedLlmMetadataKeys: string[];
  /** Offset in the text at which each page starts. */
  pagePositions: number[] | null;
  /** Whether the text was omitted because the list is too large. */
  isTextLeftOut?: boolean;
}

/** Maximum characters of text in a list, because a Worker's memory is small. */
const LIST_CHARACTERS = 10_000_000;
const READ_AT_ONCE = 8;

/** Returns the documents that still exist, in order. Once the list is full, the rest has no text. */
export async function showDocuments(
  ctx: Context,
  pipeline: Pipeline,
  rows: DocumentMember[],
  mostCharacters = LIST_CHARACTERS,
): Promise<ShownDocument[]> {
  const shown: ShownDocument[] = [];
  let left = mostCharacters;
  for (let from = 0; from < rows.length; from += READ_AT_ONCE) {
    const some = rows.slice(from, from + READ_AT_ONCE);
    const isFull = left <= 0;
    const read = await inParallel(some, (row) => showDocument(ctx, pipeline, row, isFull));
    for (const document of read) {
      if (!document) continue;
      const isTooMuch = document.text.length > left && shown.length > 0;
      left -= document.text.length;
      shown.push(isTooMuch ? { ...document, text: '', isTextLeftOut: true } : document);
    }
  }
  return shown;
}

/** Returns the document, or undefined if it was deleted in the meantime. */
export async function showDocument(
  ctx: Context,
  pipeline: Pipeline,
  { member, file, source }: DocumentMember,
  isTextLeftOut = false,
): Promise<ShownDocument | undefined> {
  const leftOut = { text: '', pagePositions: null, isTextLeftOut };
  if (file) {
    const read = isTextLeftOut ? undefined : await readFileText(ctx, pipeline, file);
    return {
      member,
      text: read?.text ?? '',
      pagePositions: read?.pageStarts ?? null,
      metadata: fileMetadata(pipeline, file, member, source),
      excludedEmbedMetadataKeys: [],
      excludedLlmMetadataKeys: [],
      ...(isTextLeftOut && leftOut),
    };
  }
  const row = Object.fromEntries(
    Object.keys(textMember).map((name) => [name, member[name as keyof Member]]),
  ) as TextRow;
  if (isTextLeftOut) return { ...shownText(row, ''), ...leftOut };
  const document = await withText(ctx, pipeline, row);
  return document && shownText(document.row, document.text);
}

type TextRow = Parameters<typeof withText>[2];

export function shownText(row: TextRow, text: string): ShownDocument {
  const { metadata, excludedEmbedMetadataKeys, excludedLlmMetadataKeys, pagePositions } = row;
  return { member: row, text, metadata, excludedEmbedMetadataKeys, excludedLlmMetadataKeys, pagePositions };
}

/** Returns the cache key of the file's parse; undefined if the file has no bytes. */
export function parseOf(pipeline: Pipeline, file: FileRow): ParseKey | undefined {
  const { projectId, contentHash } = file;
  return contentHash ? { projectId, contentHash, configHash: pipeline.parsingConfigHash } : undefined;
}

/**
 * Returns the text of a file as it is chunked, with its pages, or `undefined` until the file has been parsed. `join`
 * puts the pages together.
 */
export async function readFileText(
  ctx: Context,
  pipeline: Pipeline,
  file: FileRow,
  join: typeof chunkableText = chunkableText,
) {
  const parse = parseOf(pipeline, file);
  if (!parse) return undefined;
  const pages: StoredPage[] = [];
  for (let from = 0; ; from += RANGE_PAGES) {
    const range = await readRange(ctx.bucket, parse, from);
    pages.push(...(range ?? []));
    if (!range || range.length < RANGE_PAGES) break;
  }
  if (pages.length === 0) return undefined;
  const parameters = parseInput(parseParameters, await openParameters(ctx, pipeline), ['parse_parameters']);
  return join(pages, resolveParsePlan(parameters));
}
