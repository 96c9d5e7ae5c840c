/** What a page may load and do, by directive of Content-Security-Policy; an empty text: a directive without a value. */
export type PagePolicy = Readonly<Record<string, string>>;

/** A page of this service: its scripts, styles and calls are of its own origin, and nobody frames it. */
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

/** A static page, or a part of one, under a policy and with the headers that all pages have; its own headers stay. */
export function withPageHeaders(answer: Response, policy: PagePolicy = OWN_ORIGIN_ONLY): Response {
  // What the assets answer cannot be changed.
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
