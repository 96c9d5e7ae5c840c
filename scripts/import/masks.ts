/** Where a value stands within another. */
export type Path = readonly (string | number)[];

type Found = { path: Path; text: string };

/** Texts in which a server has hidden a secret; of whole values only, or within URLs and the like, too. */
export function maskedPlaces(value: unknown, within: boolean, path: Path = []): Path[] {
  return [...textsOf(value, path)]
    .filter(({ text }) => (within ? /\*{3,}|•{3,}/ : /^(\*{3,}|•{3,})$/).test(text))
    .map((found) => found.path);
}

function* textsOf(value: unknown, path: Path, depth = 0): Generator<Found> {
  if (typeof value === 'string') yield { path, text: value };
  // Nothing that is configured lies deeper; a hostile answer may.
  if (value === null || typeof value !== 'object' || depth > 32) return;
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [name, part] of entries) yield* textsOf(part, [...path, name], depth + 1);
}

/** A copy with what is at `path` replaced, or taken out when `to` is undefined. */
export function replacedAt(value: unknown, path: Path, to: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return to;
  if (value === null || typeof value !== 'object') {
    return to === undefined ? value : { [first]: replacedAt(undefined, rest, to) };
  }
  if (Array.isArray(value)) {
    return value.flatMap((part, index) => {
      if (index !== first) return [part];
      const replaced = replacedAt(part, rest, to);
      return replaced === undefined ? [] : [replaced];
    });
  }
  const entries = Object.entries(value).filter(([name]) => name !== first);
  const replaced = replacedAt((value as Record<string, unknown>)[first], rest, to);
  return Object.fromEntries(replaced === undefined ? entries : [...entries, [first, replaced]]);
}

export const nameOf = (path: Path): string => path.join('.');

/** Without members that are null, at any depth: servers answer them where clients send nothing. */
export function withoutNulls(value: unknown, depth = 0): unknown {
  if (value === null || typeof value !== 'object' || depth > 32) return value;
  if (Array.isArray(value)) return value.map((part) => withoutNulls(part, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== null)
      .map(([name, part]) => [name, withoutNulls(part, depth + 1)]),
  );
}
