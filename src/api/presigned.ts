import { Hono, type Context as HonoContext } from 'hono';
import { cors } from 'hono/cors';
import { z } from 'zod';
import { buildContentDisposition } from '#src/bucket/content-disposition.ts';
import { requirePresigned } from '#src/bucket/presigned-url.ts';
import { serveObject } from '#src/bucket/serve-object.ts';
import type { ParseJob, SheetsJob } from '#src/db/schema/index.ts';
import { NotFound } from '#src/lib/errors.ts';
import { getFigure } from '#src/services/files/figures.ts';
import { getScreenshot, type StoredImage } from '#src/services/files/page-images.ts';
import { getPresignedFile, receiveUpload } from '#src/services/files/presigned.ts';
import { isDownloadFormat, requireDownload } from '#src/services/jobs/parse/results/downloads.ts';
import { getLayoutImage } from '#src/services/jobs/parse/results/images.ts';
import { requireResult } from '#src/services/jobs/parse/results/open.ts';
import {
  isRegionFormat,
  isRegionView,
  REGION_FORMATS,
  writeRegion,
} from '#src/services/jobs/sheets/region-files.ts';
import { findJob } from '#src/services/jobs/transitions.ts';
import type { ApiEnv } from './http/middleware.ts';
import { downloadResponse } from './v2/parse-results.ts';

const pageIndex = z.coerce.number().int().min(0);

/**
 * Creates the routes of presigned URLs. Their signature replaces the API key. They are not operations,
 * because clients receive these URLs and do not build them.
 */
export function presignedRoutes() {
  const routes = new Hono<ApiEnv>();
  // Any origin is allowed, because the URL itself grants access and no cookie is used.
  routes.use(
    cors({
      origin: '*',
      allowMethods: ['GET', 'HEAD', 'PUT'],
      exposeHeaders: ['etag', 'content-range', 'content-length', 'content-disposition', 'accept-ranges'],
    }),
  );
  routes.use(async (c, next) => {
    await requirePresigned(c.get('context').settings, c.req.raw);
    await next();
  });

  routes.put('/files/:id', async (c) => {
    const file = await receiveUpload(c.get('context'), c.req.param('id'), c.req.raw);
    return c.body(null, 200, { etag: `"${file.contentHash}"` });
  });

  routes.get('/files/:id/content', async (c) => {
    const ctx = c.get('context');
    const file = await getPresignedFile(ctx, c.req.param('id'));
    const response = file.storageKey
      ? await serveObject(ctx.bucket, file.storageKey, c.req.raw, {
          name: file.name,
          contentType: file.contentType ?? 'application/octet-stream',
        })
      : undefined;
    if (!response) throw new NotFound('Content of file', file.id);
    return response;
  });

  routes.get('/files/:id/page_screenshots/:page', async (c) => {
    const ctx = c.get('context');
    const file = await getPresignedFile(ctx, c.req.param('id'));
    return imageResponse(c, await getScreenshot(ctx, file, pageIndex.parse(c.req.param('page'))));
  });

  routes.get('/files/:id/page-figures/:page/:name', async (c) => {
    const ctx = c.get('context');
    const file = await getPresignedFile(ctx, c.req.param('id'));
    const page = pageIndex.parse(c.req.param('page'));
    return imageResponse(c, await getFigure(ctx, file, page, c.req.param('name')));
  });

  routes.get('/parse/:id/layout/:page/:name', async (c) => {
    const ctx = c.get('context');
    const job = await findJob(ctx, 'parse', c.req.param('id'));
    if (!job) throw new NotFound('Parse job', c.req.param('id'));
    const result = await requireResult(ctx, job as ParseJob);
    return imageResponse(c, await getLayoutImage(result, c.req.param('name')));
  });

  routes.get('/parse/:id/:format', async (c) => {
    const ctx = c.get('context');
    const [id, format] = [c.req.param('id'), c.req.param('format')];
    const job = await findJob(ctx, 'parse', id);
    if (!job || !isDownloadFormat(format)) throw new NotFound('Parse job', id);
    return downloadResponse(ctx, await requireDownload(ctx, job as ParseJob, format), format);
  });

  routes.get('/sheets/:id/:region/:view/:format', async (c) => {
    const ctx = c.get('context');
    const { id, region, view, format } = c.req.param();
    const job = await findJob(ctx, 'sheets', id);
    if (!job || !isRegionView(view) || !isRegionFormat(format)) throw new NotFound('Sheets job', id);
    const bytes = await writeRegion(ctx, job as SheetsJob, region, view, format);
    const { contentType, extension } = REGION_FORMATS[format];
    return c.body(bytes as Uint8Array<ArrayBuffer>, 200, {
      'cache-control': 'private, no-cache',
      'content-disposition': buildContentDisposition('attachment', `${region}.${extension}`),
      'content-security-policy': "default-src 'none'; sandbox",
      'content-type': contentType,
      'x-content-type-options': 'nosniff',
    });
  });
  return routes;
}

async function imageResponse(c: HonoContext<ApiEnv>, image: StoredImage): Promise<Response> {
  const { key, ...options } = image;
  const response = await serveObject(c.get('context').bucket, key, c.req.raw, { ...options, inline: true });
  if (!response) throw new NotFound('Picture');
  return response;
}
