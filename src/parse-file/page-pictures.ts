import { keys } from '#src/bucket/keys.ts';
import type { EncodedImage, Page } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import type { PageRange } from '#src/documents/page-selection.ts';
import type { ParsedFile, ParseKey } from '#src/documents/page-store.ts';
import type { OpenDocument } from '#src/formats/shared/open-document.ts';
import type { ImagesPlan } from '#src/parse/plan.ts';
import { cutOutImages } from './layout-images.ts';
import { storeDrawnPage } from './store-drawn-page.ts';
import { SCREENSHOT_DPI, storeImage } from './store-image.ts';

/**
 * Stores the requested pictures of a page in the bucket, where the API operations for page images look for
 * them. Returns the page with a list of the images that were cut out of it.
 */
export async function storePictures(
  bucket: R2Bucket,
  parse: ParseKey,
  document: OpenDocument,
  page: Page,
  plan: ImagesPlan,
): Promise<Page> {
  const { projectId, contentHash } = parse;
  if (plan.screenshots) {
    await storeIfMissing(bucket, keys.screenshot(projectId, contentHash, page.index), () =>
      document.renderPage?.(page.index, { dpi: SCREENSHOT_DPI }),
    );
  }
  for (const { name, isLikelyNoise } of plan.figures ? page.figures : []) {
    if (isLikelyNoise && !document.unlocked) continue;
    await storeIfMissing(bucket, keys.figure(projectId, contentHash, `${page.index}/${name}`), () =>
      document.readFigure(page.index, name),
    );
  }
  const cut = plan.layout ? await cutOutImages(document, page).catch(ignoreParseError) : undefined;
  if (!cut?.length) return page;
  for (const { described, image } of cut) {
    const key = keys.layoutImage(projectId, contentHash, page.index, described.box);
    await storeImage(bucket, key, image);
  }
  return { ...page, layoutImages: cut.map(({ described }) => described) };
}

/**
 * Stores all pictures that later requests may need, for a file that was opened with a password. The password
 * is not stored, so the file cannot be opened again.
 */
export async function storeUnlocked(
  bucket: R2Bucket,
  parse: ParseKey,
  document: OpenDocument & Pick<ParsedFile, 'kind'>,
  range: PageRange,
  pages: readonly Page[],
  plan: ImagesPlan,
  progress: () => Promise<void>,
): Promise<void> {
  const { projectId, contentHash } = parse;
  for (const { index } of pages) {
    if (await bucket.head(keys.screenshot(projectId, contentHash, index))) continue;
    await storeDrawnPage(bucket, parse, document, index).catch(ignoreParseError);
    await progress();
  }
  if (plan.figures && pages.length === range.to - range.from) {
    const figures = pages.flatMap((page) => page.figures);
    await bucket.put(keys.figureList(projectId, contentHash, range.from), JSON.stringify(figures));
  }
  const { kind, pageCount, metadata } = document;
  const shape: ParsedFile = { kind, pageCount, metadata };
  await bucket.put(keys.unlockedShape(projectId, contentHash), JSON.stringify(shape));
}

/**
 * Ignores ParseErrors. A picture that cannot be created must not prevent the text of the page from being
 * stored.
 */
function ignoreParseError(error: unknown): undefined {
  if (!(error instanceof ParseError)) throw error;
}

async function storeIfMissing(
  bucket: R2Bucket,
  key: string,
  make: () => Promise<EncodedImage | undefined> | undefined,
): Promise<void> {
  if (await bucket.head(key)) return;
  const image = await make()?.catch(ignoreParseError);
  if (image) await storeImage(bucket, key, image);
}
