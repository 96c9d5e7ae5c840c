import type { EncodedImage, Page } from '#src/documents/document.ts';
import { layOut } from '#src/documents/layout/layout.ts';
import { PdfSession } from '../engine/session.ts';
import { renderPage } from './render.ts';

export interface DrawnPage {
  image: EncodedImage;
  /** Number of characters that the core fonts lack. They are drawn as empty boxes. */
  missingGlyphs: number;
  /** True if the page has more text than fits into the picture. */
  truncated: boolean;
}

/**
 * Draws a page of a format without a fixed layout by placing its blocks below one another. The picture shows
 * the text that was read. Figures are shown as frames with their names.
 */
export async function drawPage(page: Page, dpi = 150): Promise<DrawnPage> {
  const layout = layOut(page);
  const session = new PdfSession(layout.canvas.toPdf(layout.height), 'drawing');
  try {
    const image = await renderPage(session, 0, dpi);
    return { image, missingGlyphs: layout.canvas.missingGlyphs, truncated: layout.isTruncated };
  } finally {
    session.close();
  }
}
