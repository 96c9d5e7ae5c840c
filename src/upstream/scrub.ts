import { REMOVED, removeSecrets } from '#src/lib/secrets/redaction.ts';
import { looksSecret } from '#src/lib/secrets/secret-names.ts';

/** Headers whose values say nothing that a message must not repeat. */
const PLAIN_HEADERS =
  /^(accept(-.*)?|content-(type|length|encoding|language)|user-agent|host|range|if-.*|x-amz-(date|content-sha256))$/;
/** Shorter values of headers and queries that no name marks as secret stand in every text. */
const SHORTEST_UNNAMED = 4;
const SHORTEST_PART = 6;
const SCHEME = /^(?:apikey|basic|bearer|digest|token)$/i;
const LONGEST_FORM = 16_384;

/**
 * Lists what a request carries that no message may repeat: values of headers, queries, user information and secret
 * form fields. A value that its name marks as secret counts whatever its length.
 */
export function secretsOf(url: URL, headers: Headers, body?: unknown): string[] {
  const named: [string, string][] = [...url.searchParams];
  const secrets = [url.password, decodedText(url.password)];
  const unnamed = [url.username];
  for (const [name, value] of headers) {
    if (PLAIN_HEADERS.test(name)) continue;
    named.push([name, value]);
    secrets.push(...credentialsIn(name, value));
    unnamed.push(
      ...value.split(/[\s,;=]+/).filter((part) => part.length >= SHORTEST_PART && !SCHEME.test(part)),
    );
  }
  for (const [name, value] of formOf(body)) if (looksSecret(name)) secrets.push(value);
  for (const [name, value] of named) (looksSecret(name) ? secrets : unnamed).push(value);
  const all = [...secrets, ...unnamed.filter((value) => value.length >= SHORTEST_UNNAMED)];
  return all.filter((value) => value !== '' && !SCHEME.test(value));
}

/** Lists the credential behind a scheme, the values of cookies, and the parts of a Basic credential. */
function credentialsIn(name: string, value: string): string[] {
  if (name === 'cookie') return value.split(/;\s*/).map((cookie) => cookie.slice(cookie.indexOf('=') + 1));
  const [scheme = '', ...rest] = value.trim().split(/\s+/);
  if (rest.length === 0 || !SCHEME.test(scheme)) return [];
  const credential = rest.join(' ');
  if (!/^basic$/i.test(scheme)) return [credential];
  const plain = decoded(credential);
  const colon = plain.indexOf(':');
  const user = plain.slice(0, colon);
  return [credential, plain.slice(colon + 1), ...(user.length >= SHORTEST_UNNAMED ? [user] : [])];
}

function decodedText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function decoded(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return '';
  }
}

function formOf(body: unknown): Iterable<[string, string]> {
  if (body instanceof URLSearchParams) return body;
  const isForm = typeof body === 'string' && body.length <= LONGEST_FORM && /^[\w.%+-]+=/.test(body);
  return isForm ? new URLSearchParams(body) : [];
}

/** A text that another side gave, without the secrets, without credentials that show by their form, on one line. */
export function scrub(text: string, secrets: readonly string[]): string {
  const clean = removeSecrets(text, secrets);
  return (
    clean
      .replaceAll(/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${REMOVED}`)
      // Signed URLs carry their credential in the query, old ones before the host.
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
