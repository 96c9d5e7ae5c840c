import { dirname } from 'node:path';
import type { SourceFiles } from './source-files.ts';

/** Fields of package.json that an assembled folder needs. */
export interface Manifest {
  name: string;
  version: string;
  description: string;
  license: string;
  imports: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  allowScripts: Record<string, boolean>;
}

interface LockedPackage {
  version?: string;
  license?: string;
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

/** Fields of package-lock.json that an assembled folder needs. */
export interface Lock {
  lockfileVersion: number;
  packages: Record<string, LockedPackage>;
}

/**
 * Builds the package.json of an assembled folder. Its dependencies are the packages that the files import,
 * and Node itself for machines without Node.
 */
export function buildRuntimeManifest(manifest: Manifest, { files, packages }: SourceFiles) {
  const { name, version, description, license, imports, allowScripts } = manifest;
  const known = { ...manifest.devDependencies, ...manifest.dependencies };
  const requireVersion = (each: string): string => {
    if (!known[each])
      throw new Error(`package.json has no dependency "${each}", which the server imports. Add it.`);
    return known[each];
  };
  const used = Object.entries(imports).filter(([, path]) =>
    files.some((file) => `./${file}`.startsWith(path.slice(0, -1))),
  );
  return {
    name,
    version,
    private: true,
    description,
    license,
    type: 'module',
    imports: Object.fromEntries(used),
    scripts: { start: 'MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=131072 node server/start.ts' },
    dependencies: Object.fromEntries([...packages, 'node'].map((each) => [each, requireVersion(each)])),
    allowScripts: Object.fromEntries(['node', 'workerd'].map((each) => [each, allowScripts[each] === true])),
  };
}

/**
 * Reduces the project's lock file to the packages of an assembled folder, so that `npm ci` installs the
 * tested versions there.
 */
export function buildRuntimeLock(manifest: ReturnType<typeof buildRuntimeManifest>, lock: Lock): Lock {
  const { name, version, license, dependencies } = manifest;
  const required = collectPackages(lock, dependencies, false);
  const all = collectPackages(lock, dependencies, true);
  const locked = [...all].toSorted().map((path) => {
    const { dev, devOptional, optional, ...rest } = lock.packages[path]!;
    return [path, { ...rest, ...(!required.has(path) && { optional: true }) }] as const;
  });
  const root = { name, version, license, dependencies };
  return { ...lock, packages: { '': root, ...Object.fromEntries(locked) } };
}

/** Collects the lock file paths of the given dependencies and of all their dependencies. */
function collectPackages(lock: Lock, roots: Record<string, string>, withOptional: boolean): Set<string> {
  const found = new Set<string>();
  const visit = (from: string, name: string, isOptional: boolean) => {
    const path = resolveLocked(lock, from, name);
    if (path === undefined) {
      if (isOptional) return;
      throw new Error(`package-lock.json has no "${name}", which "${from}" needs. Run npm install.`);
    }
    if (found.has(path)) return;
    found.add(path);
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } =
      lock.packages[path]!;
    for (const next of Object.keys(dependencies ?? {})) visit(path, next, false);
    for (const next of Object.keys(peerDependencies ?? {})) {
      if (!peerDependenciesMeta?.[next]?.optional) visit(path, next, false);
    }
    if (!withOptional) return;
    for (const next of Object.keys(optionalDependencies ?? {})) visit(path, next, true);
  };
  for (const name of Object.keys(roots)) visit('', name, false);
  return found;
}

/** Returns the path at which Node finds a package: the nearest `node_modules` folder above `from`. */
function resolveLocked(lock: Lock, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (folder === '.') folder = '';
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (lock.packages[path]) return path;
    if (folder === '') return undefined;
  }
}
