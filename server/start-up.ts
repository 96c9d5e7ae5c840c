import { createServer } from 'node:net';
import { readSettings } from '#src/settings/settings.ts';
import { EXIT, StartFailure } from './exit-codes.ts';
import { isLoopback, reachableHost, type ServerOptions } from './options.ts';

/** Checks that the port is free. With port 0, it returns the options with a port that the system chose. */
export async function withFreePort(options: ServerOptions): Promise<ServerOptions> {
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

/**
 * Throws a `StartFailure` that names every invalid variable. With invalid variables, the service could not
 * answer any request.
 */
export function requireValidSettings(variables: Record<string, string>): void {
  try {
    readSettings(variables);
  } catch (error) {
    throw new StartFailure(EXIT.badConfiguration, (error as Error).message);
  }
}

/** Maximum duration of a start in milliseconds. A first start on a slow machine takes minutes. */
const START_LIMIT_MS = 5 * 60_000;

/**
 * Waits until the service reports that it is healthy.
 *
 * @throws StartFailure if waiting cannot help, or after the time limit
 */
export async function waitUntilHealthy({ host, port }: ServerOptions): Promise<void> {
  const url = `http://${reachableHost(host)}:${port}/health`;
  const deadline = Date.now() + START_LIMIT_MS;
  let last = 'no answer';
  while (Date.now() < deadline) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    const text = (await answer?.text()) ?? '';
    last = text || last;
    const wrong = findModelError(text);
    if (wrong) {
      throw new StartFailure(EXIT.badConfiguration, `The models are misconfigured: ${wrong}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new StartFailure(EXIT.unavailable, `The service did not become healthy: ${last}`);
}

/**
 * Returns the error in the configuration of models that `/health` reports, or `undefined` if there is none.
 */
function findModelError(body: string): string | undefined {
  try {
    const { checks } = JSON.parse(body) as { checks?: Record<string, { error?: string }> };
    return checks?.models?.error;
  } catch {
    return undefined;
  }
}

/** Prints the service's addresses and the first API key. */
export function printBanner(
  options: ServerOptions,
  environment: NodeJS.ProcessEnv,
  variables: Record<string, string>,
): void {
  const { host, port } = options;
  const base = `http://${reachableHost(host)}:${port}`;
  const note =
    !isLoopback(host) && !environment.PUBLIC_URL
      ? `\n  PUBLIC_URL is not set: signed URLs lead to ${base}, which other machines cannot reach.\n`
      : '';
  console.log(`
  Sluice is up.

  Base URL   ${base}
  Console    ${base}/console/
  API docs   ${base}/docs
  API key    ${describeKey(options, environment, variables)}
${note}`);
}

/**
 * Returns the first API key if the output is a terminal. Otherwise it returns where to find the key, because
 * logs are stored.
 */
function describeKey(
  { secretsFile }: ServerOptions,
  environment: NodeJS.ProcessEnv,
  { BOOTSTRAP_API_KEY = '' }: Record<string, string>,
): string {
  if (process.stdout.isTTY) return BOOTSTRAP_API_KEY;
  return environment.BOOTSTRAP_API_KEY
    ? 'in the environment variable BOOTSTRAP_API_KEY'
    : `BOOTSTRAP_API_KEY in ${secretsFile}`;
}
