import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkerConfig } from './configs.ts';

/** Lists the files of a bundle that belong to the upload, each with the hash of its content. */
export const listBundle = (folder: string): string[] =>
  listFiles(folder, (name) => !name.endsWith('.map') && name !== 'README.md');

/** Computes one hash of a Worker's configuration, bundle (see `listBundle`) and assets. */
export function hashWorker(config: WorkerConfig, bundle: readonly string[]): string {
  const { assets } = config;
  const served = assets && existsSync(assets.directory) ? listFiles(assets.directory) : [];
  return hashTexts([serializeConfig(config), ...bundle, ...served]);
}

/** Returns the configuration as JSON without the path of the checkout, which must not change a hash. */
export function serializeConfig(config: WorkerConfig): string {
  const checkout = process.cwd();
  return JSON.stringify(config, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(checkout) ? value.slice(checkout.length) : value,
  );
}

/** Lists the files of a folder in a fixed order, each with the hash of its content. */
export function listFiles(folder: string, isPart: (name: string) => boolean = () => true): string[] {
  return globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile() && isPart(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => `${path.slice(folder.length)} ${hashTexts([readFileSync(path)])}`);
}

export function hashTexts(texts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const [index, text] of texts.entries()) hash.update(index > 0 ? '\n' : '').update(text);
  return hash.digest('hex');
}
