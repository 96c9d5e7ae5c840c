import type { Block, Box, ReadBy } from '#src/documents/document.ts';
import { blockRows } from '#src/documents/markdown/block-rows.ts';
import { pageFailure, type StoredPage } from '#src/documents/page-store.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { versionOf } from '#src/parse/versions.ts';
import { needsModel, planOf } from '#src/reading/plan/plan.ts';
import { confidenceOf } from './confidence.ts';

/** How a page was read, and by which reader. */
type PageReader = Omit<ReadBy, 'version'> & { version: string | null };

const readerOf = ({ readBy }: StoredPage, parameters: ParseParameters): PageReader =>
  readBy ?? byParser(parameters);

/** A block of a page in reading order. Boxes are in points from the page's top left. */
export interface PageItem {
  type: Block['type'];
  /** Heading level from 1 to 6. */
  level?: number;
  value: string;
  markdown: string;
  /** Cells of a table, header row first. */
  rows?: string[][];
  box?: Box;
  /** Lines with their boxes, if they were requested. */
  lines?: { text: string; box: Box }[];
}

export function itemsOf({ blocks }: StoredPage): PageItem[] {
  return blocks.map((block) => ({
    type: block.type,
    ...(block.level !== undefined && { level: block.level }),
    value: block.text,
    markdown: block.markdown,
    ...(block.type === 'table' && { rows: blockRows(block) }),
    ...(block.box && { box: block.box }),
    ...(block.lines && {
      lines: block.lines.map(([text, x, y, w, h]) => ({ text, box: { x, y, w, h } })),
    }),
  }));
}

function outcomeOf(page: StoredPage) {
  const error = pageFailure(page);
  return {
    page_number: page.index + 1,
    ...(error === undefined ? { success: true } : { success: false, error }),
  };
}

/** Returns the results of computing a sheet's formulas; null if there were none to compute. */
export function formulasOf({ formulas }: StoredPage) {
  if (!formulas) return null;
  const { notComputed, ...told } = formulas;
  return { ...told, not_computed: notComputed };
}

/** Returns what a PDF page draws and how much of it has a Unicode value; null of pages of other formats. */
function countGlyphs({ glyphs }: StoredPage) {
  if (!glyphs) return null;
  const { drawn, extracted, withoutUnicode } = glyphs;
  return { drawn, extracted, without_unicode: withoutUnicode };
}

/** Forms of a page. Each adds its own members to the page number and the state of reading. */
export const PAGE_FORMS = {
  markdown: (page: StoredPage) => ({ ...outcomeOf(page), markdown: page.markdown }),
  text: (page: StoredPage) => ({ ...outcomeOf(page), text: page.text }),
  items: (page: StoredPage) => ({
    ...outcomeOf(page),
    page_width: page.width,
    page_height: page.height,
    items: itemsOf(page),
  }),
  metadata: (page: StoredPage, parameters: ParseParameters) => ({
    ...outcomeOf(page),
    label: page.label,
    read_by: readerOf(page, parameters),
    parser_version: versionOf(parameters),
    confidence: confidenceOf(page, parameters),
    unsupported: page.verification?.unsupported ?? null,
    misplaced: page.verification?.misplaced ?? null,
    read_from_pictures: page.verification ? (page.verification.readFromPictures ?? []) : null,
    missing: page.verification?.missing ?? null,
    formulas: formulasOf(page),
    glyphs: countGlyphs(page),
  }),
} as const;

export type PageForm = keyof typeof PAGE_FORMS;

export async function* mapPages<Value>(
  pages: AsyncIterable<StoredPage>,
  value: (page: StoredPage) => Value,
): AsyncGenerator<Value> {
  for await (const page of pages) yield value(page);
}

/** Returns how a page was read that only the parser has processed. */
function byParser(parameters: ParseParameters): PageReader {
  const plan = planOf(parameters);
  const { mode, chosenBy } = plan;
  const asked = chosenBy ? `${chosenBy} asks for it.` : 'No parameter asks for anything else.';
  if (!needsModel(plan)) return { mode, model: null, version: null, reason: asked };
  const reason = 'No language model was configured for parsing.';
  return { mode: 'layout', model: null, version: null, reason };
}
