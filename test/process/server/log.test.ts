import { afterEach, expect, it, vi } from 'vitest';
import { createLog } from '#server/log.ts';
import type { ServerOptions } from '#server/options.ts';
import { printBanner } from '#server/start-up.ts';
import { takeSecrets } from '#server/variables.ts';
import { rememberSecrets } from '#src/lib/secrets/redaction.ts';
import { listSecretVariables } from '#src/lib/secrets/secret-variables.ts';

afterEach(() => void vi.restoreAllMocks());

/** Collects what `write` prints. */
function printed(write: () => void): string[] {
  const lines: string[] = [];
  const keep = (text: unknown) => lines.push(String(text)) > 0;
  for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, 'write').mockImplementation(keep);
  vi.spyOn(console, 'log').mockImplementation(keep);
  write();
  vi.restoreAllMocks();
  return lines;
}

it('removes secrets of the settings from log lines of any process', () => {
  const secret = `Pl4nted"${crypto.randomUUID()}`;
  rememberSecrets(listSecretVariables({ LLM_API_KEY: secret, RATE_LIMIT_BOOTSTRAP_KEY: 'false' }));
  const log = createLog('info');
  const lines = printed(() => {
    log.error('failed', { reason: `because of ${secret}`, isFatal: false });
    log.relay('service', 'log', JSON.stringify({ event: 'failed', error: secret, count: 3 }));
    log.relay('parser 0', 'error', `Uncaught Error: ${secret} is false`);
  });
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { level: 'error', event: 'failed', reason: 'because of [removed]', isFatal: false },
    { event: 'failed', error: '[removed]', count: 3 },
    { level: 'error', event: 'runtime', source: 'parser 0', message: 'Uncaught Error: [removed] is false' },
  ]);
});

it('prints messages of the runtime except known noise', () => {
  const log = createLog('warn');
  const lines = printed(() => {
    log.relay(
      'service',
      'warn',
      'NOSENTRY per-isolate bootstrap compile cache failed its compatibility check',
    );
    log.relay('service', 'warn', 'NOSENTRY SQLite alarm handler canceled with requestScheduledAlarm.');
    log.relay('service', 'warn', 'NOSENTRY the disk is full');
  });
  expect(lines.map((line) => JSON.parse(line).message)).toEqual(['NOSENTRY the disk is full']);
});

it('lists secret variables, including those in definitions and with key ids', () => {
  const variables = {
    ...{ ENCRYPTION_KEY: 'k2:second', ENCRYPTION_KEYS_PREVIOUS: 'k1:first,k0:zeroth', LLM_DAILY_TOKENS: '5' },
    LLM_MODELS: '{"a":{"model":"m","api_key":{"variable":"MINE"},"base_url":{"variable":"ADDRESS"}}}',
    ...{ RERANK_MODELS: '{"b":{"api_key":"inside"}}', MINE: 'referred', ADDRESS: 'http://h', LLM_MODEL: 'm' },
  };
  const listed = ['k2:second', 'k1:first,k0:zeroth', 'second', 'first', 'zeroth', 'referred', 'inside'];
  expect(listSecretVariables(variables).toSorted()).toEqual(listed.toSorted());
  expect(listSecretVariables({ LLM_MODELS: 'no JSON' })).toEqual([]);
});

it('removes secrets from the environment that child processes inherit', () => {
  const environment = {
    ...{ BOOTSTRAP_API_KEY: 'a', LLM_MODELS: '{"a":{"api_key":{"variable":"MINE"}}}', MINE: 'b' },
    ...{ PATH: '/bin', RATE_LIMIT_WRONG_KEYS: '3', CLOUD_SECRET_ACCESS_KEY: 'c' },
  };
  const before = { ...environment };
  expect(takeSecrets(environment)).toEqual(before);
  expect(environment).toEqual({ PATH: '/bin', RATE_LIMIT_WRONG_KEYS: '3' });
});

it.each([
  ['a terminal', true, {}, 'slc_the_key'],
  ['a log', false, {}, 'BOOTSTRAP_API_KEY in /data/secrets.env'],
  [
    'a log, with the key in the environment',
    false,
    { BOOTSTRAP_API_KEY: 'slc_the_key' },
    'in the environment variable BOOTSTRAP_API_KEY',
  ],
])('shows the first API key in %s', (_, isTTY, environment, told) => {
  const before = Object.getOwnPropertyDescriptor(process.stdout, 'isTTY');
  Object.defineProperty(process.stdout, 'isTTY', { value: isTTY, configurable: true });
  const options = { host: '127.0.0.1', port: 1, secretsFile: '/data/secrets.env' } as ServerOptions;
  const banner = printed(() => printBanner(options, environment, { BOOTSTRAP_API_KEY: 'slc_the_key' })).join(
    '',
  );
  if (before) Object.defineProperty(process.stdout, 'isTTY', before);
  else delete (process.stdout as { isTTY?: boolean }).isTTY;
  expect(banner).toContain(`API key    ${told}\n`);
  expect(banner.includes('slc_the_key')).toBe(isTTY);
});
