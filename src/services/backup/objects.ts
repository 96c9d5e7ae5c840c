import { keys } from '#src/bucket/keys.ts';
import type { TenantContext } from '#src/context/context.ts';
import { parsePageToken } from '#src/db/paging.ts';
import { encodeCursor } from '#src/lib/cursor.ts';
import { Invalid, NotFound } from '#src/lib/errors.ts';
import { toBase64Url } from '#src/lib/secrets/base64url.ts';
import { requireOperator } from '#src/services/tenancy/bootstrap.ts';

const DEFAULT_KEYS = 100;
/** Maximum length of an R2 key in bytes. */
const MAX_KEY_BYTES = 1024;

export interface StoredObject {
  key: string;
  size: number;
  etag: string;
  /** Metadata of the bucket object as JSON in base64url. Null if the object has no metadata. */
  metadata: string | null;
}

/** Pattern for keys of project objects. It rejects empty path segments. */
const KEY = /^projects\/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?:\/[^/\p{Cc}]+)+$/u;

/** Returns whether a key is valid and, if a project is given, belongs to this project. */
export function isProjectKey(project: string | null, key: string): boolean {
  if (!KEY.test(key) || new TextEncoder().encode(key).length > MAX_KEY_BYTES) return false;
  if (key.split('/').some((part) => part === '.' || part === '..')) return false;
  return project === null || key.startsWith(keys.project(project));
}

export function requireKey(project: string | null, key: string): void {
  if (isProjectKey(project, key)) return;
  const msg =
    project === null
      ? 'Value error, must be an object key of a project'
      : `Value error, must be an object key of project ${project}`;
  throw new Invalid([{ loc: ['query', 'key'], msg, type: 'value_error', input: key }]);
}

/** Returns a page of the bucket keys of projects, in order. */
export async function listObjects(
  ctx: TenantContext,
  query: {
    project?: string | null | undefined;
    page_size?: number | null | undefined;
    page_token?: string | null | undefined;
  },
): Promise<{ objects: StoredObject[]; next_page_token: string | null }> {
  await requireOperator(ctx);
  const [after] = parsePageToken(query.page_token, ['string']) ?? [];
  const listed = await ctx.bucket.list({
    prefix: query.project ? keys.project(query.project) : keys.projects,
    limit: query.page_size ?? DEFAULT_KEYS,
    include: ['customMetadata', 'httpMetadata'],
    ...(after !== undefined && { startAfter: after }),
  });
  const last = listed.objects.at(-1);
  return {
    objects: listed.objects.map((object) => ({
      key: object.key,
      size: object.size,
      etag: object.etag,
      metadata: encodeMetadata(object),
    })),
    next_page_token: listed.truncated && last ? encodeCursor([last.key]) : null,
  };
}

function encodeMetadata({ httpMetadata = {}, customMetadata = {} }: R2Object): string | null {
  const { contentType } = httpMetadata;
  if (contentType === undefined && Object.keys(customMetadata).length === 0) return null;
  return toBase64Url(JSON.stringify({ contentType, customMetadata }));
}

export async function readObject(ctx: TenantContext, key: string): Promise<Response> {
  await requireOperator(ctx);
  requireKey(null, key);
  const object = await ctx.bucket.get(key);
  if (!object) throw new NotFound('Object', key);
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': String(object.size),
    'cache-control': 'no-store',
    etag: object.httpEtag,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  };
  return new Response(object.size > 0 ? object.body : null, { headers });
}
