import type { TenantContext } from '#src/context/context.ts';
import { encodeCursor } from '#src/lib/cursor.ts';
import { Conflict, Invalid, NotFound } from '#src/lib/errors.ts';
import { bareId } from '#src/lib/ids.ts';
import { compilePattern, PatternError } from '#src/lib/text/pattern.ts';
import { findMembers } from '#src/services/pipelines/documents/document-members.ts';
import { showDocument } from '#src/services/pipelines/documents/document-texts.ts';
import { getTarget, requireLiveSource } from './retrieval.ts';

/** Maximum number of steps of one search with a regular expression. They take about a second. */
const MAX_STEPS = 200_000_000;
/** Maximum number of characters that are searched together. Longer pages are cut at the end of a line. */
const MAX_SEGMENT = 20_000;
/** Maximum number of characters of all results of one page together. */
const MAX_PAGE_CHARACTERS = 1_000_000;

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
  const pipeline = requireLiveSource(await getTarget(ctx, pipelineId));
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
 * Returns one page of the parts of a text that match a regular expression, in order. Pages of the document, and parts of
 * long pages, are searched separately, so that a match never spans several of them. The page is shorter if the search or
 * the results would become too large. Throws `Invalid` for a pattern that cannot be searched.
 */
export function searchText(
  { text, pageStarts }: IndexedText,
  { pattern: source, around, from, pageSize }: TextSearch,
): { items: TextMatch[]; next_page_token: string | null } {
  const items: TextMatch[] = [];
  let characters = 0;
  const toPage = (hasMore: boolean) => ({
    items,
    next_page_token: hasMore ? encodeCursor([items.at(-1)!.end]) : null,
  });
  try {
    for (const { start, end } of findMatches(text, pageStarts, source, from)) {
      const content = text.slice(Math.max(0, start - around), end + around);
      characters += content.length;
      const isFull = items.length === pageSize || (items.length > 0 && characters > MAX_PAGE_CHARACTERS);
      if (isFull) return toPage(true);
      items.push({ content, start, end });
    }
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    // The next page continues with the full number of steps.
    if (items.length > 0) return toPage(true);
    throw Invalid.field(['pattern'], error.message + explainEmptyMatches(source));
  }
  return toPage(false);
}

/** Returns advice for a pattern that matches an empty text, and therefore has a match at every position. */
function explainEmptyMatches(source: string): string {
  const advice =
    '. It also matches an empty text: let it match at least one character, for example with + in place of *';
  try {
    return compilePattern(source).test('') ? advice : '';
  } catch {
    return '';
  }
}

function* findMatches(
  text: string,
  pageStarts: readonly number[],
  source: string,
  from: number,
): Generator<{ start: number; end: number }> {
  const pattern = compilePattern(source);
  const budget = { left: MAX_STEPS };
  for (const segment of listSegments(text, pageStarts)) {
    if (segment.end <= from) continue;
    const part = text.slice(segment.start, segment.end);
    for (const match of pattern.findAll(part, Math.max(0, from - segment.start), budget))
      yield { start: segment.start + match.start, end: segment.start + match.end };
  }
}

/** Yields the pages of a text, and parts of those that are too long. */
function* listSegments(
  text: string,
  pageStarts: readonly number[],
): Generator<{ start: number; end: number }> {
  const starts = [0, ...pageStarts.filter((start) => start > 0)];
  for (const [index, pageStart] of starts.entries()) {
    const pageEnd = starts[index + 1] ?? text.length;
    for (let start = pageStart; start < pageEnd; ) {
      const limit = Math.min(pageEnd, start + MAX_SEGMENT);
      const line = limit < pageEnd ? text.lastIndexOf('\n', limit - 1) : -1;
      const end = line > start ? line + 1 : limit;
      yield { start, end };
      start = end;
    }
  }
}
