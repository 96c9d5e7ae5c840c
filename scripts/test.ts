import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { REPORT_FOLDER, type RunReport } from '#test/support/run-reporter.ts';
import { build } from './build.ts';
import { ensureDevVars } from './dev-vars.ts';

/**
 * Runs tests. Without arguments these are all tests except the slow ones, and `npm run check`. With `--slow`, these are
 * the slow tests: files whose names end in `.slow.test.ts`. Other arguments are passed to a single Vitest, which runs
 * both kinds.
 */

interface Step {
  name: string;
  command: string[];
}

const require = createRequire(import.meta.url);
const VITEST = join(dirname(require.resolve('vitest/package.json')), 'vitest.mjs');
const node = (...command: string[]) => [process.execPath, ...command];
const project = (name: string): Step => ({ name, command: node(VITEST, 'run', '--project', name) });
const check: Step = { name: 'check', command: ['npm', 'run', '-s', 'check'] };
const mutants: Step = { name: 'mutants', command: node('scripts/mutants/run.ts', '--changed') };

/** Steps by group. Groups run in parallel, and the steps of a group one after the other. */
const GROUPS = {
  usual: [
    [project('service')],
    [project('process'), project('computing'), project('console'), project('modules'), check],
  ],
  slow: [
    [project('process')],
    [project('console')],
    [project('modules'), project('service'), project('computing'), mutants],
  ],
};

/** Number of tests that may pass on a retry. More than a few mean that tests depend on the speed of the machine. */
const MOST_RETRIED = 3;
const SLOWEST_FILES = 20;

/** A file system in memory, on Linux, and the free space in bytes that the tests leave on it. */
const IN_MEMORY = '/dev/shm';
const LEAST_FREE = 6 * 1024 ** 3;

/**
 * Creates the folder for the temporary files of a run. It is in memory if there is room, because the databases of the
 * tests wait for the disk at every write.
 */
function createTemporaryFolder(): string {
  const isRoomy = () => {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize > LEAST_FREE;
  };
  const parent = existsSync(IN_MEMORY) && isRoomy() ? IN_MEMORY : tmpdir();
  const folder = mkdtempSync(join(parent, 'sluice-tests-'));
  // Tests that run as root start a database that refuses to run as root, and it writes here as another user.
  chmodSync(folder, 0o1777);
  return folder;
}

const running = new Set<ChildProcess>();
const counts = new Map<string, number>();
let isInterrupted = false;

/** Runs a command and resolves with its exit code. The code is 1 if a signal ended the run. */
function run([program, ...args]: string[], environment: NodeJS.ProcessEnv, name?: string): Promise<number> {
  const child = spawn(program!, args, {
    stdio: name ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    env: { ...(process.stdout.isTTY && { FORCE_COLOR: '1' }), ...process.env, ...environment },
  });
  running.add(child);
  if (name) {
    printLines(child.stdout!, process.stdout, name);
    printLines(child.stderr!, process.stderr, name);
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      running.delete(child);
      resolve(code ?? 1);
    });
  });
}

/** Prints whole lines with the name of the run, so that the lines of two runs do not mix. */
function printLines(from: NodeJS.ReadableStream, to: NodeJS.WritableStream, name: string): void {
  createInterface({ input: from }).on('line', (line) => {
    to.write(`${name.padEnd(7)} | ${line}\n`);
    count(stripVTControlCharacters(line));
  });
}

/** Adds the numbers of tests to the totals if the line contains Vitest's results. */
function count(line: string): void {
  if (!/^ +Tests {2}/.test(line)) return;
  for (const [, number, word] of line.matchAll(/(\d+) (passed|failed|skipped)/g)) {
    counts.set(word!, (counts.get(word!) ?? 0) + Number(number));
  }
}

/** Formats the total in the same way as a single Vitest run, for tools that read the last lines. */
function summary(): string {
  const all = [...counts.values()].reduce((sum, number) => sum + number, 0);
  const parts = ['failed', 'passed', 'skipped'].flatMap((word) =>
    counts.has(word) ? [`${counts.get(word)} ${word}`] : [],
  );
  return `      Tests  ${parts.join(' | ')} (${all})`;
}

async function runAll(kind: keyof typeof GROUPS): Promise<number> {
  rmSync(REPORT_FOLDER, { recursive: true, force: true });
  // The build and the local secrets are created first. Otherwise several test runs would create the same
  // files at the same time.
  await build();
  ensureDevVars();
  const temporary = createTemporaryFolder();
  // Tests start Node and wrangler many times, which takes less time with code that is compiled already.
  const environment = { TESTS: kind, TMPDIR: temporary, NODE_COMPILE_CACHE: join(temporary, 'compiled') };
  const ended: { name: string; code: number; seconds: number }[] = [];
  const runGroup = async (steps: Step[]) => {
    for (const { name, command } of steps) {
      if (isInterrupted) return;
      const start = performance.now();
      const code = await run(command, environment, name);
      ended.push({ name, code, seconds: Math.round((performance.now() - start) / 1000) });
    }
  };
  const start = performance.now();
  await Promise.all(GROUPS[kind].map(runGroup));
  rmSync(temporary, { recursive: true, force: true });
  const isStable = printReports();
  for (const { name, code, seconds } of ended) {
    console.log(`${name.padEnd(7)} ${code === 0 ? 'passed' : `FAILED, exit code ${code}`}, ${seconds} s`);
  }
  console.log(`All steps took ${Math.round((performance.now() - start) / 1000)} s.`);
  console.log(summary());
  const isComplete = ended.length === GROUPS[kind].flat().length;
  return isComplete && isStable && ended.every(({ code }) => code === 0) ? 0 : 1;
}

/** Prints the slowest files, and the retried and failed tests. Returns whether few enough tests were retried. */
function printReports(): boolean {
  const reports = readdirSync(REPORT_FOLDER).map(
    (name) => JSON.parse(readFileSync(join(REPORT_FOLDER, name), 'utf8')) as RunReport,
  );
  const files = reports.flatMap((report) => Object.entries(report.files));
  console.log('\nSlowest files:');
  for (const [file, milliseconds] of files.sort(([, a], [, b]) => b - a).slice(0, SLOWEST_FILES)) {
    console.log(`${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${file}`);
  }
  const retried = reports.flatMap((report) => report.retried);
  console.log(`\nTests that passed only when they were run once more: ${retried.length}`);
  for (const { test, reason } of retried) console.log(`  ${test}\n${reason.replace(/^/gm, '    ')}`);
  for (const { test, reason } of reports.flatMap((report) => report.failed)) {
    console.log(`\nFAILED: ${test}\n${reason.replace(/^/gm, '    ')}`);
  }
  if (retried.length <= MOST_RETRIED) return true;
  console.log(`FAILED: at most ${MOST_RETRIED} tests may pass on a retry.`);
  return false;
}

// A terminal sends an interrupt to every process, but other senders only to this one. Each run ends the
// processes that it started.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    isInterrupted = true;
    for (const child of running) child.kill(signal);
  });
}

const args = process.argv.slice(2);
if (args.length === 0) process.exitCode = await runAll('usual');
else if (args[0] === '--slow') process.exitCode = await runAll('slow');
else process.exitCode = await run(node(VITEST, 'run', ...args), { TESTS: 'all' });
