import type { Role } from '#src/db/schema/index.ts';

const READ = 'sluice:read';
const WRITE = 'sluice:write';

export const SCOPES = [READ, WRITE] as const;

/** Returns whether a scope parameter asks for writing. Unknown scopes are ignored (RFC 6749, section 3.3). */
export const asksToWrite = (scope: string | undefined): boolean => (scope ?? '').split(' ').includes(WRITE);

/** Returns the scope of an application that may read and, if `canWrite` is true, also write. */
export const formatScope = (canWrite: boolean): string => (canWrite ? `${READ} ${WRITE}` : READ);

/** Returns whether a granted scope still includes writing. A viewer's application never writes. */
export const canStillWrite = (canWrite: boolean, role: Role): boolean => canWrite && role !== 'viewer';
