import { Conflict } from '#src/lib/errors.ts';

/** Maximum number of names in an error; further ones are counted. */
const MAX_NAMES = 20;

/** Returns the error for deleting something that pipelines still use. It names the pipelines. */
export function inUse(what: string, pipelines: readonly { name: string }[]): Conflict {
  const names = pipelines.slice(0, MAX_NAMES).map(({ name }) => name);
  const rest = pipelines.length - names.length;
  return new Conflict(
    `The ${what} is in use by: ${names.join(', ')}${rest > 0 ? ` and ${rest} more pipelines` : ''}.`,
  );
}
