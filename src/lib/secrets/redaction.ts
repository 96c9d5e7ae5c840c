import { escapeRegExp } from '../text/escape-regexp.ts';
import { looksSecret } from './secret-names.ts';

/** Text that replaces a removed secret. */
export const REMOVED = '[removed]';
/**
 * Minimum length of a secret that is also removed inside words. Shorter secrets are removed only as separate
 * words.
 */
const MIN_LENGTH_WITHIN_WORDS = 4;

/** Removes secrets of any length from a text. Their encoded forms in URLs and JSON are removed as well. */
export function removeSecrets(text: string, secrets: Iterable<string>): string {
  return allForms(secrets).reduce(removeForm, text);
}

/**
 * Returns the plain and encoded forms of all secrets. The longest come first, because one secret may contain
 * another.
 */
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
/**
 * Maximum length of a remembered secret, in characters. Longer encrypted texts, such as job inputs, are not
 * credentials.
 */
const MAX_REMEMBERED_LENGTH = 8_192;
const remembered = new Set<string>();
/**
 * Plain and encoded forms of all remembered secrets. `undefined` after a change, until the forms are needed
 * again.
 */
let rememberedForms: string[] | undefined;

/**
 * Remembers secrets that this isolate uses: those in its settings, and those that it encrypts or decrypts.
 * `redact` removes them from logs.
 */
export function rememberSecrets(values: Iterable<string>): void {
  for (const value of values) {
    if (value.length > MAX_REMEMBERED_LENGTH) continue;
    // The value is deleted and added again, so that recently used values are remembered longest.
    const isNew = !remembered.delete(value);
    remembered.add(value);
    if (!isNew) continue;
    rememberedForms = undefined;
    if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.values().next().value!);
  }
}

/**
 * Removes every remembered secret from a text for the operator, such as a log line. Texts for tenants are
 * only cleaned of the secrets of their own call. Otherwise a tenant could guess other secrets by the parts that
 * disappear.
 */
export function redact(text: string): string {
  rememberedForms ??= allForms(remembered);
  return rememberedForms.reduce(removeForm, text);
}

/**
 * Redacts the text of one field. Used as the replacer of `JSON.stringify` to redact every text in a value.
 */
export const redactMember = (_name: string, value: unknown): unknown =>
  typeof value === 'string' ? redact(value) : value;

/** Returns the texts in a JSON value whose field names suggest a secret, at any depth. */
export function secretMembers(value: unknown, name = ''): string[] {
  if (typeof value === 'string') return looksSecret(name) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((member) => secretMembers(member, name));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => secretMembers(member, key));
}
