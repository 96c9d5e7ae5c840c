import { keys } from '#src/bucket/keys.ts';
import type { ParseKey } from '#src/documents/page-store.ts';
import { drawPage } from '#src/formats/pdf/drawing/draw-text.ts';
import { headMember } from '#src/formats/shared/members/heading.ts';
import type { OpenDocument } from '#src/formats/shared/open-document.ts';
import type { SmallPicture } from '#src/parse/service.ts';
import { keepImage, SCREENSHOT_DPI } from './keep-image.ts';

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
