import { parseArgs } from 'node:util';
import { asked, base, fetchService, runOperatorCommand, ServiceFailure } from './operator.ts';

// Goes through an installation and says what is not as it should be; with --fix it mends what is safe to mend.
// docs/operations.md says what each check looks at.

const { values: options } = parseArgs({
  options: { fix: { type: 'boolean', default: false }, check: { type: 'string', multiple: true } },
});

interface Step {
  examined: number;
  findings: { level: 'warn' | 'fail'; place: string; message: string; mended: boolean }[];
  next_page_token: string | null;
}

/** Each with the size of a page: what the service looks at in one call. */
const CHECKS: Record<string, number> = {
  schema: 100,
  secrets: 100,
  dead_letters: 50,
  syncs: 50,
  jobs: 100,
  webhooks: 100,
  deletions: 50,
  indexes: 20,
  bytes: 200,
  objects: 1000,
};
/** Lines a check prints; the rest is counted. */
const MOST_LINES = 20;

const say = (level: 'ok' | 'warn' | 'fail', text: string) => console.log(`${level.padEnd(5)} ${text}`);

interface Health {
  checks: Record<string, { ok: boolean; error?: string }>;
}

/** Reads `/health`, which needs no key. */
async function readHealth(): Promise<Health> {
  const answer = await fetchService('/health');
  const text = await answer.text();
  try {
    const health = JSON.parse(text) as Partial<Health>;
    if (health.checks) return { checks: health.checks };
  } catch {
    // Told below.
  }
  throw new ServiceFailure(
    `${base}/health answered ${answer.status} without its checks: ${text.slice(0, 300)}`,
  );
}

/**
 * Prints what `/health` says about bindings, models and the schema. `usable` is false if the database lacks tables or
 * columns: then every other check, and the check of the key itself, would fail with an internal error.
 */
async function checkHealth(): Promise<{ isWell: boolean; usable: boolean }> {
  const { checks } = await readHealth();
  const wrong = Object.entries(checks).filter(([, { ok }]) => !ok);
  for (const [name, { error }] of wrong) {
    if (name === 'schema') say('fail', `schema: ${error ?? 'is not up to date'}`);
    else say('fail', `bindings: ${name}: ${error ?? 'is not bound'}`);
  }
  if (wrong.length === 0) say('ok', `bindings: ${Object.keys(checks).length} are there and answer`);
  return { isWell: wrong.length === 0, usable: checks.schema?.ok !== false };
}

/** Page by page. True: nothing is left that is lost or stuck. */
async function check(name: string, page_size: number): Promise<boolean> {
  const all: Step['findings'] = [];
  let examined = 0;
  let token: string | null = null;
  do {
    const body = { check: name, fix: options.fix, page_size, page_token: token };
    const step: Step = await asked('/api/v1/admin/checks', body);
    examined += step.examined;
    all.push(...step.findings);
    token = step.next_page_token;
  } while (token);
  for (const { level, place, message, mended } of all.slice(0, MOST_LINES)) {
    say(mended ? 'ok' : level, `${name}: ${place}: ${message}${mended ? ' Mended.' : ''}`);
  }
  if (all.length > MOST_LINES) console.log(`      ${name}: and ${all.length - MOST_LINES} more`);
  if (all.length === 0) say('ok', `${name}: ${examined} looked at`);
  return all.every(({ level, mended }) => mended || level === 'warn');
}

const wanted = options.check ?? Object.keys(CHECKS);
const unknown = wanted.filter((name) => !Object.hasOwn(CHECKS, name));
if (unknown.length > 0) {
  console.error(`There is no check ${unknown.join(', ')}; there are ${Object.keys(CHECKS).join(', ')}.`);
  process.exit(2);
}
async function examine(): Promise<void> {
  const health = await checkHealth();
  let { isWell } = health;
  if (!health.usable) {
    console.log(
      'The other checks need a complete schema: apply the migrations (npm start, npm run deploy) first.',
    );
    process.exitCode = 1;
    return;
  }
  for (const name of wanted) {
    try {
      isWell = (await check(name, CHECKS[name]!)) && isWell;
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error;
      say('fail', `${name}: ${error.message}`);
      isWell = false;
    }
  }
  if (isWell) return;
  if (!options.fix) console.log('npm run doctor -- --fix mends what is safe to mend.');
  process.exitCode = 1;
}

await runOperatorCommand(examine);
