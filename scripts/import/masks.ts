/** Keys and list indexes that lead to a part of a nested value. */
export type Path = readonly (string | number)[];

type Found = { path: Path; text: string };

/**
 * Finds texts in which a server has masked a secret. With `within`, masks inside a longer text, such as a
 * URL, are found as well.
 */
export function findMaskedPaths(value: unknown, within: boolean, path: Path = []): Path[] {
  return [...listTexts(value, path)]
    .filter(({ text }) => (within ? /\*{3,}|•{3,}/ : /^(\*{3,}|•{3,})$/).test(text))
    .map((found) => found.path);
}

function* listTexts(value: unknown, path: Path, depth = 0): Generator<Found> {
  if (typeof value === 'string') yield { path, text: value };
  // Stops at a depth that no configuration reaches, because a hostile response may be nested without limit.
  if (value === null || typeof value !== 'object' || depth > 32) return;
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [name, part] of entries) yield* listTexts(part, [...path, name], depth + 1);
}

/**
 * Returns a copy of `value` in which the part at `path` is replaced by `to`. If `to` is undefined, the part
 * is removed.
 */
export function replaceAt(value: unknown, path: Path, to: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return to;
  if (value === null || typeof value !== 'object') {
    return to === undefined ? value : { [first]: replaceAt(undefined, rest, to) };
  }
  if (Array.isArray(value)) {
    return value.flatMap((part, index) => {
      if (index !== first) return [part];
      const replaced = replaceAt(part, rest, to);
      return replaced === undefined ? [] : [replaced];
    });
  }
  const entries = Object.entries(value).filter(([name]) => name !== first);
  const replaced = replaceAt((value as Record<string, unknown>)[first], rest, to);
  return Object.fromEntries(replaced === undefined ? entries : [...entries, [first, replaced]]);
}

export const formatPath = (path: Path): string => path.join('.');

/** Removes null members at any depth, because servers return null for values that clients leave out. */
export function removeNulls(value: unknown, depth = 0): unknown {
  if (value === null || typeof value !== 'object' || depth > 32) return value;
  if (Array.isArray(value)) return value.map((part) => removeNulls(part, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== null)
      .map(([name, part]) => [name, removeNulls(part, depth + 1)]),
  );
}
