import { describe, expect, it } from 'vitest';
import { listSecrets, removeCredentials } from '#src/upstream/scrub.ts';

/** Secrets of every length from one character. None is a word of the messages. */
const SECRETS = Array.from({ length: 12 }, (_, index) => 'Zq7Xw9Kv3Jh5'.slice(0, index + 1));

/** Places of a credential in a request. */
const PLACES: Record<string, (secret: string) => [url: URL, headers: Headers, body?: unknown]> = {
  'a bearer token': (secret) => [
    new URL('https://a.example'),
    new Headers({ authorization: `Bearer ${secret}` }),
  ],
  'a basic password': (secret) => [
    new URL('https://a.example'),
    new Headers({ authorization: `Basic ${btoa(`user:${secret}`)}` }),
  ],
  'a header of a key': (secret) => [new URL('https://a.example'), new Headers({ 'api-key': secret })],
  'a cookie': (secret) => [new URL('https://a.example'), new Headers({ cookie: `a=1; session=${secret}` })],
  'a parameter of the URL': (secret) => [new URL(`https://a.example/?key=${secret}`), new Headers()],
  'a password in the URL': (secret) => [new URL(`https://user:${secret}@a.example/`), new Headers()],
  'a form': (secret) => [
    new URL('https://a.example'),
    new Headers(),
    new URLSearchParams({ client_secret: secret, grant_type: 'client_credentials' }),
  ],
};

describe.each(Object.entries(PLACES))('secret in %s', (_, request) => {
  it.each(SECRETS)('%s is removed from a message', (secret) => {
    const said = `Incorrect API key provided: ${secret}. Got "${secret}" (${secret})`;
    expect(removeCredentials(said, listSecrets(...request(secret)))).toBe(
      'Incorrect API key provided: [removed]. Got "[removed]" ([removed])',
    );
  });
});

it('keeps short unmarked values and the words around a short secret', () => {
  const headers = new Headers({ authorization: 'Bearer no', 'x-api-version': '2' });
  const secrets = listSecrets(new URL('https://a.example/?limit=5'), headers);
  expect(removeCredentials('There is nothing at page 5 of version 2, no.', secrets)).toBe(
    'There is nothing at page 5 of version 2, [removed].',
  );
});
