import type { EncodedImage, Page } from '#src/documents/document.ts';
import { layOut } from '#src/documents/layout/layout.ts';
import { PdfSession } from '../engine/session.ts';
import { renderPage } from './render.ts';

export interface DrawnPage {
  image: EncodedImage;
  /** Characters without a glyph in the core fonts (scripts other than Latin), drawn as empty boxes. */
  missingGlyphs: number;
  /** The page had more text than a picture can show. */
  truncated: boolean;
}

/**
 * Draws a page of a format that has no appearance of its own: its blocks are laid out one below the other.
 * The picture shows what was read, not what an office program would print; figures are frames with names.
 */
export async function drawPage(page: Page, dpi = 150): Promise<DrawnPage> {
  const layout = layOut(page);
  const session = new PdfSession(layout.canvas.toPdf(layout.height), 'drawing');
  try {
    const image = await renderPage(session, 0, dpi);
    return { image, missingGlyphs: layout.canvas.missingGlyphs, truncated: layout.isCut };
  } finally {
    session.close();
  }
}
