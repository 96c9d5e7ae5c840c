import { keys } from '#src/files/keys.ts';
import { keepImage, SCREENSHOT_DPI } from './keep-image.ts';
import { headMember } from './members/heading.ts';
import type { ParseKey } from './page-store.ts';
import type { OpenDocument } from './parser.ts';
import { drawPage } from './pdf/draw-text.ts';
import type { SmallPicture } from './service.ts';

/** Draws a page into the bucket; formats without an appearance of their own are laid out as text. */
export async function drawInto(
  bucket: R2Bucket,
  { projectId, contentHash }: ParseKey,
  document: OpenDocument,
  pageIndex: number,
  small: SmallPicture | null = null,
): Promise<void> {
  const key = small
    ? keys.smallScreenshot(projectId, contentHash, small.width, pageIndex)
    : keys.screenshot(projectId, contentHash, pageIndex);
  const dpi = small ? (SCREENSHOT_DPI * small.width) / small.fullWidth : SCREENSHOT_DPI;
  if (document.renderPage) {
    await keepImage(bucket, key, await document.renderPage(pageIndex, { dpi }));
    return;
  }
  const page = headMember(await document.readPage(pageIndex));
  const { image, missingGlyphs, truncated } = await drawPage(page, dpi);
  await keepImage(bucket, key, image, {
    layout: 'text',
    missingGlyphs: String(missingGlyphs),
    truncated: String(truncated),
  });
}
