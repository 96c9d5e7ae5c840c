import { escapeRegExp } from '../text/escape-regexp.ts';
import { looksSecret } from './secret-names.ts';

/** Replacement of a secret value. */
export const REMOVED = '[removed]';
/**
 * Minimum length of a secret that is removed inside words. Shorter ones are removed only as separate words.
 */
const MIN_LENGTH_WITHIN_WORDS = 4;

/** Removes secret values of any length from a text, also where they are written as in a URL or in JSON. */
export function removeSecrets(text: string, secrets: Iterable<string>): string {
  return allForms(secrets).reduce(removeForm, text);
}

/** Returns all forms of the secrets, longest first, because a secret may contain another. */
function allForms(secrets: Iterable<string>): string[] {
  const forms = new Set([...secrets].flatMap(writtenForms));
  return [...forms].sort((a, b) => b.length - a.length);
}

function writtenForms(secret: string): string[] {
  if (secret.trim() === '') return [];
  return [secret, encodeURIComponent(secret.toWellFormed()), JSON.stringify(secret).slice(1, -1)];
}

function removeForm(text: string, form: string): string {
  if (!text.includes(form)) return text;
  if (form.length >= MIN_LENGTH_WITHIN_WORDS) return text.replaceAll(form, REMOVED);
  return text.replaceAll(
    new RegExp(`(?<![\\p{L}\\p{N}])${escapeRegExp(form)}(?![\\p{L}\\p{N}])`, 'gu'),
    REMOVED,
  );
}

/** Maximum number of secret values that an isolate remembers. Each log line is searched for all of them. */
const MAX_REMEMBERED = 500;
/** Maximum length of a remembered secret. Longer sealed texts, such as job inputs, are not credentials. */
const MAX_REMEMBERED_LENGTH = 8_192;
const remembered = new Set<string>();
/** Forms of all remembered secrets; `undefined` after a change. */
let rememberedForms: string[] | undefined;

/**
 * Remembers secrets that this isolate uses: those of the settings, and those that are sealed or opened.
 * `redact` removes them from logs.
 */
export function rememberSecrets(values: Iterable<string>): void {
  for (const value of values) {
    if (value.length > MAX_REMEMBERED_LENGTH) continue;
    // Deleted first, so that recently used values are kept longest.
    const isNew = !remembered.delete(value);
    remembered.add(value);
    if (!isNew) continue;
    rememberedForms = undefined;
    if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.values().next().value!);
  }
}

/**
 * Removes every remembered secret from a text for the operator, such as a log line. Texts for tenants are
 * only cleaned of the secrets of their own call. Otherwise a tenant could guess other secrets by what
 * disappears.
 */
export function redact(text: string): string {
  rememberedForms ??= allForms(remembered);
  return rememberedForms.reduce(removeForm, text);
}

/** Redacts every text in a JSON value, as a replacer for `JSON.stringify`. */
export const redactMember = (_name: string, value: unknown): unknown =>
  typeof value === 'string' ? redact(value) : value;

/** Returns texts in a JSON value whose member names suggest secrets, at any depth. */
export function secretMembers(value: unknown, name = ''): string[] {
  if (typeof value === 'string') return looksSecret(name) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((member) => secretMembers(member, name));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => secretMembers(member, key));
}
