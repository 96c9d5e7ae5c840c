import type { Page } from '#src/documents/document.ts';

/** Maximum number of characters of a document in one model call, which is about 12,000 tokens. */
export const CHUNK_CHARACTERS = 48_000;

/** Text of a page, or of a part of a page that is too long for one model call. */
export interface PageText {
  page: Page;
  text: string;
}

/**
 * Groups pages in order into chunks of at most `limit` characters. Pages longer than the limit are split. A
 * document without pages is treated as one page.
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
    // Splits a long text between paragraphs, or otherwise between lines, sentences or words. A split must
    // leave a piece at least half full.
    const places = ['\n\n', '\n', '. ', ' '].map(
      (mark) => rest.lastIndexOf(mark, limit - mark.length) + mark.length,
    );
    const cut = places.find((place) => place > limit / 2) ?? limit;
    out.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return [...out, rest];
}

/** Formats pages for a prompt, each with its page number, which is counted from 1. */
export function formatChunk(chunk: PageText[]): string {
  return chunk.map(({ page, text }) => `=== Page ${page.index + 1} ===\n${text}`).join('\n\n');
}
