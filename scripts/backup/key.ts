import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { WrongUse } from '../import/failures.ts';

/** Seals the secrets in a backup, and vouches for its manifest. */
export interface BackupKey {
  /** As the operator keeps it: base64 of 32 bytes. */
  text: string;
  /** Follows from the key, so that two keys never share one; says nothing of it. */
  id: string;
  /** As the service takes it. */
  sealing: string;
  mac(text: string): string;
}

export const randomKey = () => keyOf(randomBytes(32).toString('base64'));

/** `BACKUP_KEY`, as it was shown. */
export function keyOf(text: string): BackupKey {
  const bytes = Buffer.from(text.trim(), 'base64');
  if (bytes.length !== 32) {
    throw new WrongUse('BACKUP_KEY must be the base64 of 32 bytes: openssl rand -base64 32 makes one.');
  }
  const normal = bytes.toString('base64');
  const id = `backup-${createHash('sha256').update(`backup key ${normal}`).digest('hex').slice(0, 16)}`;
  // Another key than the one that seals follows from the same bytes.
  const signing = createHmac('sha256', bytes).update('manifest of a backup').digest();
  return {
    text: normal,
    id,
    sealing: `${id}:${normal}`,
    mac: (said) => createHmac('sha256', signing).update(said).digest('hex'),
  };
}

export function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
