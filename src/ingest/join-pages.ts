import type { StoredPage } from '#src/documents/page-store.ts';
import { dropDocumentPictures } from '#src/lib/text/picture-links.ts';
import type { ParsePlan } from '#src/parse/plan.ts';
import type { ChunkableDocument } from './chunking/chunker.ts';
import { type JoinedPage, joinOverPages } from './join-over-pages.ts';

/** Settings of the parse plan that affect the text of joined pages. */
export type PagesTextPlan = Pick<ParsePlan, 'output' | 'tables' | 'images'>;

/**
 * Separator between pages if the parse plan sets none. It has no visible mark, because a paragraph may
 * continue on the next page.
 */
const DEFAULT_SEPARATOR = '\n\n';

/**
 * Returns the text of a parsed file for chunking, without links to the file's own figures. If
 * `inline_images_in_markdown` is set, these links stay. A file whose pages show only pictures has no text.
 */
export function buildChunkableText(pages: StoredPage[], plan: PagesTextPlan): ChunkableDocument {
  const shown = plan.images.linkFigures ? pages : pages.map(removeFigureLinks);
  return buildTextWithLinks(shown, plan);
}

/**
 * Returns the text of a parsed file including links to figures. Up to version 0.1.0, indexes were built from
 * this text.
 */
export function buildTextWithLinks(pages: StoredPage[], plan: PagesTextPlan): ChunkableDocument {
  const readable = pages.some((page) => page.text.trim() !== '') ? pages : [];
  return joinPages(readable, plan);
}

/**
 * Returns the page without links to its own figures. No block is removed, so the Markdown of some blocks
 * becomes empty.
 */
export function removeFigureLinks<Shown extends StoredPage>(page: Shown): Shown {
  if (!page.markdown.includes('![')) return page;
  const blocks = page.blocks.map((block) => ({ ...block, markdown: dropDocumentPictures(block.markdown) }));
  return { ...page, markdown: dropDocumentPictures(page.markdown), blocks };
}

/** Joins the Markdown of pages, with the prefixes, separators and suffixes of the parse plan. */
export function joinPages(read: StoredPage[], plan: PagesTextPlan): ChunkableDocument {
  const pages = joinOverPages(read, plan.tables);
  const separator = plan.output.separator ?? DEFAULT_SEPARATOR;
  const pageStarts: number[] = [];
  const parts: string[] = [];
  let length = 0;
  for (const [position, page] of pages.entries()) {
    pageStarts.push(length);
    const body = `${fillTemplate(plan.output.page.prefix, page)}${page.markdown}${fillTemplate(plan.output.page.suffix, page)}`;
    const next = pages[position + 1];
    const part = next
      ? body + fillTemplate(hasContinuedTable(page, plan) ? DEFAULT_SEPARATOR : separator, next)
      : body;
    parts.push(part);
    length += part.length;
  }
  return { text: parts.join(''), pageStarts, pages: pages.map((page) => ({ ...page, words: [] })) };
}

/**
 * Yields the text of `joinPages` in pieces, so that only one range of pages is in memory. `separator` is the
 * default between pages, and `form` selects the form of a page's text. Content that continues on the next
 * page is joined only if both pages are in memory.
 */
export async function* iterateJoinedText(
  ranges: AsyncIterable<StoredPage[]>,
  plan: PagesTextPlan,
  { separator = DEFAULT_SEPARATOR, form = 'markdown' as 'markdown' | 'text' } = {},
): AsyncGenerator<string> {
  const between = plan.output.separator ?? separator;
  let pending: JoinedPage[] = [];
  let last: JoinedPage | undefined;
  const formatPage = (page: JoinedPage) => {
    const pageSeparator = last && hasContinuedTable(last, plan) ? DEFAULT_SEPARATOR : between;
    const before = last ? fillTemplate(pageSeparator, page) : '';
    last = page;
    return (
      before +
      fillTemplate(plan.output.page.prefix, page) +
      page[form] +
      fillTemplate(plan.output.page.suffix, page)
    );
  };
  for await (const range of ranges) {
    const pages = joinOverPages([...pending, ...range], plan.tables);
    for (const page of pages.slice(0, -1)) yield formatPage(page);
    pending = pages.slice(-1);
  }
  for (const page of pending) yield formatPage(page);
}

/**
 * Returns whether the page ends in a table that continues on the next page. The rows of such a table are not
 * divided by a page separator.
 */
const hasContinuedTable = ({ isTableContinued }: JoinedPage, plan: PagesTextPlan) =>
  isTableContinued && !plan.tables.keepSeparator;

/** Replaces `{pageNumber}` in a separator, prefix or suffix by the 1-based page number. */
function fillTemplate(template: string | null | undefined, page: StoredPage): string {
  return (template ?? '').replaceAll(/\{page_?[nN]umber\}/g, String(page.index + 1));
}
