import { reachableHost, readOptions } from './options.ts';

// Health check of the container image. Exits with 0 if the server on this machine is ready for requests, and
// with 1 otherwise. Reads HOST and PORT as the server does.

/** Timeout in milliseconds. It is shorter than the timeout in the Dockerfile. */
const LIMIT_MS = 4_000;

const { host, port } = readOptions({ environment: process.env });
const ask = (path: string) =>
  fetch(`http://${reachableHost(host)}:${port}${path}`, { signal: AbortSignal.timeout(LIMIT_MS) });

try {
  const ready = await ask('/health/ready');
  // An older release without the readiness check answers 404, so `/health` is requested instead.
  const answer = ready.status === 404 ? await ask('/health') : ready;
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  process.exit(0);
} catch (error) {
  console.error(`The server is not ready: ${error instanceof Error ? error.message : error}`);
  process.exit(1);
}
