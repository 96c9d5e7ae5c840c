import { Forbidden } from '#src/lib/errors.ts';
import { sign, verify } from '#src/lib/secrets/hmac.ts';
import { publicOrigin, type Settings } from '#src/settings/settings.ts';

export const DEFAULT_LIFETIME_SECONDS = 3600;
/** A week, the longest that S3 signatures last: both kinds of URL keep the same bounds. */
export const MAX_LIFETIME_SECONDS = 604_800;

/** A URL that grants one thing to whoever has it, until then. */
export interface PresignedUrl {
  url: string;
  expiresAt: Date;
}

type PresignedMethod = 'GET' | 'PUT';

const EXPIRES = 'expires';
const SIGNATURE = 'signature';

/** Everything but the signature is signed, so that nothing can be changed, added or left out. */
function signedText(method: string, url: URL): string {
  const query = [...url.searchParams].filter(([name]) => name !== SIGNATURE);
  return `presigned-url\n${method}\n${url.pathname}\n${new URLSearchParams(query)}`;
}

/** `path` is one of the routes under /presigned. A URL for GET answers HEAD as well. */
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

/** Rejects with Forbidden unless the request is for exactly what was signed, in time. */
export async function requirePresigned(settings: Settings, request: Request): Promise<void> {
  const url = new URL(request.url);
  const [signature, ...more] = url.searchParams.getAll(SIGNATURE);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const isSigned =
    signature !== undefined &&
    more.length === 0 &&
    (await verify(settings.SESSION_SECRET, signedText(method, url), signature));
  if (!isSigned) {
    throw new Forbidden('This URL was changed, or is used for another method than it was signed for.');
  }
  if (Number(url.searchParams.get(EXPIRES)) * 1000 <= Date.now()) {
    throw new Forbidden('This URL has expired. Ask for a new one.');
  }
}
