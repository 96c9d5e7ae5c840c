import { setCaching, withPageHeaders } from '#src/api/http/page-headers.ts';
import { REFERENCE_POLICY } from './reference.ts';

const GUIDE = '/docs/guide';
/** Path prefix of the guide's assets. Their file names contain a hash of their content. */
const ASSETS = `${GUIDE}/assets/`;

/** Serves the pages that docs/.vitepress/config.ts builds. An unknown path returns the guide's 404 page. */
export async function serveGuide(assets: Fetcher, request: Request): Promise<Response> {
  const { pathname, origin } = new URL(request.url);
  const found = await assets.fetch(request);
  if (found.status !== 404) {
    return setCaching(withPageHeaders(found, REFERENCE_POLICY), pathname.startsWith(ASSETS));
  }
  const missing = await assets.fetch(new Request(`${origin}${GUIDE}/404`, request));
  const page = new Response(missing.body, { status: 404, headers: missing.headers });
  return setCaching(withPageHeaders(page, REFERENCE_POLICY), false);
}
