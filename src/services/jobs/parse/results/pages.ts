import type { Block, Box, ReadBy } from '#src/documents/document.ts';
import { blockRows } from '#src/documents/markdown/block-rows.ts';
import { getPageFailure, type StoredPage } from '#src/documents/page-store.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveVersion } from '#src/parse/versions.ts';
import { needsModel, resolveReadingPlan } from '#src/reading/plan/plan.ts';
import { getConfidence } from './confidence.ts';
import type { ParseResult } from './open.ts';

/** Describes how a page was read: the parse mode, and the model with its version if a model read the page. */
type PageReader = Omit<ReadBy, 'version'> & { version: string | null };

const getPageReader = ({ readBy }: StoredPage, parameters: ParseParameters): PageReader =>
  readBy ?? describeParserReading(parameters);

/** Block of a page, in reading order. Boxes are in points from the top left of the page. */
export interface PageItem {
  type: Block['type'];
  /** Heading level from 1 to 6. */
  level?: number;
  value: string;
  markdown: string;
  /** Cells of a table. The header row comes first. */
  rows?: string[][];
  box?: Box;
  /** Text lines of the block with their bounding boxes. Absent unless the parse parameters requested them. */
  lines?: { text: string; box: Box }[];
}

export function toPageItems({ blocks }: StoredPage): PageItem[] {
  return blocks.map((block) => ({
    type: block.type,
    ...(block.level !== undefined && { level: block.level }),
    value: block.text,
    // The page's Markdown leaves running headers and footers out, but the items show them.
    markdown: block.markdown || block.text,
    ...(block.type === 'table' && { rows: blockRows(block) }),
    ...(block.box && { box: block.box }),
    ...(block.lines && {
      lines: block.lines.map(([text, x, y, w, h]) => ({ text, box: { x, y, w, h } })),
    }),
  }));
}

function toPageStatus(page: StoredPage) {
  const error = getPageFailure(page);
  return {
    page_number: page.index + 1,
    ...(error === undefined ? { success: true } : { success: false, error }),
  };
}

/** Returns how many formulas of a sheet were computed. Returns null if the page has no formulas. */
export function toFormulaCounts({ formulas }: StoredPage) {
  if (!formulas) return null;
  const { notComputed, ...counts } = formulas;
  return { ...counts, not_computed: notComputed };
}

/**
 * Returns how many glyphs a PDF page draws and how many of them have a Unicode value. Returns null for other
 * formats.
 */
function countGlyphs({ glyphs }: StoredPage) {
  if (!glyphs) return null;
  const { drawn, extracted, withoutUnicode } = glyphs;
  return { drawn, extracted, without_unicode: withoutUnicode };
}

/** Views of a page in API responses. Each view adds its fields to the page number and status. */
export const PAGE_VIEWS = {
  markdown: (page: StoredPage) => ({ ...toPageStatus(page), markdown: page.markdown }),
  text: (page: StoredPage) => ({ ...toPageStatus(page), text: page.text }),
  items: (page: StoredPage) => ({
    ...toPageStatus(page),
    page_width: page.width,
    page_height: page.height,
    items: toPageItems(page),
  }),
  metadata: (page: StoredPage, { job, parameters }: Pick<ParseResult, 'job' | 'parameters'>) => ({
    ...toPageStatus(page),
    label: page.label,
    read_by: getPageReader(page, parameters),
    parser_version: resolveVersion(parameters, job.createdAt),
    confidence: getConfidence(page, parameters),
    unsupported: page.verification?.unsupported ?? null,
    misplaced: page.verification?.misplaced ?? null,
    read_from_pictures: page.verification ? (page.verification.readFromPictures ?? []) : null,
    missing: page.verification?.missing ?? null,
    formulas: toFormulaCounts(page),
    glyphs: countGlyphs(page),
  }),
} as const;

export type PageView = keyof typeof PAGE_VIEWS;

export async function* mapPages<Value>(
  pages: AsyncIterable<StoredPage>,
  value: (page: StoredPage) => Value,
): AsyncGenerator<Value> {
  for await (const page of pages) yield value(page);
}

/** Returns how a page was read by the parser alone, without a language model. */
function describeParserReading(parameters: ParseParameters): PageReader {
  const plan = resolveReadingPlan(parameters);
  const { mode, chosenBy } = plan;
  const asked = chosenBy ? `${chosenBy} requests this mode.` : 'No parameter requests another mode.';
  if (!needsModel(plan)) return { mode, model: null, version: null, reason: asked };
  const reason = 'No language model was configured for parsing.';
  return { mode: 'layout', model: null, version: null, reason };
}
