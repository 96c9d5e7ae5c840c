import type { Context } from '#src/context/context.ts';
import { publicOrigin } from '#src/settings/settings.ts';

export const METADATA_PATH = '/.well-known/oauth-protected-resource';

export const KEY_NEEDED =
  'This endpoint needs an API key of this installation, sent as "Authorization: Bearer <key>". There is no ' +
  'authorization server to get one from: somebody who has access to the installation makes it.';

/** RFC 9728, of the endpoint at `path`; an empty one means the whole origin. */
export function protectedResource({ settings }: Context, requestUrl: string, path: string) {
  const origin = publicOrigin(settings, requestUrl);
  return {
    resource: origin + path,
    resource_name: 'Sluice: needs an API key of this installation as the bearer token',
    resource_documentation: `${origin}/docs`,
    bearer_methods_supported: ['header'],
    authentication: KEY_NEEDED,
  };
}

/** RFC 6750's challenge, with the address of the metadata; whether a key was sent and is wrong. */
export function challenge({ settings }: Context, requestUrl: string, isWrong: boolean): string {
  const metadata = `${publicOrigin(settings, requestUrl)}${METADATA_PATH}/mcp`;
  const error = isWrong ? ', error="invalid_token"' : '';
  return `Bearer realm="sluice"${error}, resource_metadata="${metadata}"`;
}
