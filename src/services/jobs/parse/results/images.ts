import { keys } from '#src/bucket/keys.ts';
import { presign } from '#src/bucket/presigned-url.ts';
import type { Context } from '#src/context/context.ts';
import type { Box, Figure, LayoutImage } from '#src/documents/document.ts';
import { NotFound } from '#src/lib/errors.ts';
import {
  inspectFile,
  isPageless,
  listScreenshots,
  type StoredImage,
} from '#src/services/files/page-images.ts';
import { findResultFile, type ParseResult } from './open.ts';

export interface ResultImage {
  filename: string;
  index: number;
  category: 'screenshot' | 'embedded' | 'layout';
  /** Number of the page that the image shows, in whole or in part. */
  page_number: number;
  content_type: string;
  presigned_url: string;
  /**
   * Size of the image in bytes. Null if the image was not rendered yet. Requesting its URL renders the image.
   */
  size_bytes: number | null;
  bbox: Box | null;
}

/**
 * Yields the images of the parsed pages: a screenshot of each page, its embedded figures, and regions that
 * were cut out as tables and figures.
 */
export async function* listImages(
  ctx: Context,
  origin: string,
  result: ParseResult,
  wanted?: ReadonlySet<string>,
): AsyncGenerator<ResultImage> {
  const file = await findResultFile(ctx, result);
  if (!file) return;
  const { kind } = await inspectFile(ctx, file);
  const drawn = isPageless(kind) ? [] : await listScreenshots(ctx, file, 0);
  const presignPath = async (path: string) =>
    (await presign(ctx.settings, origin, 'GET', `/presigned/${path}`)).url;
  const toFilePath = (path: string) => `files/${file.id}/${path}`;
  let index = 0;
  for await (const { index: at, width, height, figures, layoutImages = [] } of result.pages()) {
    const screenshot = drawn[at];
    const page = screenshot && {
      filename: getScreenshotName(at),
      category: 'screenshot' as const,
      content_type: String(screenshot.metadata.mime_type ?? 'image/png'),
      path: toFilePath(`page_screenshots/${at}`),
      size_bytes: screenshot.size ?? null,
      bbox: { x: 0, y: 0, w: width, h: height },
    };
    const embedded = figures.map((figure) => {
      const image = toFigureImage(figure);
      return { ...image, path: toFilePath(image.path) };
    });
    const cut = layoutImages.map((image) => toLayoutImage(image, result.job.id, at));
    for (const { path, ...image } of [...(page ? [page] : []), ...embedded, ...cut]) {
      const place = index++;
      if (wanted && !wanted.has(image.filename)) continue;
      yield { ...image, page_number: at + 1, index: place, presigned_url: await presignPath(path) };
    }
  }
}

const toFigureImage = ({ name, pageIndex, mimeType, byteSize, box }: Figure) => ({
  filename: name,
  category: 'embedded' as const,
  content_type: mimeType,
  path: `page-figures/${pageIndex}/${encodeURIComponent(name)}`,
  size_bytes: byteSize,
  bbox: box ?? null,
});

const toLayoutImage = ({ name, byteSize, box }: LayoutImage, jobId: string, pageIndex: number) => ({
  filename: name,
  category: 'layout' as const,
  content_type: 'image/png',
  path: `parse/${jobId}/layout/${pageIndex}/${encodeURIComponent(name)}`,
  size_bytes: byteSize,
  bbox: box,
});

/** Returns a table or figure that was cut out of a page. Throws NotFound if none has this name. */
export async function getLayoutImage({ job, pages }: ParseResult, name: string): Promise<StoredImage> {
  for await (const { index, layoutImages } of pages()) {
    const image = layoutImages?.find((each) => each.name === name);
    if (!image) continue;
    const key = keys.layoutImage(job.projectId, job.contentHash!, index, image.box);
    return { key, contentType: 'image/png', name };
  }
  throw new NotFound(`Picture ${name.slice(0, 100)} of parse job`, job.id);
}

/** Returns the file name of a page's screenshot. `pageIndex` is 0-based. */
export const getScreenshotName = (pageIndex: number) => `page_${pageIndex + 1}.png`;
