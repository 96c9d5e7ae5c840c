/**
 * Lines that tell a supervisor which operations the service has begun and ended. When the service's thread hangs, the
 * supervisor logs those that have not ended. Printing is synchronous, so a line is out before the operation can hang.
 */

/** First word of such a line. */
export const OPERATION_MARK = 'sluice-operation';

let lastId = 0;

/** Set by the single-machine server. */
export interface SupervisedBindings {
  SUPERVISED?: string;
}

/** Runs an operation between two marks. Without a supervisor it only runs it. */
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
