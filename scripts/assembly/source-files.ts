import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Matches imports that remain after Node has stripped the types. */
const STATIC_IMPORT = /^(?:import|export)\b(?!\s+type\b)(?:[^;']*\bfrom)?\s*'([^']+)'/gm;
const REQUIRED = /\bcreateRequire\(import\.meta\.url\)\('([^']+)'\)/g;
const DYNAMIC_IMPORT = /\bimport\(\s*'([^']+)'/g;

export interface SourceFiles {
  /** Sorted paths of the project's own files, relative to the root of the project. */
  files: string[];
  /** Names of the packages that `files` import when they are loaded. */
  packages: string[];
}

/**
 * Follows the imports of the given files and returns everything that Node needs to run them. Type imports are
 * not followed. Packages loaded with `import()` are left out, because the importing code handles their
 * absence.
 */
export function findSourceFiles(entries: readonly string[], aliases: Record<string, string>): SourceFiles {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string) => {
    if (files.has(file)) return;
    files.add(file);
    const text = readFileSync(file, 'utf8');
    const targets = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, target]) => target!);
    for (const target of [...targets(STATIC_IMPORT), ...targets(REQUIRED)]) {
      const own = resolveOwn(file, target, aliases);
      if (own) visit(own);
      else if (!target.startsWith('node:')) packages.add(packageName(target));
    }
    for (const target of targets(DYNAMIC_IMPORT)) {
      const own = resolveOwn(file, target, aliases);
      if (own) visit(own);
    }
  };
  for (const entry of entries) visit(entry);
  return { files: [...files].toSorted(), packages: [...packages].toSorted() };
}

/** Returns the imported file if it belongs to the project. `aliases` are the `imports` of package.json. */
function resolveOwn(from: string, target: string, aliases: Record<string, string>): string | undefined {
  if (target.startsWith('.')) return normalize(join(dirname(from), target));
  for (const [alias, path] of Object.entries(aliases)) {
    const prefix = alias.slice(0, -1);
    if (target.startsWith(prefix)) return normalize(path.slice(0, -1) + target.slice(prefix.length));
  }
  return undefined;
}

/** Returns the package of an import path such as `@scope/name/part`. */
export function packageName(target: string): string {
  return target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');
}
