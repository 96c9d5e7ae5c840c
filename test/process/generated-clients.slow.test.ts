import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SharedService } from './shared-client.ts';

interface Client {
  firstSteps(base: string, key: string): Promise<string[]>;
}

const run = promisify(execFile);
const bin = (name: string) => join(process.cwd(), 'node_modules', '.bin', name);

const service = new SharedService();
/** Folder within the project, so that generated code finds its dependencies. Git ignores it. */
const folder = mkdtempSync(join(process.cwd(), 'vitest.tmp-clients-'));
const document = join(folder, 'openapi.json');

beforeAll(async () => {
  await service.start();
  writeFileSync(document, JSON.stringify(await service.call('GET', '/openapi.json')));
});
afterAll(async () => {
  await service.end();
  rmSync(folder, { recursive: true });
});

const client = join(folder, 'sluice-client');

/** Commands by the program in `clients` that imports what the command writes into the folder. */
const GENERATORS: Record<string, string[]> = {
  'sluice-client': [resolve('scripts/client/main.ts'), '--output', client],
  'swagger-typescript-api': [
    bin('swagger-typescript-api'),
    'generate',
    '--path',
    document,
    '--output',
    folder,
    '--name',
    'generated-swagger-typescript-api.ts',
  ],
};

/** Compiler options of a typical project. */
const COMPILER = {
  compilerOptions: {
    target: 'ES2024',
    module: 'ESNext',
    moduleResolution: 'Bundler',
    lib: ['ES2024', 'DOM', 'DOM.Iterable'],
    types: [],
    strict: true,
    allowImportingTsExtensions: true,
    noEmit: true,
  },
};

it('OpenAPI 3.1 document is valid and its references resolve', async () => {
  const validator = new Validator();
  const found = await validator.validate(document);
  expect(found.errors ?? []).toEqual([]);
  expect(found.valid).toBe(true);
  expect(validator.version).toBe('3.1');
  expect(() => validator.resolveRefs()).not.toThrow();
});

it.each(Object.entries(GENERATORS))(
  '%s generates a client that compiles and works',
  async (name, command) => {
    await run(process.execPath, command);
    copyFileSync(`test/process/clients/${name}.ts`, join(folder, `${name}.ts`));
    const settings = join(folder, `${name}.json`);
    writeFileSync(settings, JSON.stringify({ ...COMPILER, files: [`${name}.ts`] }));
    const compiled = await run(bin('tsc'), ['-p', settings]).catch((error: { stdout: string }) => error);
    expect(compiled.stdout).toBe('');
    const { firstSteps } = (await import(join(folder, `${name}.ts`))) as Client;
    const [code, ...texts] = await firstSteps(service.base, service.key);
    expect(code).toBe('not_found');
    expect(texts).toEqual([expect.stringContaining('The harbour opens at nine.')]);
  },
);

it('the package of the client has the release, and the description that the service serves', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(JSON.parse(readFileSync(join(client, 'package.json'), 'utf8'))).toMatchObject({ version });
  const describe = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
  expect(describe(join(client, 'source/openapi.json'))).toEqual(describe(document));
});
