import { expect, it } from 'vitest';
import { isNetworkFault } from '#src/upstream/retryable.ts';

const coded = (code: string, message = 'failed') => Object.assign(new Error(message), { code });

it.each([
  ['a refused connection', coded('ECONNREFUSED')],
  ['a fault behind another error', new TypeError('fetch failed', { cause: coded('ECONNRESET') })],
  ['a lost connection, as this runtime says it', new Error('Network connection lost.')],
  ['what this runtime marks', Object.assign(new Error('gone'), { retryable: true })],
])('%s is a network fault', (_, error) => expect(isNetworkFault(error)).toBe(true));

it.each([
  ['a refused statement', coded('23505', 'duplicate key value')],
  ['a mistake of ours', new TypeError('x is not a function')],
  ['text', 'ECONNRESET'],
  ['nothing', undefined],
])('%s is no network fault', (_, error) => expect(isNetworkFault(error)).toBe(false));

it('stops at errors with a cyclic cause', () => {
  const error = new Error('no');
  error.cause = error;
  expect(isNetworkFault(error)).toBe(false);
});
