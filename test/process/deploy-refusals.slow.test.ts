import { describe, expect, it } from 'vitest';
import { Refusal } from './deploy/answers.ts';
import { ACCOUNT, TOKEN } from './deploy/platform-server.ts';
import { DEPLOY, first, KEY, useStage } from './deploy/stage.ts';

const stage = useStage();
const { server } = stage;

/** Asserts that a command explains the rejection and changes nothing. */
async function expectRefusal(outcome: ReturnType<typeof stage.deploy>, ...texts: string[]) {
  const before = server.writes.length;
  const { code, out, err } = await outcome;
  for (const text of texts) expect(err).toContain(text);
  // The error is a sentence without stack trace.
  expect(err).not.toMatch(/^ +at /m);
  expect(code, out).toBe(1);
  expect(server.writes.slice(before)).toEqual([]);
}

describe('deployment is rejected before any change', () => {
  it('without token or with a wrong token', async () => {
    const options = first(server);
    await expectRefusal(
      stage.run(DEPLOY, options, { CLOUDFLARE_API_TOKEN: '' }),
      'The Cloudflare API token is missing',
      'CLOUDFLARE_API_TOKEN',
    );
    const wrong = { CLOUDFLARE_API_TOKEN: 'a-wrong-token' };
    await expectRefusal(stage.run(DEPLOY, options, wrong), 'Cloudflare rejects the token', '9109');
  });

  it.each([
    [/^d1\//, 'Account, D1, Edit'],
    [/^r2\//, 'Account, Workers R2 Storage, Edit'],
    [/^queues/, 'Account, Queues, Edit'],
    [/^workers\//, 'Account, Workers Scripts, Edit'],
    [/^vectorize\//, 'Account, Vectorize, Edit'],
  ])('with a token without permission for %s', async (denied, permission) => {
    server.denied = denied;
    await expectRefusal(stage.deploy('--vectorize', '768'), permission);
  });

  it('for a token with several accounts and no --account', async () => {
    server.accounts.push({ id: 'f'.repeat(32), name: 'Another' });
    await expectRefusal(stage.deploy(), '--account', ACCOUNT, 'Another');
    expect((await stage.deploy('--dry-run', '--account', ACCOUNT)).code).toBe(0);
  });

  it('if the account has no subdomain and none is given', async () => {
    await expectRefusal(stage.run(DEPLOY, ['--url', server.origin]), '--subdomain');
  });

  it('if a name is taken, unless --adopt is given', async () => {
    server.stores.buckets.set('sluice-files', new Set());
    await expectRefusal(stage.deploy(), 'bucket sluice-files', '--name', '--adopt');
    expect((await stage.deploy('--dry-run', '--name', 'other')).code).toBe(0);
    expect((await stage.deploy('--dry-run', '--adopt')).code).toBe(0);
  });
});

it('reports each feature missing in the account plan, and the next run continues', async () => {
  const missing: [RegExp, Refusal, string][] = [
    [
      /^r2\/buckets$/,
      new Refusal(403, 10042, 'Please enable R2 through the Cloudflare Dashboard.'),
      'Enable it in the Cloudflare dashboard',
    ],
    [/^queues$/, new Refusal(403, 100129, 'Queues are unavailable on the free plan.'), 'Workers Paid'],
    [
      /^workers\/scripts\/[^/]+$/,
      new Refusal(400, 100328, 'CPU limits are not supported for the Free plan.'),
      'Workers Paid',
    ],
  ];
  // The features are needed in this order, so each run gets as far as the next missing one.
  for (const [path, refusal, advice] of missing) {
    server.notInPlan = { path, refusal };
    const { code, err } = await stage.deploy();
    expect(err).toContain(refusal.message);
    expect(err).toContain(advice);
    expect(err).not.toMatch(/lacks the permission|^ +at /m);
    expect(code).toBe(1);
  }
  server.notInPlan = undefined;
  expect((await stage.deploy()).code).toBe(0);
});

it('names the permission that wrangler is missing', async () => {
  server.trick = (call) => {
    if (call.path.endsWith('assets-upload-session')) server.denied = /assets-upload-session$/;
    return undefined;
  };
  const { code, err } = await stage.deploy();
  expect(err).toContain('Uploading sluice-ocr failed');
  expect(err).toContain('lacks the permission "Account, Workers Scripts, Edit"');
  expect(err).not.toContain(TOKEN);
  expect(code).toBe(1);
});

describe('later deployment', () => {
  it('uploads only changes', async () => {
    await stage.startDeployed();
    const project = stage.project();
    project.changeParser();
    const { code, out } = await stage.deploy();
    expect(code).toBe(0);
    expect(out).not.toMatch(KEY);
    expect(stage.uploads()).toEqual({ 'sluice-ocr': 1, 'sluice-parser': 2, sluice: 1 });
    const before = server.writes.length;
    expect((await stage.deploy('--dry-run')).out).toContain('Everything is up to date');
    // A new file that no Worker imports does not change a bundle.
    project.write('src/unused.ts', 'export const unused = 1;\n');
    expect((await stage.deploy('--dry-run')).out).toContain('Everything is up to date');
    expect(server.writes.length).toBe(before);
    expect((await stage.deploy('--force', '--vectorize', '1024')).code).toBe(0);
    expect(stage.uploads()).toEqual({ 'sluice-ocr': 2, 'sluice-parser': 3, sluice: 2 });
    expect(server.stores.indexes.get('sluice-1024')).toEqual({ dimensions: 1024, metric: 'cosine' });
  });

  it('applies new variables and recreates lost secrets only with --new-secrets', async () => {
    await stage.startDeployed();
    const before = new Map(stage.getSecrets('sluice'));
    const variables = { service: { LOG_LEVEL: 'warn' }, parser: { OCR_MODEL: '@cf/a' } };
    stage.project().write('installation.json', JSON.stringify({ ...stage.installation(), variables }));
    stage.getSecrets('sluice').delete('ENCRYPTION_KEY');
    await expectRefusal(stage.deploy(), 'ENCRYPTION_KEY', '--new-secrets');
    expect((await stage.deploy('--new-secrets')).code).toBe(0);
    expect(stage.getSecrets('sluice').get('ENCRYPTION_KEY')).toMatch(/^k1:/);
    for (const kept of ['SESSION_SECRET', 'BOOTSTRAP_API_KEY']) {
      expect(stage.getSecrets('sluice').get(kept)).toBe(before.get(kept));
    }
    const bindings = (name: string) => server.scripts.scripts.get(name)?.bindings;
    expect(bindings('sluice')).toContainEqual({ type: 'plain_text', name: 'LOG_LEVEL', text: 'warn' });
    expect(bindings('sluice')).toContainEqual({
      type: 'plain_text',
      name: 'PUBLIC_URL',
      text: server.origin,
    });
    expect(bindings('sluice-parser')).toContainEqual({
      type: 'plain_text',
      name: 'OCR_MODEL',
      text: '@cf/a',
    });
    expect(stage.uploads()).toEqual({ 'sluice-ocr': 1, 'sluice-parser': 2, sluice: 2 });
    server.stores.databases.clear();
    await expectRefusal(stage.deploy(), 'does not exist any more', 'database_id');
  });

  it('requires confirmation for a release before its migrations and reports irreversible changes', async () => {
    await stage.startDeployed();
    stage.project().write('migrations/0999_next.sql', 'ALTER TABLE `projects` ADD `note` text;');
    const added = await stage.deploy('--dry-run');
    expect(added.out).toContain('A rollback will be possible: the deployed release 1.0.0');
    stage
      .project()
      .write('migrations/0999_next.sql', 'ALTER TABLE `projects` RENAME COLUMN `name` TO `title`;');
    const breaking = await stage.deploy();
    expect(breaking.code, breaking.err).toBe(0);
    expect(breaking.out).toContain('A rollback will need a backup');
    stage.project().write('migrations/0999_next.sql', '');
    stage.project().forget('migrations/0999_next.sql');
    await expectRefusal(stage.deploy(), '0999_next.sql', '--older-release');
    expect((await stage.deploy('--older-release')).code).toBe(0);
  });
});

it('rejects a database that differs from its recorded migrations', async () => {
  await stage.startDeployed();
  const [database] = server.stores.databases.values();
  database!.sql.exec('DROP INDEX `api_keys_by_parent`; ALTER TABLE `api_keys` DROP COLUMN `parent_id`');
  await expectRefusal(stage.deploy(), 'column api_keys.parent_id is missing', 'npm run backup');
});

it('reports that a rollback is impossible and rejects it', async () => {
  await stage.startDeployed();
  const project = stage.project();
  const configuration = project.read('wrangler.toml');
  const another = '[[migrations]]\ntag = "v99"\nnew_sqlite_classes = ["Another"]\n';
  project.write('wrangler.toml', `${configuration}\n${another}`);
  project.release('1.1.0', '1.1.0');
  const closed = await stage.deploy();
  expect(closed.code, closed.err).toBe(0);
  expect(closed.out).toContain('A rollback will need a backup, because the deployed release 1.0.0');
  expect(closed.out).toContain(
    'release 1.1.0 or later is needed to read the data of release 1.1.0: Rows are written otherwise.',
  );
  expect(closed.out).toMatch(/Durable Object classes, v99.*Another/);
  project.write('wrangler.toml', configuration);
  await expectRefusal(
    stage.deploy('--older-release'),
    'migration v99',
    'A rollback to this release is not possible',
  );
});

it('reports an unhealthy service and still shows the first key', async () => {
  server.unwell = 'the models are misconfigured';
  const { code, out, err } = await stage.deploy('--wait', '1');
  expect(code).toBe(1);
  expect(out).toMatch(KEY);
  expect(out).not.toContain('rollback');
  expect(err).toContain('service: the models are misconfigured');
  server.unwell = undefined;
  const again = await stage.deploy();
  expect(again.code, again.err).toBe(0);
  expect(again.out).not.toMatch(KEY);
});

it('adopts a manual deployment with its secrets and without another first key', async () => {
  expect((await stage.deploy('--name', 'sluice-production')).code).toBe(0);
  const before = new Map(stage.getSecrets('sluice-production'));
  stage.project().forget('installation.json');
  const { code, out } = await stage.deploy('--name', 'sluice-production', '--adopt');
  expect(code).toBe(0);
  expect(out).not.toMatch(KEY);
  expect(stage.getSecrets('sluice-production')).toEqual(before);
  expect(server.stores.databases.size).toBe(1);
});
