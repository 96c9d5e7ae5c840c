interface Failure {
  message: string;
  stack?: string;
}

/** An attempt to run a test, with the errors of the test and of its hooks. */
interface Attempt {
  errors: readonly Failure[] | undefined;
}

/** Maximum number of lines of an error in a report. */
const MAX_LINES = 12;

/**
 * Describes the errors of all attempts to run a test, in order. An error of a retry can follow from what the first
 * attempt left behind, so the last error alone may hide the cause.
 */
export function describeAttempts(attempts: readonly Attempt[]): string {
  const failed = attempts.flatMap(({ errors = [] }, index) =>
    errors.length > 0 ? [{ number: index + 1, text: describeFailures(errors) }] : [],
  );
  if (attempts.length < 2) return failed[0]?.text ?? 'unknown reason';
  return failed.map(({ number, text }) => `Attempt ${number} of ${attempts.length}: ${text}`).join('\n');
}

/** Returns the first lines of each error and the place in the test. */
export function describeFailures(errors: readonly Failure[]): string {
  return errors.map(describeFailure).join('\n') || 'unknown reason';
}

function describeFailure({ message, stack = '' }: Failure): string {
  const place = stack.split('\n').find((line) => line.includes('.test.ts')) ?? '';
  const lines = [...message.split('\n').slice(0, MAX_LINES), place.trim()];
  return lines.filter((line) => line !== '').join('\n');
}
