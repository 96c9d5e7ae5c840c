import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { serveObject } from '#src/bucket/serve-object.ts';
import type { TenantContext } from '#src/context/context.ts';
import type { Figure } from '#src/documents/document.ts';
import { NotFound } from '#src/lib/errors.ts';
import { getFigure, listFigures } from '#src/services/files/figures.ts';
import { getFile } from '#src/services/files/files.ts';
import { getScreenshot, listScreenshots, type StoredImage } from '#src/services/files/page-images.ts';
import { createImageUrl } from '#src/services/files/presigned.ts';
import { fileParams } from './files.ts';
import { getOrigin, presentUrl, presignedUrlBody } from './presigned-urls.ts';

const screenshotBody = z
  .object({
    page_index: z.number().int().min(0),
    file_id: z.uuid(),
    image_size: z.number().int().min(0),
    metadata: z.record(z.string(), z.unknown()).nullish(),
  })
  .meta({ id: 'PageScreenshotMetadata' });

const figureBody = z
  .object({
    page_index: z.number().int().min(0),
    file_id: z.uuid(),
    figure_name: z.string(),
    figure_size: z.number().int().min(0),
    is_likely_noise: z.boolean(),
    confidence: z.number().min(0).max(1),
    metadata: z.record(z.string(), z.unknown()).nullish(),
  })
  .meta({ id: 'PageFigureMetadata' });

function presentFigure(fileId: string, figure: Figure): z.input<typeof figureBody> {
  const { width, height, box, mimeType } = figure;
  return {
    page_index: figure.pageIndex,
    file_id: fileId,
    figure_name: figure.name,
    figure_size: figure.byteSize,
    is_likely_noise: figure.isLikelyNoise,
    confidence: figure.confidence,
    metadata: { width, height, mime_type: mimeType, ...(box && { bounding_box: box }) },
  };
}

const pageParams = z.object({
  ...fileParams.shape,
  page_index: z.number().int().min(0).describe('Index of the page, from 0.'),
});
const figureParams = z.object({
  ...pageParams.shape,
  figure_name: z.string().min(1).describe('Name of the figure from the list of figures.'),
});

const binary = z.string().meta({ format: 'binary' });
/**
 * Content types of page images. Pages are drawn as PNG, while pictures and figures keep the format of their
 * file.
 */
const image = { 'image/png': binary, 'image/jpeg': binary, 'image/webp': binary, 'image/gif': binary };

export async function imageResponse(
  ctx: TenantContext,
  request: Request,
  stored: StoredImage,
): Promise<Response> {
  const { key, ...options } = stored;
  const response = await serveObject(ctx.bucket, key, request, { ...options, inline: true });
  if (!response) throw new NotFound('Picture');
  return response;
}

export const pageImageOperations = [
  operation({
    method: 'get',
    path: '/api/v1/files/{id}/page_screenshots',
    id: 'listPageScreenshots',
    needs: 'read',
    tag: 'Page images',
    summary: 'List the page images of a file',
    description:
      'Pages without an image are drawn now, for a few seconds. Pages that are still missing then have ' +
      '`image_size` 0 and `metadata.rendered` false; they are drawn when you read them or list again. ' +
      'Formats without a layout are laid out as text, which `metadata.layout` reports. Data ' +
      'formats have no pages.',
    access: 'project',
    params: fileParams,
    response: { status: 200, json: z.array(screenshotBody) },
    async handle({ ctx, params }) {
      const file = await getFile(ctx, params.id);
      const screenshots = await listScreenshots(ctx, file);
      return screenshots.map(({ pageIndex, size, metadata }) => ({
        page_index: pageIndex,
        file_id: file.id,
        image_size: size ?? 0,
        metadata,
      }));
    },
  }),
  operation({
    method: 'get',
    path: '/api/v1/files/{id}/page_screenshots/{page_index}',
    id: 'getPageScreenshot',
    needs: 'read',
    tag: 'Page images',
    summary: 'Read the image of a page',
    description:
      'With `width`, returns a smaller image for thumbnails: 160, 320, 640 or 1280 pixels wide, ' +
      'whichever is just large enough. A file that is an image itself is returned as it is.',
    access: 'project',
    params: pageParams,
    query: z.object({
      width: z.number().int().min(40).max(1600).nullish().describe('Required width in pixels.'),
    }),
    response: { status: 200, content: image, description: 'The image', conditional: true },
    async handle({ ctx, params, query, request }) {
      const file = await getFile(ctx, params.id);
      const width = query.width ?? undefined;
      return imageResponse(ctx, request, await getScreenshot(ctx, file, params.page_index, width));
    },
  }),
  operation({
    method: 'post',
    path: '/api/v1/files/{id}/page_screenshots/{page_index}/presigned_url',
    id: 'createPageScreenshotUrl',
    needs: 'read',
    tag: 'Page images',
    summary: 'Create a URL for the image of a page',
    description:
      'Returns a URL from which the image can be loaded without a key until `expires_at`, for example ' +
      'in an `img` element.',
    access: 'project',
    params: pageParams,
    response: { status: 200, json: presignedUrlBody },
    async handle({ ctx, params, request }) {
      const file = await getFile(ctx, params.id);
      const { key } = await getScreenshot(ctx, file, params.page_index);
      const path = `page_screenshots/${params.page_index}`;
      return presentUrl(await createImageUrl(ctx, getOrigin(request), file, path, key));
    },
  }),
  operation({
    method: 'get',
    path: '/api/v1/files/{id}/page-figures',
    id: 'listPageFigures',
    needs: 'read',
    tag: 'Page images',
    summary: 'List the figures of a file',
    description:
      'Returns the pictures that are embedded in the pages of the file, each with its page and its ' +
      'position on it.',
    access: 'project',
    params: fileParams,
    response: { status: 200, json: z.array(figureBody) },
    async handle({ ctx, params }) {
      const file = await getFile(ctx, params.id);
      return (await listFigures(ctx, file)).map((figure) => presentFigure(file.id, figure));
    },
  }),
  operation({
    method: 'get',
    path: '/api/v1/files/{id}/page-figures/{page_index}',
    id: 'listFiguresOfPage',
    needs: 'read',
    tag: 'Page images',
    summary: 'List the figures of a page',
    description: 'Returns the pictures that are embedded in one page, each with its position on it.',
    access: 'project',
    params: pageParams,
    response: { status: 200, json: z.array(figureBody) },
    async handle({ ctx, params }) {
      const file = await getFile(ctx, params.id);
      const figures = await listFigures(ctx, file, params.page_index);
      return figures.map((figure) => presentFigure(file.id, figure));
    },
  }),
  operation({
    method: 'get',
    path: '/api/v1/files/{id}/page-figures/{page_index}/{figure_name}',
    id: 'getPageFigure',
    needs: 'read',
    tag: 'Page images',
    summary: 'Read a figure',
    description:
      'Returns the bytes of one embedded picture. The names of figures come from the lists of figures.',
    access: 'project',
    params: figureParams,
    response: { status: 200, content: image, description: 'The figure', conditional: true },
    async handle({ ctx, params, request }) {
      const file = await getFile(ctx, params.id);
      return imageResponse(ctx, request, await getFigure(ctx, file, params.page_index, params.figure_name));
    },
  }),
  operation({
    method: 'post',
    path: '/api/v1/files/{id}/page-figures/{page_index}/{figure_name}/presigned_url',
    id: 'createPageFigureUrl',
    needs: 'read',
    tag: 'Page images',
    summary: 'Create a URL for a figure',
    description: 'Returns a URL from which the figure can be loaded without a key until `expires_at`.',
    access: 'project',
    params: figureParams,
    response: { status: 200, json: presignedUrlBody },
    async handle({ ctx, params, request }) {
      const file = await getFile(ctx, params.id);
      const { key } = await getFigure(ctx, file, params.page_index, params.figure_name);
      const path = `page-figures/${params.page_index}/${encodeURIComponent(params.figure_name)}`;
      return presentUrl(await createImageUrl(ctx, getOrigin(request), file, path, key));
    },
  }),
];
