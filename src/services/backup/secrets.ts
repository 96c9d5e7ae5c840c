import type { Context } from '#src/context/context.ts';
import { Invalid, messageOf } from '#src/lib/errors.ts';
import { type KeyRing, keyRingOf, SecretError } from '#src/services/secrets/key-ring.ts';
import { SEALED_COLUMNS } from '#src/services/secrets/rotate-secrets.ts';
import type { Row } from './restored-as.ts';

/** A secret that no key could open. It is restored unchanged and cannot be used. */
export interface Unopened {
  place: string;
  message: string;
}

/** Key ring that opens the installation's secrets and seals for a backup. */
export const ringToBackup = ({ settings }: Context, backupKey: string): KeyRing =>
  ringOf(backupKey, settings.ENCRYPTION_KEY, settings.ENCRYPTION_KEYS_PREVIOUS);

/** Key ring that opens the secrets of a backup and seals for the installation. */
export const ringFromBackup = ({ settings }: Context, backupKey: string): KeyRing =>
  ringOf(settings.ENCRYPTION_KEY, backupKey, settings.ENCRYPTION_KEYS_PREVIOUS);

function ringOf(seals: string, ...opens: (string | undefined)[]): KeyRing {
  try {
    return keyRingOf(seals, opens.filter(Boolean).join());
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    throw Invalid.field(['backup_key'], `Value error, ${messageOf(error)}`);
  }
}

/**
 * Seals the secrets of a row with the ring's current key, each bound to its row and column. Plain text is
 * never written.
 */
export async function resealRow(
  tableName: string,
  row: Row,
  ring: KeyRing,
): Promise<{ row: Row; unopened: Unopened[] }> {
  const sealed: Row = { ...row };
  const unopened: Unopened[] = [];
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
      unopened.push({ place, message: messageOf(error) });
    }
  }
  return { row: sealed, unopened };
}
