import { Conflict } from '#src/lib/errors.ts';

/** Names that an error lists; the rest is counted. */
const MAX_NAMES = 20;

/** Refuses to delete what pipelines still use, and names them. */
export function inUse(what: string, pipelines: readonly { name: string }[]): Conflict {
  const names = pipelines.slice(0, MAX_NAMES).map(({ name }) => name);
  const rest = pipelines.length - names.length;
  return new Conflict(
    `The ${what} is in use by: ${names.join(', ')}${rest > 0 ? ` and ${rest} more pipelines` : ''}.`,
  );
}
