import { z } from 'zod';
import { withHint } from '#src/lib/schema/effect.ts';

const MAX_QUOTED = 5;

/**
 * Declares the query field `expand` of an operation. Names outside of `names` are taken and ignored with a warning, so
 * that a newer client, which asks for more than this release has, still gets its answer.
 */
export function expandField(names: readonly string[], description: string) {
  const name = z.string().meta({ examples: [...names] });
  const known = `${description} Known: ${names.join(', ')}; other names are ignored with a warning.`;
  return withHint(z.array(name).nullish().describe(known), (value) => {
    const unknown = [value].flat().filter((each) => !names.includes(String(each)));
    if (unknown.length === 0) return undefined;
    const quoted = unknown.slice(0, MAX_QUOTED).map((each) => JSON.stringify(String(each).slice(0, 100)));
    return `There is nothing called ${quoted.join(', ')}. Known: ${names.join(', ')}.`;
  });
}

/** Returns those of `names` that a request asks for, in their own order. */
export function pickExpansions<Name extends string>(
  names: readonly Name[],
  asked: readonly string[] | null | undefined,
): Name[] {
  return names.filter((name) => asked?.includes(name));
}
