/** Sentences for Node's error codes of file system and machine failures. */
const MACHINE: Record<string, string> = {
  EACCES: 'Permission denied',
  EDQUOT: 'The disk quota is used up',
  EFBIG: 'The file is larger than the file system or the limits of this process allow',
  EIO: 'The disk reports an error',
  EISDIR: 'There is a folder where a file is expected',
  EMFILE: 'Too many files are open',
  ENAMETOOLONG: 'The name is too long',
  ENOENT: 'The file or folder does not exist',
  ENOSPC: 'The disk is full',
  ENOTDIR: 'There is a file where a folder is expected',
  EPERM: 'The operation is not permitted',
  EROFS: 'The file system is read-only',
};

interface SystemError {
  code?: unknown;
  path?: unknown;
}

/** Describes a file system failure in one sentence. Returns `undefined` for any other failure. */
export function describeMachineFailure(cause: unknown): string | undefined {
  const { code, path } = (cause ?? {}) as SystemError;
  if (typeof code !== 'string' || !Object.hasOwn(MACHINE, code)) return undefined;
  return `${MACHINE[code]}${typeof path === 'string' ? `: ${path}` : ''} (${code}).`;
}

/**
 * Returns the text that a command prints when it fails. An expected failure or a file system failure is one
 * sentence. Any other failure is printed with the stack trace that a bug report needs.
 */
export function describeFailure(
  cause: unknown,
  expected: readonly (abstract new (...args: never) => Error)[] = [],
): string {
  if (!(cause instanceof Error)) return String(cause);
  if (expected.some((kind) => cause instanceof kind)) return cause.message;
  return describeMachineFailure(cause) ?? cause.stack ?? cause.message;
}
