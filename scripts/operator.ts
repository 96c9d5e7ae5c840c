import { describeFailure } from './describe-failure.ts';
import { ensureDevVars } from './dev-vars.ts';

/** Base URL of the service: `BASE_URL` if it is set, otherwise the service on this machine. */
export const base = process.env.BASE_URL ?? 'http://127.0.0.1:8787';

/**
 * Returns the operator's key: `SLUICE_API_KEY`, or the first key of the local service, which is generated if
 * missing.
 */
export const operatorKey = (): string => process.env.SLUICE_API_KEY ?? ensureDevVars().BOOTSTRAP_API_KEY!;

/**
 * Error for a service that cannot be reached or that rejected a request. The message is one sentence for the
 * operator.
 */
export class ServiceFailure extends Error {}

/** Error codes of a failed connection: nothing listens at the address, or the address does not exist. */
const UNREACHABLE = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH'];

/** Sends a request to the service. Throws `ServiceFailure` if the service does not respond. */
export async function fetchService(path: string, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(base + path, init);
  } catch (cause) {
    const { code } = ((cause as Error).cause ?? {}) as { code?: unknown };
    const reason = typeof code === 'string' ? code : (cause as Error).message;
    const advice = UNREACHABLE.includes(reason)
      ? ' Start it with npm start, or set BASE_URL to another address.'
      : '';
    throw new ServiceFailure(`The service at ${base} does not answer (${reason}).${advice}`, { cause });
  }
}

/**
 * Throws `ServiceFailure` if nothing listens at the service's address. Any response of the service is
 * accepted.
 */
export async function requireService(): Promise<void> {
  const response = await fetchService('/health/live');
  await response.body?.cancel();
}

/**
 * Sends a POST request with the operator's key. Throws `ServiceFailure` unless the service responds with
 * success and JSON.
 */
export async function postAsOperator<Answer>(path: string, body: object): Promise<Answer> {
  const answer = await fetchService(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${operatorKey()}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new ServiceFailure(`${answer.status} ${text}`);
  try {
    return JSON.parse(text) as Answer;
  } catch {
    throw new ServiceFailure(
      `The answer of ${base}${path} is not JSON. Check that BASE_URL is the address of a Sluice service.`,
    );
  }
}

/** Runs an operator's command. If it fails, prints one sentence and sets the exit code. */
export async function runOperatorCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (cause) {
    console.error(describeFailure(cause, [ServiceFailure]));
    process.exitCode = 2;
  }
}
