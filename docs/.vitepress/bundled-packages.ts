import { writeFileSync } from 'node:fs';

const PACKAGE = /^.*\/(node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/**
 * Vite plugin that writes which packages the guide was bundled from, as a JSON list of folders relative to the project.
 * scripts/assembly/third-party.ts collects their licences.
 */
export function bundledPackages(file: string) {
  const folders = new Set<string>();
  return {
    name: 'bundled-packages',
    generateBundle(_: unknown, bundle: Record<string, object>) {
      for (const output of Object.values(bundle)) {
        const moduleIds = 'moduleIds' in output ? (output.moduleIds as string[]) : [];
        for (const id of moduleIds) {
          const folder = PACKAGE.exec(id)?.[1];
          if (folder) folders.add(folder);
        }
      }
    },
    closeBundle() {
      writeFileSync(file, `${JSON.stringify([...folders].toSorted(), undefined, 2)}\n`);
    },
  };
}
