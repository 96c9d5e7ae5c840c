import { REMOVED, removeSecrets } from '#src/lib/secrets/redaction.ts';
import { looksSecret } from '#src/lib/secrets/secret-names.ts';

/** Headers whose values are not secret and may appear in error messages. */
const PLAIN_HEADERS =
  /^(accept(-.*)?|content-(type|length|encoding|language)|user-agent|host|range|if-.*|x-amz-(date|content-sha256))$/;
/**
 * Minimum length in characters of a value that is treated as secret although its name does not suggest a
 * secret. Shorter values occur in ordinary texts.
 */
const SHORTEST_UNNAMED = 4;
const SHORTEST_PART = 6;
const SCHEME = /^(?:apikey|basic|bearer|digest|token)$/i;
const LONGEST_FORM = 16_384;

/**
 * Lists the parts of a request that must not appear in error messages. They are user information, values of
 * headers and query parameters, and secret form fields. A value with a secret name is listed even if it is
 * short.
 */
export function listSecrets(url: URL, headers: Headers, body?: unknown): string[] {
  const named: [string, string][] = [...url.searchParams];
  const secrets = [url.password, decodeUriText(url.password)];
  const unnamed = [url.username];
  for (const [name, value] of headers) {
    if (PLAIN_HEADERS.test(name)) continue;
    named.push([name, value]);
    secrets.push(...listCredentials(name, value));
    unnamed.push(
      ...value.split(/[\s,;=]+/).filter((part) => part.length >= SHORTEST_PART && !SCHEME.test(part)),
    );
  }
  for (const [name, value] of parseForm(body)) if (looksSecret(name)) secrets.push(value);
  for (const [name, value] of named) (looksSecret(name) ? secrets : unnamed).push(value);
  const all = [...secrets, ...unnamed.filter((value) => value.length >= SHORTEST_UNNAMED)];
  return all.filter((value) => value !== '' && !SCHEME.test(value));
}

/**
 * Lists the secrets in a header value. They are the credential after an authentication scheme, the values of
 * cookies, and the user and password of Basic authentication.
 */
function listCredentials(name: string, value: string): string[] {
  if (name === 'cookie') return value.split(/;\s*/).map((cookie) => cookie.slice(cookie.indexOf('=') + 1));
  const [scheme = '', ...rest] = value.trim().split(/\s+/);
  if (rest.length === 0 || !SCHEME.test(scheme)) return [];
  const credential = rest.join(' ');
  if (!/^basic$/i.test(scheme)) return [credential];
  const plain = decodeBase64(credential);
  const colon = plain.indexOf(':');
  const user = plain.slice(0, colon);
  return [credential, plain.slice(colon + 1), ...(user.length >= SHORTEST_UNNAMED ? [user] : [])];
}

function decodeUriText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function decodeBase64(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return '';
  }
}

function parseForm(body: unknown): Iterable<[string, string]> {
  if (body instanceof URLSearchParams) return body;
  const isForm = typeof body === 'string' && body.length <= LONGEST_FORM && /^[\w.%+-]+=/.test(body);
  return isForm ? new URLSearchParams(body) : [];
}

/**
 * Removes secrets, and everything that looks like a credential, from a text that an external system sent.
 * Returns the text on one line.
 */
export function removeCredentials(text: string, secrets: readonly string[]): string {
  const clean = removeSecrets(text, secrets);
  return (
    clean
      .replaceAll(/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${REMOVED}`)
      // Signed URLs contain their credential in the query, or before the host in older formats.
      .replaceAll(/((?<![a-z\d+.-])[a-z\d+.-]+:\/\/)[^\s/@"'<>]*@/gi, '$1')
      .replaceAll(/[^\s"'<>]+/g, withoutQuery)
      .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
      .trim()
  );
}

function withoutQuery(word: string): string {
  const scheme = word.indexOf('://');
  const query = scheme < 0 ? -1 : word.indexOf('?', scheme);
  return query < 0 ? word : `${word.slice(0, query)}?…`;
}
