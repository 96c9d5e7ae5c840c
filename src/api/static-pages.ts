import { REFERENCE_POLICY } from './docs/reference.ts';
import { setCaching, withCompression, withPageHeaders } from './http/page-headers.ts';

/** Path prefixes of assets. Their file names contain a hash of their content. */
const CONSOLE_ASSETS = '/console/assets/';
const GUIDE_ASSETS = '/docs/guide/assets/';

/**
 * Serves the static files of the console. Every other path returns the console's page, which has its own
 * router.
 */
export async function serveConsole(assets: Fetcher, request: Request): Promise<Response> {
  const { pathname, origin } = new URL(request.url);
  const isAsset = pathname.startsWith(CONSOLE_ASSETS);
  const file = await assets.fetch(isAsset ? request : new Request(`${origin}/console/`, request));
  return withCompression(setCaching(withPageHeaders(file), isAsset), request);
}

/** Serves the pages that docs/.vitepress/config.ts builds. An unknown path returns the guide's 404 page. */
export async function serveGuide(assets: Fetcher, request: Request): Promise<Response> {
  const { pathname, origin } = new URL(request.url);
  const found = await assets.fetch(request);
  if (found.status !== 404) {
    const page = setCaching(withPageHeaders(found, REFERENCE_POLICY), pathname.startsWith(GUIDE_ASSETS));
    return withCompression(page, request);
  }
  const missing = await assets.fetch(new Request(`${origin}/docs/guide/404`, request));
  const page = new Response(missing.body, { status: 404, headers: missing.headers });
  return setCaching(withPageHeaders(page, REFERENCE_POLICY), false);
}
