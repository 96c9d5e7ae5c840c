import { expect, it } from 'vitest';
import { describeAttempts, describeFailures } from '#test/support/failed-attempts.ts';

const failure = (message: string) => ({
  errors: [{ message, stack: `Error: ${message}\n    at helper (/support/a.ts:1:1)\n    at /a.test.ts:7:3` }],
});

it('describes the errors of all attempts of a test that was retried', () => {
  expect(describeAttempts([failure('the button did not appear'), failure('409 the name exists')])).toBe(
    [
      'Attempt 1 of 2: the button did not appear',
      'at /a.test.ts:7:3',
      'Attempt 2 of 2: 409 the name exists',
      'at /a.test.ts:7:3',
    ].join('\n'),
  );
});

it('describes the failed attempt of a test that passed on its retry', () => {
  const text = describeAttempts([failure('the machine stalled'), { errors: undefined }]);
  expect(text).toBe('Attempt 1 of 2: the machine stalled\nat /a.test.ts:7:3');
});

it('describes a test without retries by all of its errors', () => {
  const { errors } = failure('first');
  expect(describeAttempts([{ errors: [...errors, { message: 'then a hook failed' }] }])).toBe(
    'first\nat /a.test.ts:7:3\nthen a hook failed',
  );
});

it('shortens long messages', () => {
  const message = Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n');
  expect(describeFailures([{ message }]).split('\n')).toHaveLength(12);
});
