/** Content-Security-Policy of a page by directive. An empty text is a directive without a value. */
export type PagePolicy = Readonly<Record<string, string>>;

/** Policy of a page that only uses its own origin and cannot be framed. */
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

/** Adds a policy and the common headers of pages to a static page. Its own headers stay. */
export function withPageHeaders(answer: Response, policy: PagePolicy = OWN_ORIGIN_ONLY): Response {
  // Responses of the assets binding are immutable, so a copy is made.
  const page = new Response(answer.body, answer);
  page.headers.set('content-security-policy', textOf(policy));
  page.headers.set('x-content-type-options', 'nosniff');
  page.headers.set('referrer-policy', 'no-referrer');
  page.headers.set('cross-origin-opener-policy', 'same-origin');
  page.headers.set('permissions-policy', 'camera=(), microphone=(), geolocation=()');
  return page;
}

function textOf(policy: PagePolicy): string {
  return Object.entries(policy)
    .map(([directive, value]) => `${directive} ${value}`.trimEnd())
    .join('; ');
}
