import { z } from 'zod';
import { DamagedBackup, type Directory, readJsonFile, writeAtomically } from './directory.ts';
import { type BackupKey, isSame } from './key.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.number().int().min(0);

const manifest = z.strictObject({
  sluice_backup: z.literal(1),
  id: z.uuid(),
  made_at: z.iso.datetime(),
  /** Release of the service when the backup was made, such as `0.3.0`. */
  release: z.string(),
  /** Id of the project. `null` for a backup of the whole installation. */
  project: z.uuid().nullable(),
  key_id: z.string(),
  tables: z.array(
    z.strictObject({
      name: z.string().regex(/^[a-z_]+$/),
      columns: z.array(z.string()),
      rows: count,
      bytes: count,
      sha256,
    }),
  ),
  objects: z.strictObject({ count, bytes: count, list: z.strictObject({ bytes: count, sha256 }) }),
});
export type Manifest = z.infer<typeof manifest>;

const sealed = z.strictObject({ manifest, mac: z.string() });

/** One line in a backup's list of stored objects. */
export const objectLine = z.strictObject({
  key: z.string(),
  size: count,
  sha256,
  metadata: z.string().nullable(),
});
export type ObjectLine = z.infer<typeof objectLine>;

export function writeManifest(directory: Directory, made: Manifest, key: BackupKey): void {
  const mac = key.mac(JSON.stringify(made));
  writeAtomically(directory.manifest(), `${JSON.stringify({ manifest: made, mac }, null, 2)}\n`);
}

/**
 * Reads and verifies the manifest. Returns `undefined` if there is none, which means that no backup was
 * finished in this directory. Throws `DamagedBackup` if the manifest was changed.
 */
export function readManifest(directory: Directory, key: BackupKey): Manifest | undefined {
  const path = directory.manifest();
  const value = readJsonFile(path);
  if (value === undefined) return undefined;
  const read = sealed.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new DamagedBackup(
      `${path} is not a manifest that this release can read: ${issue!.path.join('.')}: ${issue!.message}`,
    );
  }
  const { manifest: made, mac } = read.data;
  if (made.key_id !== key.id) throw new DamagedBackup(`${path} was created with another BACKUP_KEY.`);
  if (!isSame(key.mac(JSON.stringify(made)), mac))
    throw new DamagedBackup(`${path} was changed after the backup was made.`);
  return made;
}
