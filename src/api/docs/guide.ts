import { withPageHeaders } from '#src/api/http/page-headers.ts';
import { REFERENCE_POLICY } from './reference.ts';

const GUIDE = '/docs/guide';
/**
 * Path prefix of the documentation's assets. Their file names contain a hash of their content, so browsers
 * may cache them forever.
 */
const ASSETS = `${GUIDE}/assets/`;
const FOREVER = 'public, max-age=31536000, immutable';

/**
 * Serves the documentation pages that docs/.vitepress/config.ts builds. An unknown path returns the
 * documentation's 404 page.
 */
export async function serveGuide(assets: Fetcher, request: Request): Promise<Response> {
  const { pathname, origin } = new URL(request.url);
  const found = await assets.fetch(request);
  if (found.status !== 404) {
    const page = withPageHeaders(found, REFERENCE_POLICY);
    page.headers.set('cache-control', found.ok && pathname.startsWith(ASSETS) ? FOREVER : 'no-cache');
    return page;
  }
  const missing = await assets.fetch(new Request(`${origin}${GUIDE}/404`, request));
  return withPageHeaders(
    new Response(missing.body, { status: 404, headers: missing.headers }),
    REFERENCE_POLICY,
  );
}
