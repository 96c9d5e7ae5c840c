import { UsageError } from '../import/failures.ts';
import { requireService } from '../operator.ts';
import { Client } from './client.ts';
import { Directory } from './directory.ts';
import { parseKey } from './key.ts';
import { readManifest } from './manifest.ts';
import { RESTORE_USAGE, readRestoreOptions } from './options.ts';
import { Progress } from './progress.ts';
import { restoreBackup } from './restore-backup.ts';
import { lockDirectory, printNames, runCommand } from './run.ts';
import { verifyBackup } from './verify.ts';

// Restores a backup. docs/reference/backups.md describes the requirements and what happens to unfinished
// work.

await runCommand(RESTORE_USAGE, async () => {
  const options = readRestoreOptions(process.argv.slice(2));
  if (!options) return undefined;
  const given = process.env.BACKUP_KEY;
  if (!given) throw new UsageError('Set BACKUP_KEY to the key of the backup.');
  const key = parseKey(given);
  const directory = new Directory(options.directory);
  const manifest = readManifest(directory, key);
  if (!manifest) throw new UsageError(`${directory.root} contains no finished backup.`);
  if (!options.check) await requireService();
  await lockDirectory(directory);
  const progress = new Progress();
  await verifyBackup(directory, manifest, progress);
  if (options.check) return true;
  const client = new Client(key.text);
  const restored = await restoreBackup({ ...options, client, directory, manifest, key, progress });
  printNames(
    'Rows that were skipped, because their data was deleted or replaced while the backup was made',
    restored.leftOut,
  );
  printNames('Secrets that no key can decrypt. Enter them again', restored.unopened);
  printNames('Tables that have fewer rows than the backup', restored.missing);
  if (restored.missing.length === 0) console.log(`Restored from ${directory.root}.`);
  return restored.missing.length === 0;
});
