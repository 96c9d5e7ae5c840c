import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT } from '#server/exit-codes.ts';
import { SyncClient } from './pipelines.ts';
import { Service } from './service.ts';

// The folder that the container image is made of, installed and run as the image does it: read-only, by a user without
// rights, with one folder for the state.

const home = mkdtempSync(join(tmpdir(), 'sluice-image-'));
const folder = join(home, 'app');
const state = join(home, 'data');
const temporary = join(home, 'tmp');
/** `nobody` if this test may choose a user, otherwise the user of this test. */
const user = process.getuid?.() === 0 ? 65_534 : undefined;
const node = join(folder, 'node_modules/.bin/node');

const assemble = (...args: string[]) =>
  spawnSync(process.execPath, ['scripts/assemble.ts', ...args], { encoding: 'utf8' });

beforeAll(() => {
  const { status, stderr } = assemble(folder);
  if (status !== 0) throw new Error(stderr);
  const install = [
    'ci',
    '--omit=dev',
    '--ignore-scripts=false',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
  ];
  execFileSync('npm', install, { cwd: folder, stdio: 'pipe' });
  chmodSync(home, 0o755);
  for (const each of [state, temporary]) {
    mkdirSync(each, { mode: 0o700 });
    if (user !== undefined) chownSync(each, user, user);
  }
  setMode(folder, { directories: 0o555, files: 0o444 });
});

afterAll(() => {
  setMode(folder, { directories: 0o755, files: 0o644 });
  rmSync(home, { recursive: true, force: true });
});

it('runs from a read-only folder without sources, writes only to the state folder and exits with 0', async () => {
  const before = describeFiles(folder);
  const variables = { SECRETS_FILE: join(state, 'secrets.env'), TMPDIR: temporary, HOST: '127.0.0.1' };
  const service = new Service(variables, { folder, state, node, user });
  try {
    await service.start();
    const pipelines = new SyncClient(service);
    const pipeline = await pipelines.createPipeline();
    const pdf = new Uint8Array(readFileSync('examples/harbour-manual.pdf'));
    const file = await service.upload('harbour-manual.pdf', pdf);
    await service.call('PUT', `/api/v1/pipelines/${pipeline}/files`, [{ file_id: file }]);
    expect((await pipelines.sync(pipeline)).status).toBe('SUCCESS');
    const [hit] = await pipelines.search(pipeline, 'lighthouse');
    expect(hit?.node.text).toMatch(/lighthouse/i);
    expect(checkHealth(service).status).toBe(0);
    expect(await service.terminate()).toBe(EXIT.ok);
    expect(describeFiles(folder)).toEqual(before);
    expect(readdirSync(state)).toContain('secrets.env');
  } finally {
    await service.end();
  }
  expect(checkHealth(service)).toMatchObject({ status: 1, stderr: expect.stringContaining('not ready') });
});

it('contains only what the server needs', () => {
  const names = readdirSync(folder).toSorted();
  expect(names).toEqual([
    ...['LICENSE', 'THIRD-PARTY.md', 'dist', 'migrations', 'node_modules', 'ocr', 'package-lock.json'],
    ...['package.json', 'public', 'release.json', 'scripts', 'server', 'src'],
  ]);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const own = JSON.parse(readFileSync('package.json', 'utf8'));
  const { miniflare, node, zod } = { ...own.dependencies, ...own.devDependencies };
  expect(manifest.dependencies).toEqual({ miniflare, node, zod });
  expect(globSync('{src,scripts,server,dist}/**/*.{map,toml,sh}', { cwd: folder })).toEqual([]);
  expect(globSync('src/**/*.ts', { cwd: folder }).toSorted()).toEqual([
    'src/lib/log.ts',
    'src/lib/schema/operation-marks.ts',
    'src/lib/secrets/header-list.ts',
    'src/lib/secrets/redaction.ts',
    'src/lib/secrets/secret-names.ts',
    'src/lib/secrets/secret-variables.ts',
    'src/lib/text/escape-regexp.ts',
    'src/lib/trace.ts',
    'src/settings/identity-providers.ts',
    'src/settings/settings.ts',
  ]);
});

it('lists the license of each bundled or installed package', () => {
  const notices = readFileSync(join(folder, 'THIRD-PARTY.md'), 'utf8');
  const rows = new Map(
    [...notices.matchAll(/^\| (\S+) \S+ \| (.+) \|$/gm)].map(([, name, license]) => [name!, license!]),
  );
  // A Worker's package, a font, a WebAssembly module, the console's, static files, and the runtime.
  for (const name of ['hono', 'dejavu-fonts-ttf', 'tesseract.js-core', 'react', 'swagger-ui-dist']) {
    expect([...rows.keys()]).toContain(name);
  }
  expect(rows.get('miniflare')).toBe('MIT');
  expect(rows.get('workerd')).toBe('Apache-2.0');
  // Copyleft for the libraries that are replaceable files of their own, never for what is inside a bundle.
  const copyleft = [...rows].filter(([, license]) => /GPL/.test(license)).map(([name]) => name);
  expect(copyleft.filter((name) => !name.startsWith('@img/sharp-'))).toEqual([]);
});

it('rejects a folder that is not empty, and a missing folder argument', () => {
  expect(assemble(home)).toMatchObject({ status: 2, stderr: expect.stringContaining('is not empty') });
  expect(assemble()).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('npm run assemble -- FOLDER'),
  });
});

/** What the image's health check does. */
function checkHealth(service: Service) {
  const { status, stderr } = spawnSync(node, ['server/health-check.ts'], {
    cwd: folder,
    env: { ...process.env, HOST: '127.0.0.1', PORT: new URL(service.base).port },
    encoding: 'utf8',
    ...(user !== undefined && { uid: user, gid: user }),
  });
  return { status, stderr };
}

/** Changes the mode of everything in a folder. Files that can be executed stay so. */
function setMode(root: string, { directories, files }: { directories: number; files: number }): void {
  chmodSync(root, 0o755);
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    const path = resolve(root, entry.name);
    if (entry.isDirectory()) setMode(path, { directories, files });
    else if (entry.isFile()) chmodSync(path, files | (statSync(path).mode & 0o111));
  }
  chmodSync(root, directories);
}

/** Names, sizes and times of change of all files and folders. */
function describeFiles(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => {
      const { size, mtimeMs } = statSync(join(root, name));
      return `${name} ${size} ${mtimeMs}`;
    })
    .toSorted();
}
