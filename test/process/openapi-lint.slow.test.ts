import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SharedService } from './shared-client.ts';

/** Where the service publishes a description. */
const MOUNTS = ['', '/compat', '/openai'];

type Document = Record<string, unknown>;

/** One problem that a linter found, in a line that a person can read. */
type Problem = string;

const service = new SharedService();
/** Within the project, so that the linters find their packages; git ignores the name. */
const folder = mkdtempSync(join(process.cwd(), 'vitest.tmp-lint-'));
const ruleset = join(folder, 'spectral.json');
const documents: string[] = [];

beforeAll(async () => {
  await service.start();
  writeFileSync(ruleset, JSON.stringify({ extends: [['spectral:oas', 'recommended']] }));
  for (const mount of MOUNTS) {
    const name = mount.slice(1) || 'root';
    documents.push(save(name, await service.call<Document>('GET', `${mount}/openapi.json`)));
  }
});
afterAll(async () => {
  await service.end();
  rmSync(folder, { recursive: true });
});

function save(name: string, document: Document): string {
  const path = join(folder, `${name}.json`);
  writeFileSync(path, JSON.stringify(document));
  return path;
}

/** Runs a command of the project's packages. Its exit code only repeats what its output says. */
function run(name: string, options: string[]): Promise<string> {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const command = join(process.cwd(), 'node_modules', '.bin', name);
  return new Promise((resolve, reject) => {
    execFile(command, options, { cwd: folder, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      if (stdout.trim() === '') reject(new Error(`${name} reported nothing: ${stderr}`, { cause: error }));
      else resolve(stdout);
    });
  });
}

/** Redocly writes a report for each file, so it gets one file a run. */
async function lintWithRedocly(files: string[]): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const file of files) {
    const report = await run('redocly', ['lint', file, '--extends', 'recommended', '--format', 'json']);
    const found = JSON.parse(report) as {
      problems: { ruleId: string; message: string; location: { pointer?: string }[] }[];
    };
    for (const { ruleId, message, location } of found.problems) {
      problems.push(`${ruleId}: ${message} ${basename(file)}${location[0]?.pointer ?? ''}`);
    }
  }
  return problems;
}

async function lintWithSpectral(files: string[]): Promise<Problem[]> {
  const report = await run('spectral', ['lint', ...files, '-r', ruleset, '-f', 'json', '--quiet']);
  const problems = JSON.parse(report) as { code: string; message: string; source: string; path: string[] }[];
  return problems.map(
    ({ code, message, source, path }) => `${code}: ${message} ${basename(source)}#/${path.join('/')}`,
  );
}

const LINTERS = { redocly: lintWithRedocly, spectral: lintWithSpectral };

it.each(Object.entries(LINTERS))('%s reports no problem with its recommended rules', async (_, lint) => {
  expect(await lint(documents)).toEqual([]);
});

it.each(Object.entries(LINTERS))('%s reports a planted mistake', async (name, lint) => {
  const document = await service.call<Document>('GET', '/openai/openapi.json');
  const damaged = save(`damaged-${name}`, { ...document, tags: [], servers: [] });
  const rule = { redocly: 'no-empty-servers', spectral: 'operation-tag-defined' }[name];
  expect(await lint([damaged])).toContainEqual(expect.stringContaining(`${rule}: `));
});

it('headers that are too large are rejected as documented for the health routes', async () => {
  const headers = { 'x-long': 'a'.repeat(1_000_000) };
  const answer = await fetch(`${service.base}/health/live`, { headers });
  expect(answer.status).toBe(431);
  expect(answer.headers.get('content-type')).toBe('text/plain');
  await answer.text();
});
