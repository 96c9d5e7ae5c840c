import { keys } from '#src/bucket/keys.ts';
import type { ParseKey } from '#src/documents/page-store.ts';
import { drawPage } from '#src/formats/pdf/drawing/draw-text.ts';
import { addMemberHeading } from '#src/formats/shared/members/member-heading.ts';
import type { OpenDocument } from '#src/formats/shared/open-document.ts';
import type { SmallPicture } from '#src/parse/service.ts';
import { SCREENSHOT_DPI, storeImage } from './store-image.ts';

/** Draws a page and stores the picture in the bucket. Formats without a fixed layout are laid out as text. */
export async function storeDrawnPage(
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
    await storeImage(bucket, key, await document.renderPage(pageIndex, { dpi }));
    return;
  }
  const page = addMemberHeading(await document.readPage(pageIndex));
  const { image, missingGlyphs, truncated } = await drawPage(page, dpi);
  await storeImage(bucket, key, image, {
    layout: 'text',
    missingGlyphs: String(missingGlyphs),
    truncated: String(truncated),
  });
}
