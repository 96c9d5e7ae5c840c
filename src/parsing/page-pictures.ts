import { keys } from '#src/files/keys.ts';
import type { EncodedImage, Page } from './document.ts';
import { ParseError } from './errors.ts';
import { keepImage, SCREENSHOT_DPI } from './keep-image.ts';
import type { ParseKey } from './page-store.ts';
import type { ParseParameters } from './parameters.ts';
import type { OpenDocument } from './parser.ts';

/** Which pictures are made while a file is parsed; all others are made when they are first asked for. */
export function picturesWanted(parameters: ParseParameters): { screenshots: boolean; figures: boolean } {
  const chosen = parameters.images_to_save;
  return {
    screenshots: parameters.take_screenshot === true || (chosen?.includes('screenshot') ?? false),
    figures:
      parameters.save_images !== false &&
      parameters.disable_image_extraction !== true &&
      (!chosen || chosen.includes('embedded') || chosen.includes('layout')),
  };
}

/** Puts the wanted pictures of a page into the bucket, where the page image operations look for them. */
export async function storePictures(
  bucket: R2Bucket,
  parse: ParseKey,
  document: OpenDocument,
  page: Page,
  parameters: ParseParameters,
): Promise<void> {
  const wanted = picturesWanted(parameters);
  const { projectId, contentHash } = parse;
  if (wanted.screenshots) {
    await store(bucket, keys.screenshot(projectId, contentHash, page.index), () =>
      document.renderPage?.(page.index, { dpi: SCREENSHOT_DPI }),
    );
  }
  if (!wanted.figures) return;
  for (const { name, isLikelyNoise } of page.figures) {
    if (isLikelyNoise) continue;
    await store(bucket, keys.figure(projectId, contentHash, `${page.index}/${name}`), () =>
      document.readFigure(page.index, name),
    );
  }
}

async function store(
  bucket: R2Bucket,
  key: string,
  make: () => Promise<EncodedImage | undefined> | undefined,
): Promise<void> {
  if (await bucket.head(key)) return;
  try {
    const image = await make();
    if (!image) return;
    await keepImage(bucket, key, image);
  } catch (error) {
    // A picture that cannot be made is no reason to lose the page's text.
    if (!(error instanceof ParseError)) throw error;
  }
}
