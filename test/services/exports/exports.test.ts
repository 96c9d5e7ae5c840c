import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { keys } from '#src/bucket/keys.ts';
import { createContext } from '#src/context/context.ts';
import { projects } from '#src/db/schema/index.ts';
import { safeName } from '#src/services/exports/bucket-entries.ts';
import { exportProject } from '#src/services/exports/project.ts';
import { PIPELINE_FILES, PROJECT_FILES } from '#src/services/exports/project-tables.ts';
import { rowEntries } from '#src/services/exports/rows.ts';
import { findKeyActor } from '#src/services/tenancy/api-keys.ts';
import { resolveScope } from '#src/services/tenancy/request-scope.ts';
import { createFixtures } from '#test/suites/operation-inputs.ts';
import { call, fetchService, upload } from '#test/support/client.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { untar } from '#test/support/tar.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

const SECRET = 'Pl4nted-secret-of-the-source';
const LONG_TEXT = 'A long text about oranges. '.repeat(2_000);

type Lines = Record<string, unknown>[];

class Export {
  readonly files: Map<string, Uint8Array>;
  readonly text: string;
  constructor(bytes: Uint8Array) {
    this.files = untar(bytes);
    this.text = new TextDecoder().decode(bytes);
  }
  read(name: string): string {
    const bytes = this.files.get(name);
    if (!bytes) throw new Error(`${name} is not among ${[...this.files.keys()].join(', ')}`);
    return new TextDecoder().decode(bytes);
  }
  lines(name: string): Lines {
    const lines = this.read(name).split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as Lines[number]);
  }
}

async function exported(path: string, key: string): Promise<Export> {
  const response = await fetchService('GET', path, { key });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/x-tar');
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w-]+\.tar"$/);
  return new Export(new Uint8Array(await response.arrayBuffer()));
}

describe('the export of a project', () => {
  let tenant: Tenant;
  let other: Tenant;
  let file: string;
  let lost: string;
  let pipeline: string;
  let job: string;
  let got: Export;

  beforeAll(async () => {
    [tenant, other] = [await createTenant(), await createTenant()];
    const make = createFixtures(tenant);
    const { key, projectId } = tenant;
    file = await upload('../über/den Hafen?.md', '# The harbour', { key });
    lost = await upload('lost.txt', 'Its bytes get lost.', { key });
    const row = await env.DB.prepare('select storage_key from files where id = ?')
      .bind(lost)
      .first<string>('storage_key');
    await env.FILES.delete(row!);
    pipeline = (await make.pipelineFile()).pipeline_id;
    const documents = [
      { id: 'short', text: 'Marmalade.', metadata: { shelf: 'b' } },
      { id: 'long', text: LONG_TEXT, metadata: {} },
    ];
    await make.create('POST', `/api/v1/pipelines/${pipeline}/documents`, documents);
    await make.create('POST', '/api/v1/data-sources', {
      name: 'secret source',
      source_type: 'SOURCE_9_BUCKET',
      component: { bucket: 'papers', cloud_access_id: 'id', cloud_access_secret: SECRET },
    });
    await make.create('POST', '/api/v1/beta/webhook-configs', {
      webhook_url: 'http://nowhere.example/hook',
      webhook_headers: { authorization: SECRET },
    });
    job = (await make.completedParse()).job_id;
    await env.FILES.put(keys.jobResult(projectId, job), '{"large":true}');
    await make.create('POST', '/api/v1/api-keys', { name: 'of the project', project_id: projectId });
    await make.create('POST', `/api/v1/pipelines/${pipeline}/chat-sessions`, { name: 'Private' });
    await createFixtures(other).pipelineFile();
    got = await exported(`/api/v1/projects/${projectId}/export`, key);
  });

  it('has a file for each exported table, in an order that new tables do not change', () => {
    expect([...PROJECT_FILES.keys()]).toEqual([
      'files',
      'pipelines',
      'retrievers',
      'data_sinks',
      'data_sources',
      'embedding_model_configs',
      'parse_jobs',
      'extract_jobs',
      'classify_jobs',
      'configurations',
      'webhook_configs',
      'webhook_deliveries',
      'usage',
      'daily_usage',
      'model_usage',
      'model_settings',
      'api_keys',
      'extract_reviews',
      'classify_reviews',
      'batches',
      'batch_items',
      'file_tags',
      'trace_settings',
      'question_sets',
      'questions',
      'evaluation_runs',
      'evaluation_results',
      'truth_sets',
      'truths',
      'accuracy_runs',
      'accuracy_results',
      'evaluation_schedules',
      'evaluation_sweeps',
      'sweep_results',
      'split_jobs',
      'sheets_jobs',
      'agent_collections',
      'agent_data',
      'directories',
      'directory_files',
    ]);
    expect([...PIPELINE_FILES.keys()]).toEqual([
      'data_sources',
      'jobs',
      'retrieval_presets',
      'directory_indexes',
    ]);
  });

  it('contains rows with API field names, file contents, texts, parses and results, and a README', () => {
    expect([...got.files.keys()][0]).toBe('README.txt');
    expect(got.read('README.txt')).toContain('files/<file id>/<name>');
    expect(JSON.parse(got.read('project.json'))).toMatchObject({ id: tenant.projectId, is_default: true });
    const files = got.lines('files.ndjson');
    expect(files.find(({ id }) => id === file)).toMatchObject({
      project_id: tenant.projectId,
      file_size: 13,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    const name = [...got.files.keys()].find((each) => each.startsWith(`files/${file}/`))!;
    expect(got.read(name)).toBe('# The harbour');
    expect(name.split('/')).toHaveLength(3);
    expect(name).not.toContain('..');
    expect(got.read(`files/${lost}/lost.txt.missing`)).toContain('did not exist');
    const documents = got.lines(`pipelines/${pipeline}/documents.ndjson`);
    const [short, long] = ['short', 'long'].map((id) => documents.find((row) => row.document_id === id)!);
    expect(short).toMatchObject({ text: 'Marmalade.', metadata: { shelf: 'b' } });
    expect(got.read(String(long!.text_file))).toBe(LONG_TEXT);
    expect(got.lines(`pipelines/${pipeline}/files.ndjson`)).toHaveLength(1);
    const [parse] = got.lines('parse_jobs.ndjson').filter(({ id }) => id === job);
    const pages = [...got.files.keys()].filter((each) =>
      each.startsWith(`parsed/${parse!.content_hash}/pages/${parse!.config_hash}/`),
    );
    expect(pages.length).toBeGreaterThan(0);
    expect(got.read(`jobs/${job}/result.json`)).toBe('{"large":true}');
  });

  it('contains nothing of other tenants, and no secrets, conversations or internal fields', () => {
    for (const id of [other.projectId, other.organizationId, other.userId])
      expect(got.text).not.toContain(id);
    expect(got.text).not.toContain(SECRET);
    expect(got.text).not.toContain('sealed:v1');
    const [source] = got.lines('data_sources.ndjson').filter(({ name }) => name === 'secret source');
    expect(source!.component).toMatchObject({ bucket: 'papers', cloud_access_secret: '********' });
    const [key] = got.lines('api_keys.ndjson');
    expect(key).toMatchObject({ name: 'of the project' });
    for (const member of ['hash', 'storage_key']) expect(got.text).not.toContain(`"${member}":`);
    expect(got.text).not.toContain('Private');
  });

  it('contains any number of rows', async () => {
    const many = await createTenant();
    const { projectId, key } = many;
    const ids = Array.from({ length: 250 }, () => crypto.randomUUID());
    // All rows have the same creation time, so paging depends on the id.
    await env.DB.prepare(
      `insert into configurations (id, project_id, product_type, name, version, parameters, created_at)
       select value, ?1, 'extract_v2', value, '1', '{}', 1000 from json_each(?2)`,
    )
      .bind(projectId, JSON.stringify(ids))
      .run();
    const all = await exported(`/api/v1/projects/${projectId}/export`, key);
    expect(all.lines('configurations.ndjson').map(({ id }) => id)).toEqual(ids.toSorted());
  });

  it('reads only as much as the client requests', async () => {
    let reads = 0;
    const bucket = new Proxy(env.FILES, {
      get(target, name) {
        const member = Reflect.get(target, name, target) as unknown;
        if (name === 'get') reads += 1;
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    const ctx = { ...createContext(env, { waitUntil() {} }), bucket };
    const scope = await resolveScope(ctx, (await findKeyActor(ctx, tenant.key))!, {});
    const archive = await exportProject(scope, tenant.projectId);
    const decoder = new TextDecoder();
    for await (const piece of archive) {
      if (decoder.decode(piece).startsWith(`files/`)) break;
    }
    expect(reads).toBeLessThan(4);
  });
});

describe('the export of a person', () => {
  it('contains the person’s membership, keys, conversations and jobs in one organization, and nothing of others', async () => {
    const tenant = await createTenant();
    const { key, userId, organizationId } = tenant;
    const make = createFixtures(tenant);
    const org = `/api/v1/organizations/${organizationId}/users`;
    const { user_id } = await make.create<{ user_id: string }>('POST', org, {
      name: 'Ada',
      email: 'ada@e.example',
    });
    const made = await make.create<{ redacted_api_key: string }>('POST', '/api/v1/api-keys', {
      user_id,
      name: 'for Ada',
    });
    const ofAda = made.redacted_api_key;
    const accounts = [user_id, userId].map((user, index) =>
      env.DB.prepare(
        `insert into identities (organization_id, issuer, subject, user_id, created_at)
         values (?, 'https://sso.example', ?, ?, 1000)`,
      ).bind(organizationId, `subject ${index}`, user),
    );
    await env.DB.batch(accounts);
    const pipeline = await make.pipeline();
    const retriever = await make.retriever();
    const begun = async (by: string, path: string, name: string) => {
      const answer = await call<{ id: string }>('POST', `${path}/chat-sessions`, { key: by, body: { name } });
      expect(answer.status).toBe(201);
      return answer.body.id;
    };
    const hers = await begun(ofAda, `/api/v1/pipelines/${pipeline}`, 'Of Ada');
    const also = await begun(ofAda, `/api/v1/retrievers/${retriever}`, 'Also of Ada');
    await begun(key, `/api/v1/pipelines/${pipeline}`, 'Of the admin');
    const { projectId } = tenant;
    const settings = { sample_rate: 1, record_text: true };
    await call('PUT', `/api/v1/traces/settings?project_id=${projectId}`, { key, body: settings });
    const question = {
      messages: [{ id: 'q', role: 'user', content: 'What does marmalade need?' }],
      session_id: hers,
    };
    await call('POST', `/api/v1/pipelines/${pipeline}/chat`, { key: ofAda, body: question });
    await call('POST', `/api/v1/pipelines/${pipeline}/retrieve`, { key, body: { query: 'Of the admin?' } });
    const recorded = async () =>
      (await call<{ items: unknown[] }>('GET', `/api/v1/traces?project_id=${projectId}`, { key })).body.items;
    await vi.waitUntil(async () => (await recorded()).length === 2, { timeout: PATIENCE_MS });
    const file_id = await make.file();
    const job = await call<{ id: string }>('POST', '/api/v2/parse', { key: ofAda, body: { file_id } });
    await call('POST', '/api/v2/parse', { key, body: { file_id } });
    const path = `/api/v1/users/${user_id}/export?organization_id=${organizationId}`;
    for (const by of [ofAda, key]) {
      const got = await exported(path, by);
      expect(JSON.parse(got.read('membership.json'))).toMatchObject({ user_id, email: 'ada@e.example' });
      expect(got.lines('api_keys.ndjson').map(({ name }) => name)).toEqual(['for Ada']);
      expect(got.lines('identities.ndjson')).toEqual([
        {
          ...{ organization_id: organizationId, user_id, issuer: 'https://sso.example' },
          ...{ subject: 'subject 0', created_at: '1970-01-01T00:00:01.000Z' },
        },
      ]);
      expect(got.lines('parse_jobs.ndjson').map(({ id }) => id)).toEqual([job.body.id]);
      expect(JSON.parse(got.read(`conversations/${hers}/session.json`))).toMatchObject({ name: 'Of Ada' });
      expect(JSON.parse(got.read(`conversations/${also}/session.json`))).toMatchObject({
        name: 'Also of Ada',
      });
      const [asked] = got.lines(`conversations/${hers}/messages.ndjson`);
      expect(asked).toMatchObject({ role: 'user', content: 'What does marmalade need?' });
      const traced = got.lines('traces.ndjson');
      expect(traced).toMatchObject([{ kind: 'chat', question: 'What does marmalade need?' }]);
      expect(traced[0]).not.toHaveProperty('details');
      expect(got.text).not.toContain('Of the admin');
      expect(got.text).not.toContain(userId);
      expect(got.text).not.toContain('"hash":');
    }
    // The export contains nothing of the admin or of another tenant.
    const about = `/api/v1/users/${userId}/export`;
    expect((await call('GET', about, { key: ofAda })).status).toBe(403);
    const stranger = await createTenant();
    expect((await call('GET', path, { key: stranger.key })).status).toBe(404);
    expect((await call('GET', `/api/v1/users/${user_id}/export`, { key: stranger.key })).status).toBe(404);
    expect((await call('GET', path, { key: null })).status).toBe(401);
    expect((await call('GET', '/api/v1/users/nobody/export', { key })).status).toBe(422);
  });
});

it.each(['..', ' ..', '. .', `..${' '.repeat(118)}`, ` ..${'a'.repeat(118)}`])(
  'does not use %j as a folder name',
  (name) => {
    expect(safeName(name)).not.toMatch(/^\.|^$|\//);
  },
);

it('splits rows into files of about a megabyte', async () => {
  async function* pages(rows: number, length: number) {
    for (let row = 0; row < rows; row++) yield [{ text: 'a'.repeat(length) }];
  }
  const listEntryNames = async (rows: number, length: number) =>
    (await Array.fromAsync(rowEntries('rows', projects, pages(rows, length)))).map(({ name }) => name);
  expect(await listEntryNames(30, 100)).toEqual(['rows.ndjson']);
  expect(await listEntryNames(5, 600_000)).toEqual(['rows.ndjson', 'rows-2.ndjson', 'rows-3.ndjson']);
});
