import { parseArgs } from 'node:util';
import { isLoopback } from '#server/options.ts';
import { reportUse } from '#src/services/operating/platform-limits/limit.ts';
import { MACHINE_LIMITS, type MachineLimitName } from '#src/services/operating/platform-limits/registry.ts';
import { listStateEntries, stateFolder } from './local-state/folder.ts';
import { measureMachine } from './machine-limits/measure.ts';
import { base, fetchService, postAsOperator, runOperatorCommand, ServiceFailure } from './operator.ts';

// Checks an installation and reports problems. With --fix it repairs problems that are safe to repair.
// docs/how-to/monitor.md describes each check.

const { values: options } = parseArgs({
  options: { fix: { type: 'boolean', default: false }, check: { type: 'string', multiple: true } },
});

interface Step {
  examined: number;
  findings: { level: 'warn' | 'fail'; place: string; message: string; mended: boolean }[];
  next_page_token: string | null;
}

/** Page size of each check: the number of items that the service examines per call. */
const CHECKS: Record<string, number> = {
  schema: 100,
  secrets: 100,
  limits: 100,
  dead_letters: 50,
  syncs: 50,
  jobs: 100,
  webhooks: 100,
  deletions: 50,
  indexes: 20,
  bytes: 200,
  objects: 1000,
};
/** Maximum number of lines printed per check. Further findings are counted. */
const MAX_LINES = 20;

const printLine = (level: 'ok' | 'warn' | 'fail', text: string) => console.log(`${level.padEnd(5)} ${text}`);

interface Health {
  checks: Record<string, { ok: boolean; error?: string }>;
}

/** Reads the service's health report from `/health`, which needs no API key. */
async function readHealth(): Promise<Health> {
  const answer = await fetchService('/health');
  const text = await answer.text();
  try {
    const health = JSON.parse(text) as Partial<Health>;
    if (health.checks) return { checks: health.checks };
  } catch {
    // The response is not JSON. The error thrown below says so.
  }
  throw new ServiceFailure(
    `${base}/health answered ${answer.status} without the results of its checks: ${text.slice(0, 300)}`,
  );
}

/**
 * Prints what `/health` reports about bindings, models and the schema. `usable` is false if the database
 * lacks tables or columns, because every other check would then fail with an internal error.
 */
async function checkHealth(): Promise<{ isWell: boolean; usable: boolean }> {
  const { checks } = await readHealth();
  const wrong = Object.entries(checks).filter(([, { ok }]) => !ok);
  for (const [name, { error }] of wrong) {
    if (name === 'schema') printLine('fail', `schema: ${error ?? 'is not up to date'}`);
    else printLine('fail', `bindings: ${name}: ${error ?? 'is not bound'}`);
  }
  if (wrong.length === 0) printLine('ok', `bindings: ${Object.keys(checks).length} checked`);
  return { isWell: wrong.length === 0, usable: checks.schema?.ok !== false };
}

/** Prints findings and the number of examined items. Returns true if no failure remains. */
function printFindings(name: string, examined: number, all: Step['findings']): boolean {
  for (const { level, place, message, mended } of all.slice(0, MAX_LINES)) {
    printLine(mended ? 'ok' : level, `${name}: ${place}: ${message}${mended ? ' Repaired.' : ''}`);
  }
  if (all.length > MAX_LINES) console.log(`      ${name}: and ${all.length - MAX_LINES} more`);
  if (all.length === 0) printLine('ok', `${name}: ${examined} checked`);
  return all.every(({ level, mended }) => mended || level === 'warn');
}

/**
 * Checks the limits of this machine, if the service stores its state here. Returns true if none is reached.
 */
function checkMachine(): boolean {
  const state = stateFolder();
  if (!isLoopback(new URL(base).hostname) || !listStateEntries(state).includes('v3')) return true;
  const measured = Object.entries(measureMachine(state));
  const findings = measured.flatMap(([name, uses]) =>
    uses.flatMap((use) => reportUse(name, MACHINE_LIMITS[name as MachineLimitName], use)),
  );
  return printFindings('machine', measured.length, findings);
}

/** Runs a check page by page. Returns true if no failure remains. */
async function check(name: string, page_size: number): Promise<boolean> {
  const all: Step['findings'] = [];
  let examined = 0;
  let token: string | null = null;
  do {
    const body = { check: name, fix: options.fix, page_size, page_token: token };
    const step: Step = await postAsOperator('/api/v1/admin/checks', body);
    examined += step.examined;
    all.push(...step.findings);
    token = step.next_page_token;
  } while (token);
  return printFindings(name, examined, all);
}

const wanted = options.check ?? Object.keys(CHECKS);
const unknown = wanted.filter((name) => !Object.hasOwn(CHECKS, name));
if (unknown.length > 0) {
  console.error(`Unknown check: ${unknown.join(', ')}. Possible checks: ${Object.keys(CHECKS).join(', ')}.`);
  process.exit(2);
}
async function examine(): Promise<void> {
  const health = await checkHealth();
  let { isWell } = health;
  if (!health.usable) {
    console.log(
      'The other checks need a complete schema. First apply the migrations with npm start or npm run deploy.',
    );
    process.exitCode = 1;
    return;
  }
  for (const name of wanted) {
    try {
      isWell = (await check(name, CHECKS[name]!)) && isWell;
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error;
      printLine('fail', `${name}: ${error.message}`);
      isWell = false;
    }
  }
  if (options.check === undefined) isWell = checkMachine() && isWell;
  if (isWell) return;
  if (!options.fix) console.log('Run npm run doctor -- --fix to repair what can be repaired safely.');
  process.exitCode = 1;
}

await runOperatorCommand(examine);
