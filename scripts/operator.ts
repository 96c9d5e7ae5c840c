import { ensureDevVars } from './dev-vars.ts';
import { describeFailure } from './plain-failure.ts';

/** Address of the service: the local one unless `BASE_URL` names another. */
export const base = process.env.BASE_URL ?? 'http://127.0.0.1:8787';

/** Returns the operator's key: `SLUICE_API_KEY`, or the first key of the local service, which is made if missing. */
export const operatorKey = (): string => process.env.SLUICE_API_KEY ?? ensureDevVars().BOOTSTRAP_API_KEY!;

/** The service cannot be reached, or refused a request. The message says so in one sentence. */
export class ServiceFailure extends Error {}

/** Codes of a failed connection: nothing listens at the address, or the address does not exist. */
const UNREACHABLE = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH'];

/** Sends a request to the service. Throws `ServiceFailure` if no answer comes. */
export async function fetchService(path: string, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(base + path, init);
  } catch (cause) {
    const { code } = ((cause as Error).cause ?? {}) as { code?: unknown };
    const reason = typeof code === 'string' ? code : (cause as Error).message;
    const advice = UNREACHABLE.includes(reason)
      ? ' Start it with npm start, or name another address in BASE_URL.'
      : '';
    throw new ServiceFailure(`The service at ${base} does not answer (${reason}).${advice}`, { cause });
  }
}

/** Throws `ServiceFailure` at once if nothing listens at the service's address. Any answer of the service is enough. */
export async function requireService(): Promise<void> {
  const response = await fetchService('/health/live');
  await response.body?.cancel();
}

/** Asks the service in the name of the operator. Throws `ServiceFailure` unless the service answers 200 with JSON. */
export async function asked<Answer>(path: string, body: object): Promise<Answer> {
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
    throw new ServiceFailure(`The answer of ${base}${path} is not JSON. Is there a Sluice at this address?`);
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
