import { keys } from '#src/bucket/keys.ts';
import { presign } from '#src/bucket/presigned-url.ts';
import type { Context } from '#src/context/context.ts';
import type { Box, Figure, LayoutImage } from '#src/documents/document.ts';
import { NotFound } from '#src/lib/errors.ts';
import { isPageless, listScreenshots, type StoredImage, shapeOf } from '#src/services/files/page-images.ts';
import { fileOfResult, type ParseResult } from './open.ts';

export interface ResultImage {
  filename: string;
  index: number;
  category: 'screenshot' | 'embedded' | 'layout';
  /** Page that the picture shows, wholly or in part. */
  page_number: number;
  content_type: string;
  presigned_url: string;
  /** Size in bytes. Null if the page was never drawn; requesting its URL draws it. */
  size_bytes: number | null;
  bbox: Box | null;
}

/**
 * Yields the pictures of the parsed pages: one of each page, its figures, and tables and figures that were
 * cut out of it.
 */
export async function* imagesOf(
  ctx: Context,
  origin: string,
  result: ParseResult,
  wanted?: ReadonlySet<string>,
): AsyncGenerator<ResultImage> {
  const file = await fileOfResult(ctx, result);
  if (!file) return;
  const { kind } = await shapeOf(ctx, file);
  const drawn = isPageless(kind) ? [] : await listScreenshots(ctx, file, 0);
  const urlOf = async (path: string) =>
    (await presign(ctx.settings, origin, 'GET', `/presigned/${path}`)).url;
  const ofFile = (path: string) => `files/${file.id}/${path}`;
  let index = 0;
  for await (const { index: at, width, height, figures, layoutImages = [] } of result.pages()) {
    const screenshot = drawn[at];
    const page = screenshot && {
      filename: screenshotName(at),
      category: 'screenshot' as const,
      content_type: String(screenshot.metadata.mime_type ?? 'image/png'),
      path: ofFile(`page_screenshots/${at}`),
      size_bytes: screenshot.size ?? null,
      bbox: { x: 0, y: 0, w: width, h: height },
    };
    const embedded = figures.map((figure) => {
      const image = ofFigure(figure);
      return { ...image, path: ofFile(image.path) };
    });
    const cut = layoutImages.map((image) => ofLayout(image, result.job.id, at));
    for (const { path, ...image } of [...(page ? [page] : []), ...embedded, ...cut]) {
      const place = index++;
      if (wanted && !wanted.has(image.filename)) continue;
      yield { ...image, page_number: at + 1, index: place, presigned_url: await urlOf(path) };
    }
  }
}

const ofFigure = ({ name, pageIndex, mimeType, byteSize, box }: Figure) => ({
  filename: name,
  category: 'embedded' as const,
  content_type: mimeType,
  path: `page-figures/${pageIndex}/${encodeURIComponent(name)}`,
  size_bytes: byteSize,
  bbox: box ?? null,
});

const ofLayout = ({ name, byteSize, box }: LayoutImage, jobId: string, pageIndex: number) => ({
  filename: name,
  category: 'layout' as const,
  content_type: 'image/png',
  path: `parse/${jobId}/layout/${pageIndex}/${encodeURIComponent(name)}`,
  size_bytes: byteSize,
  bbox: box,
});

/** Returns a table or figure that was cut out of a page. Throws NotFound if there is none with this name. */
export async function getLayoutImage({ job, pages }: ParseResult, name: string): Promise<StoredImage> {
  for await (const { index, layoutImages } of pages()) {
    const image = layoutImages?.find((each) => each.name === name);
    if (!image) continue;
    const key = keys.layoutImage(job.projectId, job.contentHash!, index, image.box);
    return { key, contentType: 'image/png', name };
  }
  throw new NotFound(`Picture ${name.slice(0, 100)} of parse job`, job.id);
}

/** Returns the name of a page's picture. `pageIndex` is 0-based. */
export const screenshotName = (pageIndex: number) => `page_${pageIndex + 1}.png`;
