import { joinOverPages } from '#src/parsing/over-pages.ts';
import type { StoredPage } from '#src/parsing/page-store.ts';
import type { ParseParameters } from '#src/parsing/parameters.ts';
import type { ChunkableDocument } from './chunking/chunker.ts';

/** Between pages when the parameters name no separator: a paragraph may then run over the page's end. */
const DEFAULT_SEPARATOR = '\n\n';

/** What is chunked of a parsed file. Pages that only show pictures have Markdown that names them, which nobody searches for. */
export function chunkableText(pages: StoredPage[], parameters: ParseParameters): ChunkableDocument {
  const readable = pages.some((page) => page.text.trim() !== '') ? pages : [];
  return joinPages(readable, parameters);
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
    // Rows that stand on one page have no page's end between them.
    const isJoined = page.tableGoesOn && !parameters.keep_page_separator_when_merging_tables;
    const part = next ? body + frame(isJoined ? DEFAULT_SEPARATOR : separator, next) : body;
    parts.push(part);
    length += part.length;
  }
  return { text: parts.join(''), pageStarts, pages: pages.map((page) => ({ ...page, words: [] })) };
}

/** `{pageNumber}` in a separator, prefix or suffix stands for the 1-based number of the page it belongs to. */
function frame(template: string | null | undefined, page: StoredPage): string {
  return (template ?? '').replaceAll(/\{page_?[nN]umber\}/g, String(page.index + 1));
}
