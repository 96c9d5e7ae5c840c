/**
 * The service prints lines that tell the supervisor process which operations have begun and ended. If the
 * service hangs, the supervisor logs the operations that have not ended. Printing is synchronous, so a line
 * is written before the operation can hang.
 */

/** First word of each line that marks the beginning or end of an operation. */
export const OPERATION_MARK = 'sluice-operation';

let lastId = 0;

/** Environment variable that the single-machine server sets if a supervisor process runs the service. */
export interface SupervisedBindings {
  SUPERVISED?: string;
}

/**
 * Runs an operation and prints a line before and after it. Prints nothing if no supervisor process runs the
 * service.
 */
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
