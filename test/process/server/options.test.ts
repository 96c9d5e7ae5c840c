import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EXIT, StartFailure } from '#server/exit-codes.ts';
import { isLoopback, reachableHost, readOptions } from '#server/options.ts';
import { Operations } from '#server/service/operations.ts';
import { PARSER_VARIABLES, SERVICE_VARIABLES, serviceVariables } from '#server/variables.ts';

const read = (environment: Record<string, string>) => readOptions({ environment, cores: 4 });

it('listens on localhost unless HOST is set', () => {
  expect(read({}).host).toBe('127.0.0.1');
  expect(read({ HOST: '0.0.0.0' }).host).toBe('0.0.0.0');
});

it('reserves one core for the service', () => {
  expect(readOptions({ environment: {}, cores: 1 }).parserProcesses).toBe(1);
  expect(read({}).parserProcesses).toBe(3);
});

it.each([
  ['PORT', 'abc'],
  ['PORT', '65536'],
  ['PARSER_PROCESSES', '0'],
  ['PARSER_SILENCE_SECONDS', '-1'],
  ['WATCHDOG_SECONDS', 'NaN'],
])('rejects %s=%s and names the variable', (name, value) => {
  const failure = (() => {
    try {
      read({ [name]: value });
    } catch (error) {
      return error as StartFailure;
    }
  })();
  expect(failure).toBeInstanceOf(StartFailure);
  expect(failure?.code).toBe(EXIT.badConfiguration);
  expect(failure?.message).toContain(`${name} is "${value}"`);
});

it('treats an empty variable as absent', () => {
  expect(read({ PORT: '', STATE_DIR: '' }).port).toBe(8787);
  expect(serviceVariables({ LLM_MODEL: '' }, {}, read({}))).not.toHaveProperty('LLM_MODEL');
});

it.each([
  ['0.0.0.0', '127.0.0.1', false],
  ['::', '127.0.0.1', false],
  ['::1', '[::1]', true],
  ['192.0.2.7', '192.0.2.7', false],
])('host %s is reachable as %s', (host, url, isLocal) => {
  expect(reachableHost(host)).toBe(url);
  expect(isLoopback(host)).toBe(isLocal);
});

it('disables the rate limit of the bootstrap key only on localhost', () => {
  expect(serviceVariables({}, {}, { host: '127.0.0.1', port: 1 }).RATE_LIMIT_BOOTSTRAP_KEY).toBe('false');
  expect(serviceVariables({}, {}, { host: '0.0.0.0', port: 1 })).not.toHaveProperty(
    'RATE_LIMIT_BOOTSTRAP_KEY',
  );
});

it('passes variables that model definitions name', () => {
  const environment = { LLM_MODELS: '{"a":{"api_key":{"variable":"MY_KEY"}}}', MY_KEY: 'k', OTHER: 'o' };
  const variables = serviceVariables(environment, {}, { host: '127.0.0.1', port: 1 });
  expect(variables.MY_KEY).toBe('k');
  expect(variables).not.toHaveProperty('OTHER');
});

/** Settings of a Cloudflare deployment that a single machine does not use. */
const DEPLOYED_ONLY = [
  'R2_ACCESS_KEY_ID',
  'R2_ACCOUNT_ID',
  'R2_BUCKET',
  'R2_SECRET_ACCESS_KEY',
  'VECTORIZE_FROM_CHUNKS',
];

it('passes every service and parser setting', () => {
  const declared = (file: string) =>
    [...readFileSync(file, 'utf8').matchAll(/^ {2}([A-Z][A-Z0-9_]+): /gm)].map((m) => m[1]);
  expect([...SERVICE_VARIABLES, ...DEPLOYED_ONLY].toSorted()).toEqual(
    declared('src/settings/settings.ts').toSorted(),
  );
  expect([...PARSER_VARIABLES].toSorted()).toEqual(declared('src/models/ocr/settings.ts').toSorted());
});

it('lists running operations, newest first', () => {
  const operations = new Operations();
  for (const line of ['begin 1 GET /a', 'begin 2 POST /b', 'begin 3 message extract', 'end 2']) {
    expect(operations.read(`sluice-operation ${line}`)).toBe(true);
  }
  expect(operations.read('{"event":"request"}')).toBe(false);
  expect(operations.inFlight().map(({ what }) => what)).toEqual(['message extract', 'GET /a']);
  operations.clear();
  expect(operations.inFlight()).toEqual([]);
});
