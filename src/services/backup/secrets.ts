import type { Context } from '#src/context/context.ts';
import { getErrorMessage, Invalid } from '#src/lib/errors.ts';
import { type KeyRing, parseKeyRing, SecretError } from '#src/services/secrets/key-ring.ts';
import { SEALED_COLUMNS } from '#src/services/secrets/rotate-secrets.ts';
import type { Row } from './restore-rules.ts';

/** Secret that no configured key could decrypt. It is restored unchanged and cannot be used. */
export interface UnopenedSecret {
  place: string;
  message: string;
}

/** Returns the key ring that decrypts secrets of the installation and encrypts them for a backup. */
export const createBackupRing = ({ settings }: Context, backupKey: string): KeyRing =>
  createRing(backupKey, settings.ENCRYPTION_KEY, settings.ENCRYPTION_KEYS_PREVIOUS);

/** Returns the key ring that decrypts secrets of a backup and encrypts them for the installation. */
export const createRestoreRing = ({ settings }: Context, backupKey: string): KeyRing =>
  createRing(settings.ENCRYPTION_KEY, backupKey, settings.ENCRYPTION_KEYS_PREVIOUS);

function createRing(seals: string, ...opens: (string | undefined)[]): KeyRing {
  try {
    return parseKeyRing(seals, opens.filter(Boolean).join());
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    throw Invalid.field(['backup_key'], `Value error, ${getErrorMessage(error)}`);
  }
}

/**
 * Encrypts the secrets of a row with the current key of the ring, bound to their row and column. Decrypted
 * text is never written.
 */
export async function resealRow(
  tableName: string,
  row: Row,
  ring: KeyRing,
): Promise<{ row: Row; unopened: UnopenedSecret[] }> {
  const sealed: Row = { ...row };
  const unopened: UnopenedSecret[] = [];
  for (const column of SEALED_COLUMNS.filter((each) => each.table.name === tableName)) {
    const { name } = column;
    const stored = row[name];
    if (typeof stored !== 'string' || typeof row.id !== 'string') continue;
    const place = column.place(row.id);
    try {
      const value = column.cell.mapFromDriverValue(stored) as unknown;
      const after = await column.reseal(value, ring, place);
      if (after !== undefined) sealed[name] = column.cell.mapToDriverValue(after) as string;
    } catch (error) {
      if (!(error instanceof SecretError || error instanceof SyntaxError)) throw error;
      unopened.push({ place, message: getErrorMessage(error) });
    }
  }
  return { row: sealed, unopened };
}
