import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Folder of the real documents: CORPORA, or by default a folder next to the project. */
export const CORPORA = resolve(process.env.CORPORA ?? join(import.meta.dirname, '../../shared/corpora'));

/** Reads a manifest of one set. If the set is missing, it prints a message and ends the process. */
export function readManifest<Manifest>(set: string, name = 'manifest'): Manifest {
  const file = join(CORPORA, set, `${name}.json`);
  if (!existsSync(file)) {
    console.log(
      `${file} does not exist, so nothing was measured. Set CORPORA to the folder that contains "${set}/${name}.json".`,
    );
    process.exit(0);
  }
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
}
