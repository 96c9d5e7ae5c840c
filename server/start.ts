import { createServer } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { build } from '#scripts/build.ts';
import { ensureDevVars } from '#scripts/dev-vars.ts';
import { takeState } from '#scripts/state-lock.ts';
import { EXIT, StartFailure } from './exit-codes.ts';
import { isLoopback, reachableHost, readOptions, type ServerOptions } from './options.ts';
import { parserVariables, serviceVariables } from './variables.ts';

// `npm start`: checks the settings and the state, starts the supervisor, and ends with a code of exit-codes.ts.

/** This process only supervises, so a small young generation of its heap is enough. */
setFlagsFromString('--max-semi-space-size=1');
/** Read first: whoever started this process may be gone before the service is up. */
const parent = process.ppid;

async function main(): Promise<void> {
  const options = await withFreePort(readOptions({ environment: process.env }));
  if (!(await takeState(options.stateDir))) {
    throw new StartFailure(
      EXIT.stateInUse,
      `The state in ${options.stateDir} is in use by another Sluice. Choose another folder: STATE_DIR=… npm start`,
    );
  }
  await build();
  const secrets = ensureDevVars(options.secretsFile);
  const { migrate } = await import('./service/migrate.ts');
  await migrate(options.stateDir);
  const { Supervisor } = await import('./supervisor.ts');
  const variables = serviceVariables(process.env, secrets, options);
  const supervisor = new Supervisor({
    options,
    serviceVariables: variables,
    parserVariables: parserVariables(process.env),
    replaced: { serviceEntry: process.env.SERVICE_ENTRY, parserConfig: process.env.PARSER_CONFIG },
  });
  endOnSignal(supervisor);
  await supervisor.start();
  await untilHealthy(options);
  printBanner(options, variables);
}

/** Stops the server once, on the first signal or when the process that started it is gone. */
function endOnSignal(supervisor: { stop(): Promise<void> }): void {
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    console.log('Sluice is shutting down.');
    await supervisor.stop();
    process.exit(EXIT.ok);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  setInterval(() => process.ppid === parent || stop(), 1000).unref();
}

/** The port that the system chose if none was asked for. */
async function withFreePort(options: ServerOptions): Promise<ServerOptions> {
  const { host, port } = options;
  const found = await new Promise<number | undefined>((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(undefined));
    probe.listen(port, host === '*' ? undefined : host, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
    });
  });
  if (found !== undefined) return { ...options, port: found };
  throw new StartFailure(
    EXIT.unavailable,
    `Cannot listen on ${host}, port ${port}: it is in use or does not belong to this machine. Choose another: PORT=8788 npm start`,
  );
}

/** How long a first start may take on a slow machine. */
const START_LIMIT_MS = 5 * 60_000;

/** @throws StartFailure with what is unhealthy when waiting cannot help, or after the limit */
async function untilHealthy({ host, port }: ServerOptions): Promise<void> {
  const url = `http://${reachableHost(host)}:${port}/health`;
  const deadline = Date.now() + START_LIMIT_MS;
  let last = 'no answer';
  while (Date.now() < deadline) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    const text = (await answer?.text()) ?? '';
    last = text || last;
    const wrong = wrongModels(text);
    if (wrong) {
      throw new StartFailure(EXIT.badConfiguration, `The models are misconfigured: ${wrong}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new StartFailure(EXIT.unavailable, `The service did not become healthy: ${last}`);
}

/** What is wrong with the variables of models, according to `/health`; `undefined` if nothing is. */
function wrongModels(body: string): string | undefined {
  try {
    const { checks } = JSON.parse(body) as { checks?: Record<string, { error?: string }> };
    return checks?.models?.error;
  } catch {
    return undefined;
  }
}

function printBanner({ host, port }: ServerOptions, variables: Record<string, string>): void {
  const base = `http://${reachableHost(host)}:${port}`;
  const note =
    !isLoopback(host) && !process.env.PUBLIC_URL
      ? `\n  PUBLIC_URL is not set: signed URLs lead to ${base}, which other machines cannot reach.\n`
      : '';
  console.log(`
  Sluice is up.

  Base URL   ${base}
  Console    ${base}/console/
  API docs   ${base}/docs
  API key    ${variables.BOOTSTRAP_API_KEY}
${note}`);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof StartFailure)) console.error(error);
  else console.error(error.message);
  process.exit(error instanceof StartFailure ? error.code : EXIT.failure);
}
