import { keys } from '#src/bucket/keys.ts';
import type { TenantContext } from '#src/context/context.ts';
import { readPageToken } from '#src/db/paging.ts';
import { encodeCursor } from '#src/lib/cursor.ts';
import { Invalid, NotFound } from '#src/lib/errors.ts';
import { toBase64Url } from '#src/lib/secrets/base64url.ts';
import { requireOperator } from '#src/services/tenancy/bootstrap.ts';

const USUAL_KEYS = 100;
/** Maximum length of an R2 key, in bytes. */
const LONGEST_KEY_BYTES = 1024;

export interface StoredObject {
  key: string;
  size: number;
  etag: string;
  /** Metadata of the bytes, as base64url of JSON; null if there is none. */
  metadata: string | null;
}

/** Matches keys of project objects. Empty parts and path traversal are rejected. */
const KEY = /^projects\/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?:\/[^/\p{Cc}]+)+$/u;

/** Returns whether a key is valid and, if a project is given, belongs to it. */
export function isKeyOf(project: string | null, key: string): boolean {
  if (!KEY.test(key) || new TextEncoder().encode(key).length > LONGEST_KEY_BYTES) return false;
  if (key.split('/').some((part) => part === '.' || part === '..')) return false;
  return project === null || key.startsWith(keys.project(project));
}

export function requireKey(project: string | null, key: string): void {
  if (isKeyOf(project, key)) return;
  const msg =
    project === null
      ? 'Value error, no project keeps anything there'
      : `Value error, project ${project} keeps nothing there`;
  throw new Invalid([{ loc: ['query', 'key'], msg, type: 'value_error', input: key }]);
}

/** Lists the bucket keys of projects in order, one page per call. */
export async function listObjects(
  ctx: TenantContext,
  query: {
    project?: string | null | undefined;
    page_size?: number | null | undefined;
    page_token?: string | null | undefined;
  },
): Promise<{ objects: StoredObject[]; next_page_token: string | null }> {
  await requireOperator(ctx);
  const [after] = readPageToken(query.page_token, ['string']) ?? [];
  const listed = await ctx.bucket.list({
    prefix: query.project ? keys.project(query.project) : keys.projects,
    limit: query.page_size ?? USUAL_KEYS,
    include: ['customMetadata', 'httpMetadata'],
    ...(after !== undefined && { startAfter: after }),
  });
  const last = listed.objects.at(-1);
  return {
    objects: listed.objects.map((object) => ({
      key: object.key,
      size: object.size,
      etag: object.etag,
      metadata: metadataOf(object),
    })),
    next_page_token: listed.truncated && last ? encodeCursor([last.key]) : null,
  };
}

function metadataOf({ httpMetadata = {}, customMetadata = {} }: R2Object): string | null {
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
