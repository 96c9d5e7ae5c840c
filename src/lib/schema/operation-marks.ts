/**
 * Lines that tell the supervisor which operations have begun and ended. If the service hangs, the supervisor
 * logs those that have not ended. Printing is synchronous, so a line is written before the operation can
 * hang.
 */

/** First word of these lines. */
export const OPERATION_MARK = 'sluice-operation';

let lastId = 0;

/** Binding that the single-machine server sets. */
export interface SupervisedBindings {
  SUPERVISED?: string;
}

/** Runs an operation between two such lines, or without them if there is no supervisor. */
export async function markOperation<Result>(
  { SUPERVISED }: SupervisedBindings,
  describe: () => string,
  run: () => Promise<Result>,
): Promise<Result> {
  if (!SUPERVISED) return run();
  const id = ++lastId;
  console.debug(`${OPERATION_MARK} begin ${id} ${describe()}`);
  try {
    return await run();
  } finally {
    console.debug(`${OPERATION_MARK} end ${id}`);
  }
}
