import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkerConfig } from './configs.ts';

/** Computes one hash of a Worker's configuration, bundled script, modules and assets. */
export function hashWorker(config: WorkerConfig, bundle: string): string {
  const hash = createHash('sha256').update(JSON.stringify(config, removeCheckoutPath));
  addFolder(hash, bundle, (name) => !name.endsWith('.map') && name !== 'README.md');
  if (config.assets && existsSync(config.assets.directory)) {
    addFolder(hash, config.assets.directory, () => true);
  }
  return hash.digest('hex');
}

/** Removes the path of the checkout, which must not change the hash. */
const removeCheckoutPath = (_: string, value: unknown) =>
  typeof value === 'string' && value.startsWith(process.cwd()) ? value.slice(process.cwd().length) : value;

function addFolder(
  hash: ReturnType<typeof createHash>,
  folder: string,
  isPart: (name: string) => boolean,
): void {
  const files = globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile() && isPart(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  for (const path of files) {
    const content = createHash('sha256').update(readFileSync(path)).digest('hex');
    hash.update(`\n${path.slice(folder.length)} ${content}`);
  }
}
