import { looksSecret } from '#src/lib/secret-names.ts';

/** Headers whose values say nothing that a message must not repeat. */
const PLAIN_HEADERS =
  /^(accept(-.*)?|content-(type|length|encoding|language)|user-agent|host|range|if-.*|x-amz-(date|content-sha256))$/;
/** Shorter values stand in every text, and would only tear holes in it. */
const SHORTEST = 4;
const SHORTEST_PART = 6;
const SCHEMES = /^(apikey|basic|bearer|digest|token)$/i;
const LONGEST_FORM = 16_384;
const REMOVED = '[removed]';

/** What a request carries that no message may repeat: values of headers, queries, user information and secret form fields. */
export function secretsOf(url: URL, headers: Headers, body?: unknown): string[] {
  const values = [...url.searchParams.values(), url.username, url.password];
  for (const [name, value] of headers) {
    if (!PLAIN_HEADERS.test(name)) values.push(...partsOf(value));
  }
  for (const [name, value] of formOf(body)) if (looksSecret(name)) values.push(value);
  return values.filter((value) => value.length >= SHORTEST);
}

/** A header's value, the credential behind its scheme, its cookies, and what a Basic one holds. */
function partsOf(value: string): string[] {
  const parts = value
    .split(/[\s,;]+/)
    .flatMap((part) => [part, part.slice(part.indexOf('=') + 1)])
    .filter((part) => part.length >= SHORTEST_PART && !SCHEMES.test(part));
  const basic = /^basic\s+(\S+)$/i.exec(value)?.[1];
  return [value, ...parts, ...(basic ? decoded(basic).split(':') : [])];
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
  const forms = secrets
    .filter((secret) => secret.length >= SHORTEST)
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret.toWellFormed()),
      JSON.stringify(secret).slice(1, -1),
    ])
    // The longest first: a secret may be a part of another one.
    .sort((a, b) => b.length - a.length);
  let clean = text;
  for (const form of new Set(forms)) clean = clean.replaceAll(form, REMOVED);
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
