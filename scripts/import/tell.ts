/** Texts of servers on a terminal: one line, no control characters that it would obey, not endless. */
export function printable(text: string, length = 300): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  const characters = [...line.slice(0, length * 2 + 2)];
  return characters.length > length ? `${characters.slice(0, length).join('')}…` : characters.join('');
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export function sizeOf(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${UNITS[unit]}`;
}

/** Keeps what must never be seen out of every text that is shown or thrown. */
export class Redactor {
  readonly #secrets = new Set<string>();

  /** Strings of any depth. Those of fewer than four characters would make holes in ordinary words. */
  add(value: unknown): void {
    if (typeof value === 'string') {
      if (value.length >= 4) for (const form of formsOf(value)) this.#secrets.add(form);
    } else if (value !== null && typeof value === 'object') {
      for (const part of Object.values(value)) this.add(part);
    }
  }

  clean(text: string): string {
    let cleaned = text;
    // The longest first: one may hold another.
    for (const secret of [...this.#secrets].sort((a, b) => b.length - a.length)) {
      cleaned = cleaned.replaceAll(secret, '********');
    }
    return cleaned;
  }
}

/** As it is, in a URL, and within JSON. */
const formsOf = (secret: string) => [
  secret,
  encodeURIComponent(secret.toWellFormed()),
  JSON.stringify(secret).slice(1, -1),
];
