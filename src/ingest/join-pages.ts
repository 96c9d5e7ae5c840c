import type { StoredPage } from '#src/documents/page-store.ts';
import { dropOwnPictures } from '#src/lib/text/picture-links.ts';
import type { ParsePlan } from '#src/parse/plan.ts';
import type { ChunkableDocument } from './chunking/chunker.ts';
import { type JoinedPage, joinOverPages } from './over-pages.ts';

/** Parts of the parse plan that determine the text of joined pages. */
export type PagesTextPlan = Pick<ParsePlan, 'output' | 'tables' | 'images'>;

/** Separates pages if the plan has no separator, so that a paragraph may continue on the next page. */
const DEFAULT_SEPARATOR = '\n\n';

/**
 * Returns the text of a parsed file as it is chunked: without the links to its own figures, whose file names nobody
 * searches for. `inline_images_in_markdown` keeps the links, as addresses. A file whose pages only show pictures has no
 * text.
 */
export function chunkableText(pages: StoredPage[], plan: PagesTextPlan): ChunkableDocument {
  const shown = plan.images.linkFigures ? pages : pages.map(withoutFigureLinks);
  return linkedText(shown, plan);
}

/** Returns the same with the links to figures, as indexes were built until 0.1.0. */
export function linkedText(pages: StoredPage[], plan: PagesTextPlan): ChunkableDocument {
  const readable = pages.some((page) => page.text.trim() !== '') ? pages : [];
  return joinPages(readable, plan);
}

/** Returns the page without links to its own figures. Blocks keep their places, so some have no Markdown afterwards. */
export function withoutFigureLinks<Shown extends StoredPage>(page: Shown): Shown {
  if (!page.markdown.includes('![')) return page;
  const blocks = page.blocks.map((block) => ({ ...block, markdown: dropOwnPictures(block.markdown) }));
  return { ...page, markdown: dropOwnPictures(page.markdown), blocks };
}

/** Joins the Markdown of the pages, with the texts of the plan before, between and after pages. */
export function joinPages(read: StoredPage[], plan: PagesTextPlan): ChunkableDocument {
  const pages = joinOverPages(read, plan.tables);
  const separator = plan.output.separator ?? DEFAULT_SEPARATOR;
  const pageStarts: number[] = [];
  const parts: string[] = [];
  let length = 0;
  for (const [position, page] of pages.entries()) {
    pageStarts.push(length);
    const body = `${frame(plan.output.page.prefix, page)}${page.markdown}${frame(plan.output.page.suffix, page)}`;
    const next = pages[position + 1];
    const part = next ? body + frame(isCutTable(page, plan) ? DEFAULT_SEPARATOR : separator, next) : body;
    parts.push(part);
    length += part.length;
  }
  return { text: parts.join(''), pageStarts, pages: pages.map((page) => ({ ...page, words: [] })) };
}

/**
 * Yields the same text in pieces, with one range of pages in memory. `separator` is the default between
 * pages, and `form` selects the text of a page. Content across a page break is joined if both pages are in
 * memory.
 */
export async function* joinedPieces(
  ranges: AsyncIterable<StoredPage[]>,
  plan: PagesTextPlan,
  { separator = DEFAULT_SEPARATOR, form = 'markdown' as 'markdown' | 'text' } = {},
): AsyncGenerator<string> {
  const between = plan.output.separator ?? separator;
  let held: JoinedPage[] = [];
  let last: JoinedPage | undefined;
  const piecesOf = (page: JoinedPage) => {
    const parting = last && isCutTable(last, plan) ? DEFAULT_SEPARATOR : between;
    const before = last ? frame(parting, page) : '';
    last = page;
    return before + frame(plan.output.page.prefix, page) + page[form] + frame(plan.output.page.suffix, page);
  };
  for await (const range of ranges) {
    const pages = joinOverPages([...held, ...range], plan.tables);
    for (const page of pages.slice(0, -1)) yield piecesOf(page);
    held = pages.slice(-1);
  }
  for (const page of held) yield piecesOf(page);
}

/** Rows of one page contain no page break. */
const isCutTable = ({ tableGoesOn }: JoinedPage, plan: PagesTextPlan) =>
  tableGoesOn && !plan.tables.keepSeparator;

/** Replaces `{pageNumber}` in a separator, prefix or suffix by the 1-based page number. */
function frame(template: string | null | undefined, page: StoredPage): string {
  return (template ?? '').replaceAll(/\{page_?[nN]umber\}/g, String(page.index + 1));
}
