import type { TenantContext } from '#src/context/context.ts';
import { encodeCursor } from '#src/lib/cursor.ts';
import { Conflict, Invalid, NotFound } from '#src/lib/errors.ts';
import { bareId } from '#src/lib/ids.ts';
import { compilePattern, PatternError } from '#src/lib/text/pattern.ts';
import { findMembers } from '#src/services/pipelines/documents/document-members.ts';
import { showDocument } from '#src/services/pipelines/documents/document-texts.ts';
import { getTarget, requireSource } from './retrieval.ts';

/**
 * Maximum number of steps of one search with a regular expression: instructions of the pattern times characters of the
 * text. They take several seconds.
 */
const MAX_STEPS = 100_000_000;

export interface IndexedText {
  /** Text of the document. The positions of its chunks count the characters of this text. */
  text: string;
  /** Position at which each page starts. Empty for documents without pages. */
  pageStarts: number[];
}

/**
 * Returns the text of a file or text document of a pipeline. Throws `Conflict` if the file has not been parsed yet, and
 * `NotFound` if the pipeline does not contain the document.
 */
export async function readIndexedText(
  ctx: TenantContext,
  pipelineId: string,
  documentId: string,
): Promise<IndexedText> {
  const pipeline = requireSource(await getTarget(ctx, pipelineId));
  const rows = await findMembers(ctx, pipeline.id, [documentId, bareId(documentId)]);
  const found = rows.get(documentId) ?? rows.get(bareId(documentId));
  const shown = found && (await showDocument(ctx, pipeline, found));
  if (!shown) throw new NotFound('File', documentId);
  if (found.file && !shown.pagePositions) {
    const { status } = shown.member;
    throw new Conflict(`File ${documentId} has no text yet. Its status in the index is ${status}.`);
  }
  return { text: shown.text, pageStarts: shown.pagePositions ?? [] };
}

export interface TextMatch {
  /** Matching text with the requested number of characters around it. */
  content: string;
  /** Position of the first character of the match, without the characters around it. */
  start: number;
  end: number;
}

export interface TextSearch {
  pattern: string;
  /** Number of characters before and after the match that are returned with it. */
  around: number;
  /** Position at which the search begins. */
  from: number;
  pageSize: number;
}

/**
 * Returns one page of the parts of a text that match a regular expression, in order. Pages of the document are searched
 * separately, so that a match never spans several of them. Throws `Invalid` for a pattern that cannot be searched.
 */
export function searchText(
  { text, pageStarts }: IndexedText,
  { pattern: source, around, from, pageSize }: TextSearch,
): { items: TextMatch[]; next_page_token: string | null } {
  const found: TextMatch[] = [];
  try {
    const pattern = compilePattern(source);
    let stepsLeft = MAX_STEPS;
    for (const segment of listSegments(text, pageStarts)) {
      if (segment.end <= from || found.length > pageSize) continue;
      const part = text.slice(segment.start, segment.end);
      stepsLeft -= pattern.steps(part);
      if (stepsLeft < 0) throw new PatternError('is too complex for a text of this length');
      for (const match of pattern.findAll(part, Math.max(0, from - segment.start))) {
        const [start, end] = [segment.start + match.start, segment.start + match.end];
        const content = text.slice(Math.max(0, start - around), end + around);
        found.push({ content, start, end });
        if (found.length > pageSize) break;
      }
    }
  } catch (error) {
    if (error instanceof PatternError) throw Invalid.field(['pattern'], error.message);
    throw error;
  }
  const items = found.slice(0, pageSize);
  const last = items.at(-1);
  return { items, next_page_token: found.length > pageSize && last ? encodeCursor([last.end]) : null };
}

function listSegments(text: string, pageStarts: readonly number[]): { start: number; end: number }[] {
  const starts = [0, ...pageStarts.filter((start) => start > 0)];
  return starts.map((start, index) => ({ start, end: starts[index + 1] ?? text.length }));
}
