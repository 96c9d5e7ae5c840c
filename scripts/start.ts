import { createServer } from 'node:net';
import { build } from './build.ts';
import { ensureDevVars } from './dev-vars.ts';
import { takeState } from './state-lock.ts';
import { startWrangler, wrangler } from './wrangler.ts';

/** Read before anything else: whoever started this may be gone before it is up. */
const parent = process.ppid;
const port = process.env.PORT ?? '8787';
const base = `http://127.0.0.1:${port}`;
/** Where database, files and objects are kept; `npm run reset` clears the default place. */
const persist = process.env.STATE_DIR ? ['--persist-to', process.env.STATE_DIR] : [];

/** A first start builds and migrates, on a slow machine in more than a minute; beyond this something is wrong. */
const START_LIMIT_MS = 5 * 60_000;

/** Variables of the caller's environment that the service takes over; the parser gets the whole of it. */
const PASSED_ON = [
  'ALLOW_PRIVATE_ADDRESSES',
  'ALLOWED_ORIGINS',
  'CHAT_RESUME_SECONDS',
  'ENCRYPTION_KEYS_PREVIOUS',
  'LOG_LEVEL',
  'MAX_FILE_MIB',
  'METRICS_SECONDS',
  'PUBLIC_URL',
  'RESTART_WAIT_SECONDS',
  'RETENTION_FILES_DAYS',
  'RETENTION_JOBS_DAYS',
  'RETENTION_PARSES_DAYS',
  'RETENTION_USAGE_DAYS',
  'RETENTION_WEBHOOK_DELIVERIES_DAYS',
  'RATE_LIMIT_BOOTSTRAP_KEY',
  'RATE_LIMIT_REQUESTS',
  'RATE_LIMIT_SIGN_INS',
  'RATE_LIMIT_WRONG_KEYS',
  'SILENCE_SECONDS',
  'TRUSTED_PROXY',
  'TRUSTED_PROXY_HOPS',
  'PAGE_READING_SECONDS',
  'LLM_BASE_URL',
  'LLM_API_KEY',
  'LLM_MODEL',
  'LLM_MODELS',
  'LLM_DEFAULTS',
  'LLM_DAILY_TOKENS',
  'PROJECT_FILES',
  'PROJECT_BYTES',
  'PROJECT_PAGES_PER_DAY',
  'PROJECT_CONCURRENT_JOBS',
  'RERANK_MODEL',
  'RERANK_BASE_URL',
  'RERANK_API_KEY',
  'RERANK_MODELS',
  'EMBEDDING_BASE_URL',
  'EMBEDDING_MODEL',
  'EMBEDDING_API_KEY',
];

if (!(await isFree(Number(port)))) {
  console.error(`Port ${port} is in use. Choose another: PORT=8788 npm start`);
  process.exit(1);
}
if (!(await takeState(process.env.STATE_DIR ?? '.wrangler/state'))) {
  console.error('Its state is in use by another Sluice. Choose another place: STATE_DIR=… npm start');
  process.exit(1);
}
build();
const secrets = ensureDevVars();
wrangler('d1', 'migrations', 'apply', 'DB', '--local', ...persist);

/** Each line costs a request on its way through the development server 2 ms, so few are written unless asked for. */
const environment: NodeJS.ProcessEnv = {
  LOG_LEVEL: 'warn',
  // What is signed leads here, whatever Host a request names; a browser may know this machine by its other name.
  PUBLIC_URL: base,
  ALLOWED_ORIGINS: `http://localhost:${port}`,
  // Whoever runs the service here may do with it what they like.
  RATE_LIMIT_BOOTSTRAP_KEY: 'false',
  ...process.env,
};
/** Variables that the definitions of models name, as in `{"variable": "OPENAI_API_KEY"}`. */
const named = [
  ...`${environment.LLM_MODELS} ${environment.RERANK_MODELS}`.matchAll(/"variable"\s*:\s*"(\w+)"/g),
].map(([, name]) => name!);
const passed = [...PASSED_ON, ...named].flatMap((name) => {
  const value = environment[name];
  return value === undefined ? [] : ['--var', `${name}:${value}`];
});
/** `SERVICE_ENTRY`, `PARSER_CONFIG`: what tests and measurements put around the service and the parser. */
const service = startWrangler(
  'dev',
  ...(process.env.SERVICE_ENTRY ? [process.env.SERVICE_ENTRY] : []),
  '-c',
  'wrangler.toml',
  '-c',
  process.env.PARSER_CONFIG ?? 'parser/wrangler.toml',
  '-c',
  'ocr/wrangler.toml',
  '--local',
  '--ip',
  '127.0.0.1',
  '--port',
  port,
  '--show-interactive-dev-session=false',
  ...persist,
  ...passed,
);
const verbose = environment.LOG_LEVEL === 'info';
const failures: string[] = [];
for (const stream of [service.stdout!, service.stderr!]) {
  stream.setEncoding('utf8').on('data', (text: string) => {
    // Not the names of variables, which are listed at the start.
    if (verbose || /(?<!_)error(?!_)/i.test(text)) process.stdout.write(text);
    failures.push(text);
    failures.splice(0, failures.length - 50);
  });
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => service.kill(signal));
// Whoever started this may be gone without a signal; nothing of it is to stay behind.
setInterval(() => process.ppid === parent || service.kill('SIGTERM'), 1000).unref();
service.on('exit', (code) => process.exit(code ?? 0));

const deadline = Date.now() + START_LIMIT_MS;
while (!(await isHealthy())) {
  const wrong = await wrongModels();
  if (service.exitCode !== null || wrong || Date.now() > deadline) {
    process.stderr.write(wrong ? `The models are misconfigured: ${wrong}\n` : failures.join(''));
    service.kill();
    process.exit(1);
  }
  await new Promise((resolve) => setTimeout(resolve, 100));
}
console.log(`
  Sluice is up.

  Base URL   ${base}
  Console    ${base}/console/
  API docs   ${base}/docs
  API key    ${secrets.BOOTSTRAP_API_KEY}
`);

function isHealthy(): Promise<boolean> {
  return fetch(`${base}/health`).then(
    (answer) => answer.ok,
    () => false,
  );
}

/** What is wrong with the variables of models, which no waiting mends. */
async function wrongModels(): Promise<string | undefined> {
  const answer = await fetch(`${base}/health`).catch(() => undefined);
  if (answer?.status !== 503) return undefined;
  const { checks } = (await answer.json()) as { checks?: Record<string, { error?: string }> };
  return checks?.models?.error;
}

function isFree(wanted: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(wanted, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
