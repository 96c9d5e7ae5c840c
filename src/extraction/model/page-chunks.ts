import type { Page } from '#src/documents/document.ts';

/** Maximum characters of a document per question, about 12,000 tokens. */
export const CHUNK_CHARACTERS = 48_000;

/** A page, or a part of one that is too long. */
export interface PageText {
  page: Page;
  text: string;
}

/**
 * Groups pages into chunks that fit, in order. A format without pages is one page and is split between lines.
 */
export function chunkPages(pages: Page[], limit = CHUNK_CHARACTERS): PageText[][] {
  const chunks: PageText[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const page of pages) {
    for (const text of pieces(page.markdown || page.text, limit)) {
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

function pieces(text: string, limit: number): string[] {
  const out: string[] = [];
  let rest = text;
  while (rest.length > limit) {
    // Splits between paragraphs, otherwise lines, sentences or words, as long as a piece stays at least half
    // full.
    const places = ['\n\n', '\n', '. ', ' '].map(
      (mark) => rest.lastIndexOf(mark, limit - mark.length) + mark.length,
    );
    const cut = places.find((place) => place > limit / 2) ?? limit;
    out.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return [...out, rest];
}

/** Returns the pages with their 1-based numbers for a prompt. */
export function promptOf(chunk: PageText[]): string {
  return chunk.map(({ page, text }) => `=== Page ${page.index + 1} ===\n${text}`).join('\n\n');
}
