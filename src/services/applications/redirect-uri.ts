const MAX_CHARACTERS = 500;

const LOOPBACK_HOSTS = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Returns whether a host name of a URL is this machine. */
export const isLoopbackHost = (hostname: string): boolean => LOOPBACK_HOSTS.has(hostname);

/**
 * Parses a redirect URI. Returns `undefined` unless it is an https URL, or an http URL of a loopback host. Backslashes,
 * spaces, credentials and fragments are refused, because programs read them differently.
 */
export function parseRedirectUri(uri: string): URL | undefined {
  if (uri.length > MAX_CHARACTERS || !/^[\x21-\x7e]+$/.test(uri) || /[\\#]/.test(uri)) return undefined;
  const url = URL.parse(uri);
  if (!url) return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  const isAllowed = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
  return isAllowed ? url : undefined;
}

/**
 * Returns whether a requested redirect URI is a registered one. URIs are compared as text. Only the port of a loopback
 * address may differ, because native applications listen on a free port (RFC 8252, section 7.3).
 */
export function matchesRedirectUri(requested: string, registered: readonly string[]): boolean {
  const url = parseRedirectUri(requested);
  if (!url) return false;
  if (registered.includes(requested)) return true;
  if (url.protocol !== 'http:') return false;
  const wanted = withoutPort(requested);
  return registered.some(
    (each) => parseRedirectUri(each)?.protocol === 'http:' && withoutPort(each) === wanted,
  );
}

function withoutPort(uri: string): string {
  const url = new URL(uri);
  url.port = '';
  return url.href;
}
