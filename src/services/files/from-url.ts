import { z } from 'zod';
import { getBaseName, parseFileName } from '#src/bucket/content-disposition.ts';
import { keys } from '#src/bucket/keys.ts';
import { writeStream } from '#src/bucket/object-writer.ts';
import type { TenantContext } from '#src/context/context.ts';
import type { FileRow } from '#src/db/schema/index.ts';
import { BadRequest, Invalid } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { fetchUrl } from '#src/upstream/fetch-url.ts';
import { maxFileBytes } from './content.ts';
import { storeFile } from './files.ts';
import { folderPath } from './folder-path.ts';
import { replaceTags, tagList } from './tags.ts';

const MAX_HEADERS = 50;
const HEADER_NAME = /^[!#$%&'*+.^`|~\w-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/**
 * Headers of the download request that callers cannot set, because they describe the connection or the origin
 * of the request.
 */
const RESERVED_HEADERS =
  /^(host|connection|content-.*|transfer-encoding|upgrade|te|expect|keep-alive|proxy-.*|cf-.*|x-forwarded-.*|x-real-ip)$/i;

export const fileFromUrl = z
  .object({
    url: z.url({ protocol: /^https?$/ }),
    name: z
      .string()
      .min(1)
      .max(3000)
      .nullish()
      .describe('File name. Defaults to the name in the response or in the URL.'),
    proxy_url: z
      .string()
      .nullish()
      .describe(
        'Requests with this field are rejected, because Sluice cannot send requests through a proxy.',
      ),
    request_headers: z
      .record(z.string().regex(HEADER_NAME), z.string().max(8192).regex(HEADER_VALUE))
      .nullish()
      .describe(
        'Request headers. They are sent only to the origin of `url`, not to other origins after a redirect.',
      ),
    verify_ssl: withoutEffect(z.boolean().nullish(), 'Certificates are always verified.'),
    follow_redirects: z
      .boolean()
      .nullish()
      .describe('Whether up to five redirects are followed. Defaults to true.'),
    resource_info: z.record(z.string(), z.unknown()).nullish(),
    folder: folderPath.nullish().describe('Folder of the file, such as `reports/2026`.'),
    tags: tagList.nullish().describe('Tags of the file.'),
  })
  .meta({ id: 'FileCreateFromUrl' });

export async function uploadFromUrl(
  ctx: TenantContext,
  input: z.output<typeof fileFromUrl>,
): Promise<FileRow> {
  if (input.proxy_url) {
    throw Invalid.field(['proxy_url'], 'Sluice cannot send requests through a proxy. Remove this field.');
  }
  checkHeaders(input.request_headers ?? {});
  const limit = maxFileBytes(ctx);
  const { url, headers, body } = await fetchUrl(ctx.settings, input.url, {
    ...(input.request_headers && { headers: input.request_headers }),
    followRedirects: input.follow_redirects ?? true,
    limit,
  });
  const fileId = newId();
  const key = keys.upload(ctx.projectId, fileId, newId());
  const written = await writeStream(ctx.bucket, key, body, limit);
  if (written.size === 0) {
    await ctx.bucket.delete(key);
    throw new BadRequest(`${url.host} answered with an empty file.`);
  }
  const file = await storeFile(ctx, fileId, key, written, {
    name: input.name ?? chooseFileName(url, headers),
    contentType: headers.get('content-type'),
    resourceInfo: input.resource_info ?? null,
    folder: input.folder ?? undefined,
  });
  if (input.tags) await replaceTags(ctx, file.id, input.tags);
  return file;
}

function checkHeaders(headers: Record<string, string>): void {
  const names = Object.keys(headers);
  if (names.length > MAX_HEADERS) {
    throw Invalid.field(['request_headers'], `There may be at most ${MAX_HEADERS} headers.`);
  }
  for (const name of names) {
    if (!RESERVED_HEADERS.test(name)) continue;
    throw Invalid.field(['request_headers', name], 'This header is set by Sluice and cannot be changed.');
  }
}

/** Returns the file name from the response. Falls back to the URL's path, and then to the host name. */
function chooseFileName(url: URL, headers: Headers): string {
  const named = parseFileName(headers.get('content-disposition') ?? '');
  return named ?? getBaseName(decodePath(url.pathname)) ?? url.hostname;
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
