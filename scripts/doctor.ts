import { parseArgs } from 'node:util';
import { asked, base } from './operator.ts';

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

/** Whether everything that the service is bound to is there and answers. */
async function checkHealth(): Promise<boolean> {
  const answer = await fetch(`${base}/health`);
  const { checks } = (await answer.json()) as { checks: Record<string, { ok: boolean; error?: string }> };
  const wrong = Object.entries(checks).filter(([, { ok }]) => !ok);
  for (const [name, { error }] of wrong) say('fail', `bindings: ${name}: ${error ?? 'is not bound'}`);
  if (wrong.length === 0) say('ok', `bindings: ${Object.keys(checks).length} are there and answer`);
  return wrong.length === 0;
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
let isWell = await checkHealth();
for (const name of wanted) {
  try {
    isWell = (await check(name, CHECKS[name]!)) && isWell;
  } catch (error) {
    say('fail', `${name}: ${error instanceof Error ? error.message : String(error)}`);
    isWell = false;
  }
}
if (!isWell) {
  if (!options.fix) console.log('npm run doctor -- --fix mends what is safe to mend.');
  process.exitCode = 1;
}
