import { escapeRegExp } from '../text/escape-regexp.ts';
import { looksSecret } from './secret-names.ts';

/** Stands in the place of a secret value. */
export const REMOVED = '[removed]';
/** Shorter values are parts of many words, so they are removed only where they stand as a word by themselves. */
const MIN_LENGTH_WITHIN_WORDS = 4;

/** Removes secret values of any length from a text, also where they are written as in a URL or in JSON. */
export function removeSecrets(text: string, secrets: Iterable<string>): string {
  return allForms(secrets).reduce(removeForm, text);
}

/** Lists all forms of the secrets, the longest first, because a secret may be a part of another one. */
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
/** Longer texts that are sealed, such as the inputs of a job, are no credentials. */
const MAX_REMEMBERED_LENGTH = 8_192;
const remembered = new Set<string>();
/** The forms of all remembered values; `undefined` after a change. */
let rememberedForms: string[] | undefined;

/**
 * Remembers secret values that this isolate works with: those of the settings, and those that are sealed or opened.
 * `redact` removes them from what is logged.
 */
export function rememberSecrets(values: Iterable<string>): void {
  for (const value of values) {
    if (value.length > MAX_REMEMBERED_LENGTH) continue;
    // Deleted first, so that the values used last are kept longest.
    const isNew = !remembered.delete(value);
    remembered.add(value);
    if (!isNew) continue;
    rememberedForms = undefined;
    if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.values().next().value!);
  }
}

/**
 * Removes every remembered secret from a text for the operator, such as a line of the log. Texts for tenants are cleaned
 * of the secrets of their own call only: otherwise a tenant could guess at the secrets of others by what disappears.
 */
export function redact(text: string): string {
  rememberedForms ??= allForms(remembered);
  return rememberedForms.reduce(removeForm, text);
}

/** Redacts every text inside a value of JSON: a replacer for `JSON.stringify`. */
export const redactMember = (_name: string, value: unknown): unknown =>
  typeof value === 'string' ? redact(value) : value;

/** Lists the texts inside a value of JSON whose names are those of secrets, at any depth. */
export function secretMembers(value: unknown, name = ''): string[] {
  if (typeof value === 'string') return looksSecret(name) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((member) => secretMembers(member, name));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => secretMembers(member, key));
}
