import type { Block } from '#src/documents/document.ts';
import type { StoredPage } from '#src/documents/page-store.ts';

/** Returns a page of one paragraph, with optional overrides. */
export function createPage(text: string, further: Partial<StoredPage> = {}): StoredPage {
  const paragraph: Block = { type: 'paragraph', text, markdown: text, box: { x: 72, y: 72, w: 400, h: 20 } };
  return {
    ...{ index: 0, label: '1', width: 600, height: 800, text, markdown: text },
    ...{ blocks: [paragraph], links: [], figures: [] },
    ...further,
  };
}

export const block = (type: Block['type'], x = 72, y = 72, w = 400, h = 20): Block => ({
  ...{ type, text: type, markdown: type, box: { x, y, w, h } },
});

/** Returns a figure with this size in points. */
export const figure = (w: number, h: number, isLikelyNoise = false): StoredPage['figures'][number] => ({
  ...{ name: 'f', pageIndex: 0, box: { x: 0, y: 0, w, h }, width: 10, height: 10, byteSize: 1 },
  ...{ mimeType: 'image/png', confidence: 1, isLikelyNoise },
});
