import type { StoredPage } from '#src/documents/page-store.ts';
import { dropOwnPictures } from '#src/lib/text/picture-links.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import type { ChunkableDocument } from './chunking/chunker.ts';
import { type JoinedPage, joinOverPages } from './over-pages.ts';

/** Between pages when the parameters name no separator: a paragraph may then run over the page's end. */
const DEFAULT_SEPARATOR = '\n\n';

/**
 * Returns the text of a parsed file as it is chunked: without the links to its own figures, whose file names nobody
 * searches for. `inline_images_in_markdown` keeps the links, as addresses. A file whose pages only show pictures has no
 * text.
 */
export function chunkableText(pages: StoredPage[], parameters: ParseParameters): ChunkableDocument {
  const shown = parameters.inline_images_in_markdown ? pages : pages.map(withoutFigureLinks);
  return linkedText(shown, parameters);
}

/** Returns the same with the links to figures, as indexes were built until 0.1.0. */
export function linkedText(pages: StoredPage[], parameters: ParseParameters): ChunkableDocument {
  const readable = pages.some((page) => page.text.trim() !== '') ? pages : [];
  return joinPages(readable, parameters);
}

/** Returns the page without links to its own figures. Blocks keep their places, so some have no Markdown afterwards. */
export function withoutFigureLinks<Shown extends StoredPage>(page: Shown): Shown {
  if (!page.markdown.includes('![')) return page;
  const blocks = page.blocks.map((block) => ({ ...block, markdown: dropOwnPictures(block.markdown) }));
  return { ...page, markdown: dropOwnPictures(page.markdown), blocks };
}

/** The document's text: its pages' Markdown in order, framed as the page parameters ask. */
export function joinPages(read: StoredPage[], parameters: ParseParameters): ChunkableDocument {
  const pages = joinOverPages(read, parameters);
  const separator = parameters.page_separator ?? DEFAULT_SEPARATOR;
  const pageStarts: number[] = [];
  const parts: string[] = [];
  let length = 0;
  for (const [position, page] of pages.entries()) {
    pageStarts.push(length);
    const body = `${frame(parameters.page_prefix, page)}${page.markdown}${frame(parameters.page_suffix, page)}`;
    const next = pages[position + 1];
    const part = next
      ? body + frame(isCutTable(page, parameters) ? DEFAULT_SEPARATOR : separator, next)
      : body;
    parts.push(part);
    length += part.length;
  }
  return { text: parts.join(''), pageStarts, pages: pages.map((page) => ({ ...page, words: [] })) };
}

/**
 * The same in pieces, holding a range of pages at a time. `separator` and `form`: what stands between pages that name
 * none, and which text of a page is meant. What runs over a page's end is joined where both pages are held.
 */
export async function* joinedPieces(
  ranges: AsyncIterable<StoredPage[]>,
  parameters: ParseParameters,
  { separator = DEFAULT_SEPARATOR, form = 'markdown' as 'markdown' | 'text' } = {},
): AsyncGenerator<string> {
  const between = parameters.page_separator ?? separator;
  let held: JoinedPage[] = [];
  let last: JoinedPage | undefined;
  const piecesOf = (page: JoinedPage) => {
    const parting = last && isCutTable(last, parameters) ? DEFAULT_SEPARATOR : between;
    const before = last ? frame(parting, page) : '';
    last = page;
    return before + frame(parameters.page_prefix, page) + page[form] + frame(parameters.page_suffix, page);
  };
  for await (const range of ranges) {
    const pages = joinOverPages([...held, ...range], parameters);
    for (const page of pages.slice(0, -1)) yield piecesOf(page);
    held = pages.slice(-1);
  }
  for (const page of held) yield piecesOf(page);
}

/** Rows that stand on one page have no page's end between them. */
const isCutTable = ({ tableGoesOn }: JoinedPage, parameters: ParseParameters) =>
  tableGoesOn && !parameters.keep_page_separator_when_merging_tables;

/** `{pageNumber}` in a separator, prefix or suffix stands for the 1-based number of the page it belongs to. */
function frame(template: string | null | undefined, page: StoredPage): string {
  return (template ?? '').replaceAll(/\{page_?[nN]umber\}/g, String(page.index + 1));
}
