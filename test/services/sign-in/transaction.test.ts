import { describe, expect, it } from 'vitest';
import {
  chooseReturnPath,
  openTransaction,
  sealTransaction,
  type Transaction,
} from '#src/services/sign-in/transaction.ts';

const SECRET = 'a secret that only this test uses';
const transaction: Transaction = {
  provider: 'harbour',
  state: 'state',
  nonce: 'nonce',
  verifier: 'verifier',
  returnTo: '/console/',
  end: Date.now() + 60_000,
};

describe('the path to open after a sign-in', () => {
  it.each(['/console/', '/console/files?q=1'])('may be %s', (path) => {
    expect(chooseReturnPath(path)).toBe(path);
  });

  it.each([
    ...[
      'https://evil.example',
      'https://evil.example/console/',
      '//evil.example/console/',
      '/\\evil.example',
    ],
    ...[
      '/console/../api/v1/session',
      '/consolex',
      'console/',
      'javascript:alert(1)',
      '/\t/evil.example/console/',
    ],
    ...['https://console.invalid/console/', `/console/${'x'.repeat(1_000)}`, '', null, undefined],
  ])('is the first page of the console instead of %j', (wanted) => {
    expect(chooseReturnPath(wanted)).toBe('/console/');
  });
});

describe('the cookie of a sign-in', () => {
  it('contains what was sealed', async () => {
    expect(await openTransaction(SECRET, await sealTransaction(SECRET, transaction))).toEqual(transaction);
  });

  it('is refused if it is expired, changed, or signed with another secret', async () => {
    const sealed = await sealTransaction(SECRET, transaction);
    const expired = await sealTransaction(SECRET, { ...transaction, end: Date.now() - 1 });
    const changed = btoa(JSON.stringify({ ...transaction, returnTo: '/console/x' })).replaceAll('=', '');
    const foreign = await sealTransaction('another secret', transaction);
    for (const cookie of [
      expired,
      foreign,
      `${changed}.${sealed.split('.')[1]}`,
      `${sealed}.x`,
      '',
      '.',
      'x',
    ])
      expect(await openTransaction(SECRET, cookie)).toBeUndefined();
  });
});
