import { Conflict } from '#src/lib/errors.ts';

/** Maximum number of pipelines that an error message names. Further pipelines are only counted. */
const MAX_NAMES = 20;

/** Returns the error for deleting a resource that pipelines still use. The message names the pipelines. */
export function createInUseError(what: string, pipelines: readonly { name: string }[]): Conflict {
  const names = pipelines.slice(0, MAX_NAMES).map(({ name }) => name);
  const rest = pipelines.length - names.length;
  return new Conflict(
    `The ${what} is in use by: ${names.join(', ')}${rest > 0 ? ` and ${rest} more pipelines` : ''}.`,
  );
}
