/**
 * Makes text of a server safe for a terminal: one line, without control characters, and of limited length.
 */
export function toPrintable(text: string, length = 300): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  const characters = [...line.slice(0, length * 2 + 2)];
  return characters.length > length ? `${characters.slice(0, length).join('')}…` : characters.join('');
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export function formatSize(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${UNITS[unit]}`;
}

/** Formats a number with its noun, such as "1 file" or "2 files". */
export const formatCount = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Removes secrets from texts that are shown or thrown. */
export class Redactor {
  readonly #secrets = new Set<string>();

  /**
   * Registers all strings of a nested value as secrets. Strings of fewer than four characters are ignored,
   * because redacting them would damage ordinary words.
   */
  add(value: unknown): void {
    if (typeof value === 'string') {
      if (value.length >= 4) for (const form of listForms(value)) this.#secrets.add(form);
    } else if (value !== null && typeof value === 'object') {
      for (const part of Object.values(value)) this.add(part);
    }
  }

  clean(text: string): string {
    let cleaned = text;
    // Replaces longer secrets first, because one secret may contain another.
    for (const secret of [...this.#secrets].sort((a, b) => b.length - a.length)) {
      cleaned = cleaned.replaceAll(secret, '********');
    }
    return cleaned;
  }
}

/** Returns a secret in its plain, URL-encoded and JSON-escaped forms. */
const listForms = (secret: string) => [
  secret,
  encodeURIComponent(secret.toWellFormed()),
  JSON.stringify(secret).slice(1, -1),
];
