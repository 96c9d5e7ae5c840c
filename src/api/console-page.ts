import { withPageHeaders } from './http/page-headers.ts';

/** What the build names by its content. */
const ASSETS = '/console/assets/';
const FOREVER = 'public, max-age=31536000, immutable';

/** The console's static files; every other address of it is the one page, which finds its own way. */
export async function consolePage(assets: Fetcher, request: Request): Promise<Response> {
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
