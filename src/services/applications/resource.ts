import { OAuthError } from './oauth-error.ts';

/**
 * Throws OAuthError unless a `resource` parameter (RFC 8707) names the MCP endpoint or the origin of this service.
 * Clients of older revisions of the Model Context Protocol do not send the parameter.
 */
export function requireResource(resource: string | undefined, issuer: string): void {
  if (resource === undefined) return;
  const url = URL.parse(resource);
  const isOwn = url?.origin === issuer && ['/', '/mcp', '/mcp/'].includes(url.pathname) && url.hash === '';
  if (!isOwn) throw new OAuthError('invalid_target', `resource must be ${issuer}/mcp`);
}
