import { setCaching, withPageHeaders } from './http/page-headers.ts';

/** Path prefix of the console's assets. Their file names contain a hash of their content. */
const ASSETS = '/console/assets/';

/**
 * Serves the static files of the console. Every other path returns the console's page, which has its own
 * router.
 */
export async function serveConsole(assets: Fetcher, request: Request): Promise<Response> {
  const { pathname, origin } = new URL(request.url);
  const isAsset = pathname.startsWith(ASSETS);
  const file = await assets.fetch(isAsset ? request : new Request(`${origin}/console/`, request));
  return setCaching(withPageHeaders(file), isAsset);
}
