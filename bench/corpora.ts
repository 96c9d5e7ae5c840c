import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Where the real documents lie: CORPORA, else beside the project. */
export const CORPORA = resolve(process.env.CORPORA ?? join(import.meta.dirname, '../../shared/corpora'));

/** Reads a manifest of one set. Ends the process with a plain sentence if the set is not there. */
export function readManifest<Manifest>(set: string, name = 'manifest'): Manifest {
  const file = join(CORPORA, set, `${name}.json`);
  if (!existsSync(file)) {
    console.log(
      `No corpus at ${file}: nothing was measured. Set CORPORA to the folder that holds "${set}/${name}.json".`,
    );
    process.exit(0);
  }
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
}
