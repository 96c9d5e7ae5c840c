import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { BINDINGS_FILE } from '../server/service/bindings.ts';
import {
  buildRuntimeLock,
  buildRuntimeManifest,
  type Lock,
  type Manifest,
} from './assembly/runtime-package.ts';
import { findSourceFiles } from './assembly/source-files.ts';
import { collectNotices, formatNotices } from './assembly/third-party.ts';
import { build } from './build.ts';
import { WORKERS } from './build-workers.ts';

// `npm run assemble -- FOLDER` copies everything that a production server needs into an empty folder. `npm ci
// --omit=dev` installs the runtime there, and `node server/start.ts` starts the server. The Dockerfile does
// the same.

/** Programs that run in the assembled folder, and the plugin that Miniflare loads by its path. */
const ENTRIES = ['server/start.ts', 'server/health-check.ts', 'server/runtime/sockets-plugin.ts'];
const FILES = [BINDINGS_FILE, 'release.json', 'LICENSE'];
const FOLDERS = ['public', 'ocr/public', 'migrations'];
/** Files of a bundle that are not copied, because only debuggers and builds read them. */
const UNUSED = /\.map$|^inputs\.json$|^README\.md$/;

async function assemble(target: string): Promise<void> {
  await build();
  const manifest = readJson<Manifest>('package.json');
  const sources = findSourceFiles(ENTRIES, manifest.imports);
  const runtime = buildRuntimeManifest(manifest, sources);
  const lock = buildRuntimeLock(runtime, readJson<Lock>('package-lock.json'));
  for (const file of [...sources.files, ...bundleFiles(), ...FOLDERS, ...FILES]) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    cpSync(file, join(target, file), { recursive: true });
  }
  writeFileSync(join(target, 'package.json'), toJson(runtime));
  writeFileSync(join(target, 'package-lock.json'), toJson(lock));
  writeFileSync(join(target, 'THIRD-PARTY.md'), formatNotices(collectNotices(lock)));
}

/** Lists the files of the Workers' bundles that the runtime loads. */
function bundleFiles(): string[] {
  return Object.keys(WORKERS).flatMap((name) =>
    globSync(`dist/${name}/*`).filter((file) => !UNUSED.test(basename(file))),
  );
}

const readJson = <Value>(file: string): Value => JSON.parse(readFileSync(file, 'utf8'));
const toJson = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

const [folder] = process.argv.slice(2);
if (!folder) {
  console.error('Name an empty or new folder: npm run assemble -- FOLDER');
  process.exit(2);
}
const target = resolve(folder);
if (existsSync(target) && readdirSync(target).length > 0) {
  console.error(`${target} is not empty. Choose an empty or new folder.`);
  process.exit(2);
}
await assemble(target);
console.log(
  `${target} contains the files that a server needs. Install the runtime in that folder: npm ci --omit=dev`,
);
