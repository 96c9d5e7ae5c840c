import type { Context } from '#src/context/context.ts';
import { textMemberColumns } from '#src/db/pipeline-members.ts';
import type { FileRow, Pipeline } from '#src/db/schema/index.ts';
import { RANGE_PAGES } from '#src/documents/page-selection.ts';
import { type ParseKey, readRange, type StoredPage } from '#src/documents/page-store.ts';
import { buildChunkableText } from '#src/ingest/join-pages.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { buildFileMetadata } from '#src/services/indexes/node-metadata.ts';
import { openParameters } from '../configuration.ts';
import type { DocumentMember, Member } from './document-members.ts';
import { readText } from './document-rows.ts';

/** Document of a pipeline with its text, as API responses show it. */
export interface ShownDocument {
  member: Pick<Member, 'documentId' | 'status' | 'statusUpdatedAt' | 'chunkCount' | 'error'>;
  /**
   * Text of the document. For a file, it consists of the joined pages and is empty until the file is parsed.
   */
  text: string;
  metadata: Record<string, unknown>;
  excludedEmbedMetadataKeys: string[];
  excludedLlmMetadataKeys: string[];
  /** Offset in the text at which each page starts, or null if there are no pages. */
  pagePositions: number[] | null;
  /** True if the text was omitted because the response would be too large. */
  isTextOmitted?: boolean;
}

/** Maximum number of characters of all texts in a list, because a Worker has little memory. */
const LIST_CHARACTERS = 10_000_000;
const CONCURRENT_READS = 8;

/**
 * Returns the documents that still exist, with their texts, in the given order. Once all texts together reach
 * `maxCharacters`, further texts are omitted.
 */
export async function showDocuments(
  ctx: Context,
  pipeline: Pipeline,
  rows: DocumentMember[],
  maxCharacters = LIST_CHARACTERS,
): Promise<ShownDocument[]> {
  const shown: ShownDocument[] = [];
  let left = maxCharacters;
  for (let from = 0; from < rows.length; from += CONCURRENT_READS) {
    const some = rows.slice(from, from + CONCURRENT_READS);
    const isFull = left <= 0;
    const read = await inParallel(some, (row) => showDocument(ctx, pipeline, row, isFull));
    for (const document of read) {
      if (!document) continue;
      const isTooMuch = document.text.length > left && shown.length > 0;
      left -= document.text.length;
      shown.push(isTooMuch ? { ...document, text: '', isTextOmitted: true } : document);
    }
  }
  return shown;
}

/** Returns a document with its text. Returns `undefined` if the document was deleted in the meantime. */
export async function showDocument(
  ctx: Context,
  pipeline: Pipeline,
  { member, file, source }: DocumentMember,
  isTextOmitted = false,
): Promise<ShownDocument | undefined> {
  const omitted = { text: '', pagePositions: null, isTextOmitted };
  if (file) {
    const read = isTextOmitted ? undefined : await readFileText(ctx, pipeline, file);
    return {
      member,
      text: read?.text ?? '',
      pagePositions: read?.pageStarts ?? null,
      metadata: buildFileMetadata(pipeline, file, member, source),
      excludedEmbedMetadataKeys: [],
      excludedLlmMetadataKeys: [],
      ...(isTextOmitted && omitted),
    };
  }
  const row = Object.fromEntries(
    Object.keys(textMemberColumns).map((name) => [name, member[name as keyof Member]]),
  ) as TextRow;
  if (isTextOmitted) return { ...toShownDocument(row, ''), ...omitted };
  const document = await readText(ctx, pipeline, row);
  return document && toShownDocument(document.row, document.text);
}

type TextRow = Parameters<typeof readText>[2];

export function toShownDocument(row: TextRow, text: string): ShownDocument {
  const { metadata, excludedEmbedMetadataKeys, excludedLlmMetadataKeys, pagePositions } = row;
  return { member: row, text, metadata, excludedEmbedMetadataKeys, excludedLlmMetadataKeys, pagePositions };
}

/** Returns the key of the file's stored parse result. Returns `undefined` if the file has no content. */
export function getParseKey(pipeline: Pipeline, file: FileRow): ParseKey | undefined {
  const { projectId, contentHash } = file;
  return contentHash ? { projectId, contentHash, configHash: pipeline.parsingConfigHash } : undefined;
}

/**
 * Returns the text of a file as it is split into chunks, with its pages. Returns `undefined` until the file
 * is parsed. `join` concatenates the pages.
 */
export async function readFileText(
  ctx: Context,
  pipeline: Pipeline,
  file: FileRow,
  join: typeof buildChunkableText = buildChunkableText,
) {
  const parse = getParseKey(pipeline, file);
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
