import { formatCount, formatSize } from '../import/output.ts';
import { requireService } from '../operator.ts';
import { Client } from './client.ts';
import { createBackup, requireUnfinished } from './create-backup.ts';
import { Directory } from './directory.ts';
import { generateKey, parseKey } from './key.ts';
import { BACKUP_USAGE, readBackupOptions } from './options.ts';
import { Progress } from './progress.ts';
import { lockDirectory, printNames, runCommand } from './run.ts';

// Writes a backup of an installation or of a project. docs/reference/backups.md describes its contents.

await runCommand(BACKUP_USAGE, async () => {
  const options = readBackupOptions(process.argv.slice(2));
  if (!options) return undefined;
  const directory = new Directory(options.directory);
  const given = process.env.BACKUP_KEY;
  requireUnfinished(directory, Boolean(given));
  const key = given ? parseKey(given) : generateKey();
  await requireService();
  await lockDirectory(directory);
  const client = new Client(key.text);
  const outline = await client.outline(options.project, true);
  // The backup key is shown only after all checks have passed. Otherwise the operator would keep a key
  // without a backup.
  if (!given) {
    console.log(`BACKUP_KEY=${key.text}`);
    console.log('Keep this key. It is not shown again, and without it the backup cannot be restored.');
  }
  const progress = new Progress();
  const { manifest, unopened, missing } = await createBackup({
    client,
    directory,
    key,
    project: options.project,
    outline,
    progress,
  });
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  const { count, bytes } = manifest.objects;
  console.log(
    `${directory.root} contains ${formatCount(rows, 'row')} and ${formatCount(count, 'object')} (${formatSize(bytes)}).`,
  );
  printNames('Secrets that no key of the installation can decrypt', unopened);
  printNames(
    'Files and documents whose contents are not in the backup, because they were changed while the backup was made',
    missing,
  );
  return missing.length === 0;
});
