import { Forbidden } from '#src/lib/errors.ts';
import { sign, verify } from '#src/lib/secrets/hmac.ts';
import { publicOrigin, type Settings } from '#src/settings/settings.ts';

export const DEFAULT_LIFETIME_SECONDS = 3600;
/** Maximum lifetime of a presigned URL in seconds: one week, which is also the limit of S3 signatures. */
export const MAX_LIFETIME_SECONDS = 604_800;

/** URL that grants access to one object, to anyone who has the URL, until it expires. */
export interface PresignedUrl {
  url: string;
  expiresAt: Date;
}

type PresignedMethod = 'GET' | 'PUT';

const EXPIRES = 'expires';
const SIGNATURE = 'signature';

/**
 * Returns the text that is signed. It contains everything except the signature, so that no part of the URL
 * can be changed, added or removed.
 */
function signedText(method: string, url: URL): string {
  const query = [...url.searchParams].filter(([name]) => name !== SIGNATURE);
  return `presigned-url\n${method}\n${url.pathname}\n${new URLSearchParams(query)}`;
}

/** Creates a presigned URL. `path` is one of the routes under /presigned. A URL for GET also allows HEAD. */
export async function presign(
  settings: Settings,
  origin: string,
  method: PresignedMethod,
  path: string,
  lifetimeSeconds = DEFAULT_LIFETIME_SECONDS,
): Promise<PresignedUrl> {
  const url = new URL(path, publicOrigin(settings, origin));
  const expires = Math.floor(Date.now() / 1000) + lifetimeSeconds;
  url.searchParams.set(EXPIRES, String(expires));
  url.searchParams.set(SIGNATURE, await sign(settings.SESSION_SECRET, signedText(method, url)));
  return { url: url.href, expiresAt: new Date(expires * 1000) };
}

/** Rejects with Forbidden unless the request matches a valid signature that has not expired. */
export async function requirePresigned(settings: Settings, request: Request): Promise<void> {
  const url = new URL(request.url);
  const [signature, ...more] = url.searchParams.getAll(SIGNATURE);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const isSigned =
    signature !== undefined &&
    more.length === 0 &&
    (await verify(settings.SESSION_SECRET, signedText(method, url), signature));
  if (!isSigned) {
    throw new Forbidden('This URL was changed, or is used with another HTTP method than it was signed for.');
  }
  if (Number(url.searchParams.get(EXPIRES)) * 1000 <= Date.now()) {
    throw new Forbidden('This URL has expired. Request a new one.');
  }
}
