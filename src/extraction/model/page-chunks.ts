import type { Page } from '#src/documents/document.ts';

/** Maximum number of characters of a document per model call, about 12,000 tokens. */
export const CHUNK_CHARACTERS = 48_000;

/** A page, or a part of a page that is too long for one model call. */
export interface PageText {
  page: Page;
  text: string;
}

/**
 * Groups pages into chunks of at most `limit` characters, in order. Longer pages are split. A document
 * without pages counts as one page.
 */
export function chunkPages(pages: Page[], limit = CHUNK_CHARACTERS): PageText[][] {
  const chunks: PageText[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const page of pages) {
    for (const text of splitText(page.markdown || page.text, limit)) {
      if (size + text.length > limit) {
        chunks.push([]);
        size = 0;
      }
      chunks.at(-1)!.push({ page, text });
      size += text.length;
    }
  }
  return chunks;
}

function splitText(text: string, limit: number): string[] {
  const out: string[] = [];
  let rest = text;
  while (rest.length > limit) {
    // Splits between paragraphs, otherwise between lines, sentences or words, as long as a piece stays at
    // least half full.
    const places = ['\n\n', '\n', '. ', ' '].map(
      (mark) => rest.lastIndexOf(mark, limit - mark.length) + mark.length,
    );
    const cut = places.find((place) => place > limit / 2) ?? limit;
    out.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return [...out, rest];
}

/** Formats the pages for a prompt, each with its number counted from 1. */
export function formatChunk(chunk: PageText[]): string {
  return chunk.map(({ page, text }) => `=== Page ${page.index + 1} ===\n${text}`).join('\n\n');
}
