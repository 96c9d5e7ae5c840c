import { describe, expect, it } from 'vitest';
import { resolveAccountId } from '../../scripts/deploy/account.ts';
import { findBreakingStatements } from '../../scripts/deploy/breaking-statements.ts';
import { buildDesiredState } from '../../scripts/deploy/configs.ts';
import type { Existing } from '../../scripts/deploy/existing.ts';
import { DeployFailure, wranglerFailure } from '../../scripts/deploy/failures.ts';
import type { Installation } from '../../scripts/deploy/installation.ts';

import { readOptions } from '../../scripts/deploy/options.ts';
import { createPlan, describePlan, listRefusals, type Plan, SECRETS } from '../../scripts/deploy/plan.ts';
import { Platform } from '../../scripts/deploy/platform.ts';
import { ACCOUNT, PlatformServer, TOKEN } from './deploy/platform-server.ts';

const installation: Installation = {
  name: 'harbour',
  account_id: ACCOUNT,
  database_id: 'd',
  secrets_set: true,
  vectorize: [768],
  workers: { harbour: '1', 'harbour-parser': '2', 'harbour-ocr': '3' },
};
const wanted = buildDesiredState(installation);
const hashes = { service: '1', parser: '2', ocr: '3' };
const migrations = ['0000_first.sql'];
const wishes = { adopt: false, force: false, newSecrets: false, olderRelease: false };

/** Returns an account with everything up to date. */
const whole = (): Existing => ({
  subdomain: 'tests',
  database: 'd',
  buckets: new Set(wanted.buckets),
  queues: new Map(wanted.queues.map((name) => [name, `id of ${name}`])),
  indexes: new Map(wanted.indexes),
  workers: new Map([
    ['ocr', new Set<string>()],
    ['parser', new Set<string>()],
    ['service', new Set<string>(SECRETS)],
  ]),
  migrations,
  schema: { kind: 'current' },
  classes: wanted.configs.service.migrations!.at(-1)!.tag,
});

const NOTHING: Plan = {
  subdomain: false,
  database: false,
  buckets: [],
  queues: [],
  indexes: [],
  migrations: [],
  classes: [],
  secrets: [],
  uploads: [],
};

function planFor(change: (existing: Existing) => void, more: Partial<Parameters<typeof createPlan>[0]> = {}) {
  const existing = whole();
  change(existing);
  const facts = { wanted, existing, known: installation, migrations, hashes, ...more };
  const plan = createPlan(facts, wishes);
  return { plan, lines: describePlan(plan, facts) };
}

describe('deployment plan', () => {
  it('is empty if everything is up to date', () => {
    expect(planFor(() => {})).toEqual({ plan: NOTHING, lines: [] });
  });

  it.each<[string, (existing: Existing) => void, Partial<Plan>]>([
    ['a queue', ({ queues }) => queues.delete('harbour-extract'), { queues: ['harbour-extract'] }],
    ['the index', ({ indexes }) => indexes.clear(), { indexes: [['harbour-768', 768]] }],
    ['the migrations', (existing) => Object.assign(existing, { migrations: [] }), { migrations }],
    ['the parser', ({ workers }) => workers.delete('parser'), { uploads: ['parser'] }],
    ['the bucket', ({ buckets }) => buckets.clear(), { buckets: ['harbour-files'] }],
    [
      'the last class of objects',
      (existing) => Object.assign(existing, { classes: wanted.configs.service.migrations!.at(-2)!.tag }),
      { classes: wanted.configs.service.migrations!.slice(-1) },
    ],
    ['a subdomain', (existing) => Object.assign(existing, { subdomain: undefined }), { subdomain: true }],
  ])('contains only %s if only that is missing', (_, change, expected) => {
    const { plan, lines } = planFor(change);
    expect(plan).toEqual({ ...NOTHING, ...expected });
    expect(lines).toHaveLength(1);
  });

  it('uploads each Worker whose hash differs, with bound Workers first', () => {
    const other = { service: 'x', parser: '2', ocr: 'x' };
    expect(planFor(() => {}, { hashes: other }).plan.uploads).toEqual(['ocr', 'service']);
  });

  it('rejects foreign resources, another database, lost secrets and other index dimensions', () => {
    const refusals = (change: (existing: Existing) => void, given: { known?: undefined } = {}) => {
      const existing = whole();
      change(existing);
      const facts = { wanted, existing, known: installation, migrations, ...given };
      return listRefusals(facts, wishes).join('\n');
    };
    expect(refusals(() => {})).toBe('');
    expect(refusals(() => {}, { known: undefined })).toContain('Worker harbour-parser');
    expect(refusals((existing) => Object.assign(existing, { database: 'another' }))).toContain(
      'does not exist any more',
    );
    expect(refusals(({ workers }) => workers.delete('service'))).toContain('SESSION_SECRET, ENCRYPTION_KEY');
    expect(refusals(({ indexes }) => indexes.set('harbour-768', 384))).toContain(
      '384 dimensions instead of 768',
    );
    expect(refusals((existing) => Object.assign(existing, { classes: 'v99' }))).toContain(
      'rollback to this release is not possible',
    );
  });
});

describe('generated configurations', () => {
  it('use the names of the installation', () => {
    const text = JSON.stringify(wanted.configs);
    expect(text).not.toContain('sluice-');
    expect(wanted.configs.service).toMatchObject({
      name: 'harbour',
      account_id: ACCOUNT,
      workers_dev: true,
      d1_databases: [{ database_name: 'harbour', database_id: 'd' }],
      services: [{ service: 'harbour-parser' }],
      vectorize: [{ binding: 'VECTORIZE_768', index_name: 'harbour-768' }],
    });
    expect(wanted.configs.parser).toMatchObject({
      workers_dev: false,
      services: [{ service: 'harbour-ocr' }],
    });
    // Top-level settings also apply to the production environment.
    expect(wanted.configs.ocr.define).toHaveProperty('WorkerGlobalScope');
    expect(wanted.configs.service).not.toHaveProperty('env');
  });

  it('route only the configured domain to the service', () => {
    const { service } = buildDesiredState({ ...installation, domain: 'documents.example.com' }).configs;
    expect(service).toMatchObject({
      workers_dev: false,
      routes: [{ pattern: 'documents.example.com', custom_domain: true }],
      vars: { PUBLIC_URL: 'https://documents.example.com' },
    });
  });

  it('trust the client address header of Cloudflare unless a variable overrides it', () => {
    const vars = (variables?: Record<string, string>) =>
      buildDesiredState({ ...installation, ...(variables && { variables: { service: variables } }) }).configs
        .service.vars;
    expect(vars()).toMatchObject({ TRUSTED_PROXY: 'cloudflare' });
    expect(vars({ TRUSTED_PROXY: 'none' })).toMatchObject({ TRUSTED_PROXY: 'none' });
  });
});

describe('migration statement', () => {
  it.each([
    'CREATE TABLE `notes` (`id` text PRIMARY KEY NOT NULL);',
    'CREATE INDEX `by_day` ON `notes` (`day`);',
    'CREATE TRIGGER `counted` AFTER INSERT ON `notes`\nBEGIN\n\tUPDATE `days` SET `notes` = `notes` + 1;\nEND;',
    'ALTER TABLE `files` ADD `note` text;',
    "ALTER TABLE `files` ADD `kind` text DEFAULT 'plain' NOT NULL;",
    'CREATE TABLE `notes` (`id` text);\n--> statement-breakpoint\nCREATE UNIQUE INDEX `one` ON `notes` (`id`);',
    'ALTER TABLE `files` ADD `of` text REFERENCES days(id) ON DELETE set null;',
    'CREATE TABLE `notes` (`day` text, FOREIGN KEY (`day`) REFERENCES `days`(`id`) ON UPDATE no action ON DELETE cascade);',
    '-- why\nCREATE INDEX `a` ON `b` (`c`);\n--> statement-breakpoint\nCREATE TABLE `d` (`e` text);',
    '',
  ])('is compatible with the previous release: %s', (sql) => expect(findBreakingStatements(sql)).toEqual([]));

  it.each([
    'ALTER TABLE `files` ADD `kind` text NOT NULL;',
    'ALTER TABLE `files` DROP COLUMN `note`;',
    'ALTER TABLE `files` RENAME TO `documents`;',
    'CREATE UNIQUE INDEX `one` ON `files` (`name`);',
    'CREATE TABLE `__new_files` (`id` text);',
    'DROP TABLE `files`;',
    'CREATE TRIGGER `no` BEFORE INSERT ON `files` BEGIN SELECT 1; END;',
    "CREATE TRIGGER `no` AFTER INSERT ON `files` BEGIN SELECT RAISE(ABORT, 'no'); END;",
    'UPDATE `files` SET `name` = NULL;',
    'ALTER TABLE `files` ADD `of` text REFERENCES days(id);',
    'ALTER TABLE `files` ADD `of` text REFERENCES days(id) ON DELETE no action;',
    'CREATE TABLE `notes` (`day` text REFERENCES `days`(`id`) ON DELETE cascade, `of` text REFERENCES `files`(`id`));',
    'CREATE INDEX `a` ON `b` (`c`); DROP TABLE `files`;',
    'CREATE TABLE `notes` (`id` text);\nDROP TABLE `files`;',
  ])('breaks the previous release: %s', (sql) => {
    expect(
      findBreakingStatements(`CREATE TABLE \`a\` (\`b\` text);\n--> statement-breakpoint\n${sql}`),
    ).toEqual([sql]);
  });
});

it.each([
  ['--name', 'Über'],
  ['--account', '1'],
  ['--url', 'https://host.example/path'],
  ['--vectorize', '4096'],
  ['--wait', 'long'],
  ['--unknown'],
])('rejects %s %s', (...options) => {
  expect(() => readOptions(options)).toThrow(options[0]);
  expect(() => readOptions(options)).toThrow(DeployFailure);
});

it('asks which of several accounts to use', async () => {
  const server = new PlatformServer();
  await server.start();
  try {
    process.env.CLOUDFLARE_API_BASE_URL = server.base;
    server.accounts.push({ id: 'f'.repeat(32), name: 'Another' });
    const answering = (answer: string) => {
      const operator = { secret: async () => '', text: async () => answer };
      return resolveAccountId(new Platform(TOKEN), undefined, operator);
    };
    expect(await answering('2')).toBe('f'.repeat(32));
    await expect(answering('3')).rejects.toThrow('--account');
    server.accounts = [];
    await expect(answering('1')).rejects.toThrow('lists no account');
  } finally {
    delete process.env.CLOUDFLARE_API_BASE_URL;
    server.stop();
  }
});

it('explains known error codes of wrangler', () => {
  const said = (output: string) => wranglerFailure('Uploading harbour', output).message;
  const refused =
    'A request to the Cloudflare API (/accounts/a/workers/scripts/harbour) failed.\nNo [code: 10000]';
  expect(said(refused)).toContain('"Account, Workers Scripts, Edit"');
  expect(said('CPU limits are not supported [code: 100328]')).toContain('Workers Paid');
  expect(said('Something else [code: 1]').split('\n')).toHaveLength(2);
});
