import type { Context } from '#src/context.ts';
import { presign } from '#src/files/presigned-url.ts';
import type { Box, Figure } from '#src/parsing/document.ts';
import { isPageless, listScreenshots, shapeOf } from '#src/services/files/page-images.ts';
import { fileOfResult, type ParseResult } from './open.ts';

export interface ResultImage {
  filename: string;
  index: number;
  category: 'screenshot' | 'embedded';
  content_type: string;
  presigned_url: string;
  /** Null of a page that was never drawn: its URL draws it. */
  size_bytes: number | null;
  bbox: Box | null;
}

/** The pictures of the pages that the job read: each page's own, and the figures in it. */
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
    (await presign(ctx.settings, origin, 'GET', `/presigned/files/${file.id}/${path}`)).url;
  let index = 0;
  for await (const { index: at, width, height, figures } of result.pages()) {
    const screenshot = drawn[at];
    const page = screenshot && {
      filename: screenshotName(at),
      category: 'screenshot' as const,
      content_type: String(screenshot.metadata.mime_type ?? 'image/png'),
      path: `page_screenshots/${at}`,
      size_bytes: screenshot.size ?? null,
      bbox: { x: 0, y: 0, w: width, h: height },
    };
    for (const { path, ...image } of [...(page ? [page] : []), ...figures.map(ofFigure)]) {
      const place = index++;
      if (wanted && !wanted.has(image.filename)) continue;
      yield { ...image, index: place, presigned_url: await urlOf(path) };
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

/** Of the picture of a page, 0-based. */
export const screenshotName = (pageIndex: number) => `page_${pageIndex + 1}.png`;
