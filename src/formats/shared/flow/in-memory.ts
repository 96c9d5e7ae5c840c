import type { DocumentMetadata, EncodedImage, Page } from '#src/documents/document.ts';
import type { OpenDocument } from '../open-document.ts';

/** An open document for formats that are read whole: pages and figure images are already in memory. */
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
