import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** Generators, each of which writes `generated-<name>.ts` into the folder. */
const GENERATORS: Record<string, string[]> = {
  oazapfts: [document, 'generated-oazapfts.ts'],
  'swagger-typescript-api': [
    'generate',
    '--path',
    document,
    '--output',
    '.',
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
  async (name, options) => {
    await run(bin(name), options, { cwd: folder });
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
