import { withPageHeaders } from './http/page-headers.ts';

/**
 * Path prefix of the console's assets. Their file names contain a hash of their content, so browsers may
 * cache them forever.
 */
const ASSETS = '/console/assets/';
const FOREVER = 'public, max-age=31536000, immutable';

/**
 * Serves the static files of the console. Every other path returns the console's page, which has its own
 * router.
 */
export async function serveConsole(assets: Fetcher, request: Request): Promise<Response> {
  const { pathname, origin } = new URL(request.url);
  if (pathname.startsWith(ASSETS)) {
    const asset = withPageHeaders(await assets.fetch(request));
    asset.headers.set('cache-control', asset.ok ? FOREVER : 'no-store');
    return asset;
  }
  const page = withPageHeaders(await assets.fetch(new Request(`${origin}/console/`, request)));
  page.headers.set('cache-control', 'no-cache');
  return page;
}
