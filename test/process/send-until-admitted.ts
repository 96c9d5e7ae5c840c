import { readBody, type ServiceClient, sleep } from './service.ts';

/** Part of the answer to a request that the service did not start, because too many others were waiting. */
const NOT_ADMITTED = 'Too many requests are waiting.';

/** Maximum number of times that a request is sent. The service asks for pauses of up to 20 seconds between them. */
const MAX_ATTEMPTS = 12;

interface Options {
  attempts?: number;
  wait?: (milliseconds: number) => Promise<unknown>;
}

/**
 * Sends a request, and sends the request again after `Retry-After` as long as the service does not admit the request,
 * as the official clients do. Such a request was not started, so nothing happens twice. Returns every other response,
 * and the last response if the service admits none of the attempts.
 */
export async function sendUntilAdmitted(
  send: () => Promise<Response>,
  { attempts = MAX_ATTEMPTS, wait = sleep }: Options = {},
): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await send();
    if (attempt === attempts || !(await isNotAdmitted(response))) return response;
    const seconds = Number(response.headers.get('retry-after'));
    if (!(seconds >= 1)) throw new Error(`503 without Retry-After: ${await response.text()}`);
    await response.body?.cancel();
    await wait(seconds * 1000);
  }
}

/** Calls an operation until the service admits the request. For tests that send many requests at once. */
export const callUntilAdmitted = async <Body>(
  service: ServiceClient,
  method: string,
  path: string,
  body: unknown,
): Promise<Body> =>
  readBody<Body>(`${method} ${path}`, await sendUntilAdmitted(() => service.fetch(method, path, body)));

const isNotAdmitted = async (response: Response) =>
  response.status === 503 && (await response.clone().text()).includes(NOT_ADMITTED);
