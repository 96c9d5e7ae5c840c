/** Content-Security-Policy of a page, by directive. An empty value stands for a directive without a value. */
export type PagePolicy = Readonly<Record<string, string>>;

/** Policy for pages that only use their own origin and must not be framed. */
export const OWN_ORIGIN_ONLY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' blob: data:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'form-action': "'self'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
  'require-trusted-types-for': "'script'",
  'trusted-types': "'none'",
} as const satisfies PagePolicy;

/** Adds a policy and the common security headers to a static page. Other headers of the page are kept. */
export function withPageHeaders(answer: Response, policy: PagePolicy = OWN_ORIGIN_ONLY): Response {
  // The page is copied, because responses of the assets binding are immutable.
  const page = new Response(answer.body, answer);
  page.headers.set('content-security-policy', formatPolicy(policy));
  page.headers.set('x-content-type-options', 'nosniff');
  page.headers.set('referrer-policy', 'no-referrer');
  page.headers.set('cross-origin-opener-policy', 'same-origin');
  page.headers.set('permissions-policy', 'camera=(), microphone=(), geolocation=()');
  return page;
}

/**
 * Sets how long browsers may cache a static file. A file whose name contains a hash of its content never changes. Other
 * files are checked for a newer version with each request.
 */
export function setCaching(page: Response, isNameHashed: boolean): Response {
  const hashed = page.ok ? 'public, max-age=31536000, immutable' : 'no-store';
  page.headers.set('cache-control', isNameHashed ? hashed : 'no-cache');
  return page;
}

/** Types of static files that become smaller when they are compressed. Pictures and fonts already are. */
const COMPRESSIBLE = /^(?:text\/|application\/(?:javascript|json|xml|wasm|manifest\+json)|image\/svg\+xml)/;

/**
 * Has the runtime compress a static file with gzip if the client accepts that: the runtime compresses the body of an
 * answer that names an encoding. Answers without a whole body, such as 206 and 304, are not changed.
 */
export function withCompression(page: Response, request: Request): Response {
  const isWhole = page.status === 200 && page.body !== null && request.method === 'GET';
  if (!isWhole || !COMPRESSIBLE.test(page.headers.get('content-type') ?? '')) return page;
  page.headers.append('vary', 'accept-encoding');
  if (page.headers.has('content-encoding') || !acceptsGzip(request)) return page;
  page.headers.set('content-encoding', 'gzip');
  page.headers.delete('content-length');
  // The bytes differ from those of the file, so that only a weak tag is still true.
  const tag = page.headers.get('etag');
  if (tag && !tag.startsWith('W/')) page.headers.set('etag', `W/${tag}`);
  return page;
}

/** Returns whether `Accept-Encoding` names gzip, or any encoding, without the weight 0 (RFC 9110, section 12.5.3). */
function acceptsGzip(request: Request): boolean {
  const accepted = (request.headers.get('accept-encoding') ?? '').toLowerCase().split(',');
  const find = (name: string) => accepted.find((each) => each.split(';')[0]!.trim() === name);
  const found = find('gzip') ?? find('*');
  return found !== undefined && !/;\s*q=0(?:\.0*)?\s*$/.test(found);
}

function formatPolicy(policy: PagePolicy): string {
  return Object.entries(policy)
    .map(([directive, value]) => `${directive} ${value}`.trimEnd())
    .join('; ');
}
