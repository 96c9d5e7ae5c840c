import { createServer } from 'node:net';
import { EXIT, StartFailure } from './exit-codes.ts';
import { isLoopback, reachableHost, type ServerOptions } from './options.ts';

/** The port that the system chose if none was asked for. */
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

/** How long a first start may take on a slow machine. */
const START_LIMIT_MS = 5 * 60_000;

/** @throws StartFailure with what is unhealthy when waiting cannot help, or after the limit */
export async function untilHealthy({ host, port }: ServerOptions): Promise<void> {
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

/** Tells where the service is and with which key to begin. */
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

/** The first API key if a person reads it at a terminal. Logs are kept, so they only say where the key is. */
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
