import { WrongUse } from '../import/failures.ts';
import { requireService } from '../operator.ts';
import { Client } from './client.ts';
import { Directory } from './directory.ts';
import { keyOf } from './key.ts';
import { readManifest } from './manifest.ts';
import { RESTORE_USAGE, restoreOptions } from './options.ts';
import { Progress } from './progress.ts';
import { putBack } from './put-back.ts';
import { hold, run, tellAll } from './run.ts';
import { verifyBackup } from './verify.ts';

// Puts a backup back. docs/backup.md says into what, and what becomes of work that was under way.

await run(RESTORE_USAGE, async () => {
  const options = restoreOptions(process.argv.slice(2));
  if (!options) return undefined;
  const given = process.env.BACKUP_KEY;
  if (!given) throw new WrongUse('BACKUP_KEY must be the key that the backup was made with.');
  const key = keyOf(given);
  const directory = new Directory(options.directory);
  const manifest = readManifest(directory, key);
  if (!manifest) throw new WrongUse(`There is no finished backup in ${directory.root}.`);
  if (!options.check) await requireService();
  await hold(directory);
  const progress = new Progress();
  await verifyBackup(directory, manifest, progress);
  if (options.check) return true;
  const client = new Client(key.text);
  const restored = await putBack({ ...options, client, directory, manifest, key, progress });
  tellAll('Rows left out, of what was deleted or replaced while the backup was made', restored.leftOut);
  tellAll('Secrets that no key opens: enter them anew', restored.unopened);
  tellAll('Tables that have fewer rows than the backup', restored.missing);
  if (restored.missing.length === 0) console.log(`Restored from ${directory.root}.`);
  return restored.missing.length === 0;
});
