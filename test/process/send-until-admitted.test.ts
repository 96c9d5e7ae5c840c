import { expect, it } from 'vitest';
import { sendUntilAdmitted } from './send-until-admitted.ts';

const DETAIL = 'Too many requests are waiting. Send the request again later.';
const busy = (headers: Record<string, string> = { 'retry-after': '7' }) =>
  Response.json({ detail: DETAIL }, { status: 503, headers });

/** Returns a function that sends a request and gets these responses, and the waiting times in milliseconds. */
function answerWith(...responses: Response[]) {
  const waited: number[] = [];
  const wait = async (milliseconds: number) => {
    waited.push(milliseconds);
  };
  return { send: async () => responses.shift()!, wait, waited, left: responses };
}

it('sends a request again after the time that the service asks for', async () => {
  const { send, wait, waited } = answerWith(busy(), busy({ 'retry-after': '2' }), Response.json({ id: 'a' }));
  const response = await sendUntilAdmitted(send, { wait });
  expect(await response.json()).toEqual({ id: 'a' });
  expect(waited).toEqual([7_000, 2_000]);
});

it('returns the last response if no attempt is admitted', async () => {
  const { send, wait, waited, left } = answerWith(busy(), busy(), busy(), busy());
  const response = await sendUntilAdmitted(send, { attempts: 3, wait });
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({ detail: DETAIL });
  expect(waited).toHaveLength(2);
  expect(left).toHaveLength(1);
});

it.each([
  ['another failure', Response.json({ detail: 'The database is away.' }, { status: 503 })],
  ['a rate limit', Response.json({ detail: 'Too many requests.' }, { status: 429 })],
])('does not send a request again after %s', async (_, response) => {
  const { send, wait, waited } = answerWith(response);
  expect(await sendUntilAdmitted(send, { wait })).toBe(response);
  expect(waited).toEqual([]);
});

it('fails if the service does not say when to send the request again', async () => {
  const { send, wait } = answerWith(busy({}));
  await expect(sendUntilAdmitted(send, { wait })).rejects.toThrow('503 without Retry-After');
});
