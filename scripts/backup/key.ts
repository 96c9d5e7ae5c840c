import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { UsageError } from '../import/failures.ts';

/** Key that encrypts the secrets in a backup and signs its manifest. */
export interface BackupKey {
  /** Base64 of the key's 32 bytes, which is what the operator stores. */
  text: string;
  /**
   * Identifier derived from the key. Different keys have different ids, and the id does not reveal the key.
   */
  id: string;
  /** Key in the form that is sent to the service, which encrypts secrets with it. */
  sealing: string;
  mac(text: string): string;
}

export const generateKey = () => parseKey(randomBytes(32).toString('base64'));

/** Parses the environment variable `BACKUP_KEY`. Throws `UsageError` if it is not the base64 of 32 bytes. */
export function parseKey(text: string): BackupKey {
  const bytes = Buffer.from(text.trim(), 'base64');
  if (bytes.length !== 32) {
    throw new UsageError(
      'BACKUP_KEY must be the base64 of 32 bytes. Create one with: openssl rand -base64 32',
    );
  }
  const normal = bytes.toString('base64');
  const id = `backup-${createHash('sha256').update(`backup key ${normal}`).digest('hex').slice(0, 16)}`;
  // The key that signs the manifest is derived from the backup key. It differs from the key that encrypts
  // secrets.
  const signing = createHmac('sha256', bytes).update('manifest of a backup').digest();
  return {
    text: normal,
    id,
    sealing: `${id}:${normal}`,
    mac: (message) => createHmac('sha256', signing).update(message).digest('hex'),
  };
}

export function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
