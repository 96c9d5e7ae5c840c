import { z } from 'zod';
import { type Warning, withHint } from '#src/lib/schema/effect.ts';

const MAX_QUOTED = 5;

/**
 * Declares the query parameter `expand` of an operation. Unknown names are accepted with a warning, so that
 * clients of later releases, which may send further names, still get a response.
 */
export function expandField(names: readonly string[], description: string) {
  const name = z.string().meta({ examples: [...names] });
  const known = `${description} Known: ${names.join(', ')}; other names are ignored with a warning.`;
  return withHint(z.array(name).nullish().describe(known), (value) => {
    const unknown = [value].flat().filter((each) => !names.includes(String(each)));
    if (unknown.length === 0) return undefined;
    const quoted = unknown.slice(0, MAX_QUOTED).map((each) => JSON.stringify(String(each).slice(0, 100)));
    return `Unknown names are ignored: ${quoted.join(', ')}. Known names are: ${names.join(', ')}.`;
  });
}

/** Returns the field names that a request asks for, in the order of `names`. */
export function pickExpansions<Name extends string>(
  names: readonly Name[],
  asked: readonly string[] | null | undefined,
): Name[] {
  return names.filter((name) => asked?.includes(name));
}

/** Returns a warning if a request sends `expand` to an operation that has no further members to expand. */
export function listExpandWarnings(query: z.ZodObject, search: URLSearchParams): Warning[] {
  if (!search.has('expand') || Object.hasOwn(query.shape, 'expand')) return [];
  return [{ field: 'expand', reason: 'This operation has no members to expand. The parameter is ignored.' }];
}
