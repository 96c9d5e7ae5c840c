import type { DocumentMetadata, EncodedImage, Page } from '#src/documents/document.ts';
import type { OpenDocument } from '../open-document.ts';

/**
 * Creates an open document whose pages and figures are already in memory, for formats that are parsed as a
 * whole.
 */
export function inMemoryDocument(
  pages: Page[],
  metadata: DocumentMetadata,
  images: ReadonlyMap<string, EncodedImage> = new Map(),
): OpenDocument {
  return {
    pageCount: pages.length,
    metadata,
    async readPage(index) {
      const page = pages[index];
      if (!page) throw new RangeError(`page ${index} of ${pages.length}`);
      return page;
    },
    async readFigure(_pageIndex, name) {
      return images.get(name);
    },
    close() {},
  };
}
