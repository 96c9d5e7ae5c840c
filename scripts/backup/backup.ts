import { sizeOf } from '../import/tell.ts';
import { requireService } from '../operator.ts';
import { Client } from './client.ts';
import { Directory } from './directory.ts';
import { keyOf, randomKey } from './key.ts';
import { BACKUP_USAGE, backupOptions } from './options.ts';
import { Progress } from './progress.ts';
import { hold, run, tellAll } from './run.ts';
import { requireUnfinished, takeBackup } from './take.ts';

// Writes a backup of an installation, or of a project. docs/backup.md says what is in it.

await run(BACKUP_USAGE, async () => {
  const options = backupOptions(process.argv.slice(2));
  if (!options) return undefined;
  const directory = new Directory(options.directory);
  const given = process.env.BACKUP_KEY;
  requireUnfinished(directory, Boolean(given));
  const key = given ? keyOf(given) : randomKey();
  await requireService();
  await hold(directory);
  const client = new Client(key.text);
  const outline = await client.outline(options.project, true);
  // Shown only now, when nothing stands in the way of a backup with this key.
  if (!given) {
    console.log(`BACKUP_KEY=${key.text}`);
    console.log('Keep this key, it is not shown again: without it nothing can be restored from the backup.');
  }
  const progress = new Progress();
  const { manifest, unopened, lacking } = await takeBackup({
    client,
    directory,
    key,
    project: options.project,
    outline,
    progress,
  });
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  const { count, bytes } = manifest.objects;
  console.log(`${directory.root} holds ${rows} rows and ${count} objects (${sizeOf(bytes)}).`);
  tellAll('Secrets that no key of the installation opens', unopened);
  tellAll(
    'Files and documents that were changed while the backup was made, so that their bytes are not in it',
    lacking,
  );
  return lacking.length === 0;
});
