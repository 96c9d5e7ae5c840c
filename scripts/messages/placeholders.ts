import compile from 'icu-minify/compile';

/** Compiled message: a text, a node, or a list of them. Nodes are arrays that begin with the placeholder's name. */
type Compiled = ReturnType<typeof compile>;

/**
 * Lists the placeholders of a message with their kinds, such as `name`, `count (4)` or `<link>`. Throws if the
 * message is not valid ICU MessageFormat.
 */
export function listPlaceholders(message: string): Set<string> {
  const found = new Set<string>();
  collect(compile(message), found);
  return found;
}

/** Removes the kind from a placeholder, which leaves the name that the code passes. */
export const readPlaceholderName = (placeholder: string): string => placeholder.replace(/[<>]| \(\d+\)/g, '');

function collect(parts: Compiled | unknown, found: Set<string>): void {
  if (!Array.isArray(parts)) return;
  for (const part of parts as unknown[]) {
    if (!Array.isArray(part)) continue;
    const [name, kind, ...rest] = part as [string, unknown, ...unknown[]];
    if (kind === undefined) {
      found.add(name);
    } else if (typeof kind === 'number' && kind !== 0) {
      found.add(`${name} (${kind})`);
      for (const options of rest) collectOptions(options, found);
    } else {
      found.add(`<${name}>`);
      collect([kind, ...rest], found);
    }
  }
}

function collectOptions(options: unknown, found: Set<string>): void {
  if (typeof options !== 'object' || options === null) return;
  for (const branch of Object.values(options)) collect(branch, found);
}
