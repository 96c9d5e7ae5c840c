import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { multipart } from '#test/support/files.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

interface Named {
  id: string;
}
interface Key {
  redacted_api_key: string;
}

const PATH = '/api/v1/data-sinks';
const probe = { name: 'probe', sink_type: 'VENDOR_C', component: { uri: 'http://h.example' } };

/** The user has organization A with a second project and organization B. A stranger has organization C. */
let me: Tenant;
let stranger: Tenant;
const projects: Record<string, string | undefined> = {};
const organizations: Record<string, string | undefined> = {};
const keys: Record<string, string> = {};

beforeAll(async () => {
  me = await createTenant();
  stranger = await createTenant();
  const mine = { key: me.key };
  const second = await call<Named>('POST', '/api/v1/projects', { ...mine, body: { name: 'Second' } });
  const b = await call<Named>('POST', '/api/v1/organizations', { ...mine, body: { name: 'B' } });
  const ofB = await call<Named[]>('GET', `/api/v1/projects?organization_id=${b.body.id}`, mine);
  Object.assign(organizations, { A: me.organizationId, B: b.body.id, C: stranger.organizationId });
  Object.assign(projects, {
    'A default': me.projectId,
    'A second': second.body.id,
    'B default': ofB.body[0]!.id,
    'C default': stranger.projectId,
  });
  const scoped = { project_id: second.body.id };
  const member = await call<{ user_id: string }>('POST', `/api/v1/organizations/${me.organizationId}/users`, {
    ...mine,
    body: { name: 'Colleague' },
  });
  const given = { user_id: member.body.user_id };
  const made = await Promise.all(
    [scoped, given].map((body) => call<Key>('POST', '/api/v1/api-keys', { ...mine, body })),
  );
  Object.assign(keys, {
    'of the user': me.key,
    'scoped to A second': made[0]!.body.redacted_api_key,
    'made for a member': made[1]!.body.redacted_api_key,
  });
  // The member also belongs to B, but their key from A must not reach B.
  await joinB(member.body.user_id, b.body.id);
});

async function joinB(userId: string, organizationId: string) {
  await env.DB.prepare(
    "insert into members (organization_id, user_id, name, role) values (?, ?, 'Somebody', 'admin')",
  )
    .bind(organizationId, userId)
    .run();
}

type Row = [project: string, organization: string, outcome: string | number];

const ofTheUser: Row[] = [
  ['', '', 'A default'],
  ['', 'A', 'A default'],
  ['', 'B', 'B default'],
  ['', 'C', 404],
  ['A second', '', 'A second'],
  ['A second', 'A', 'A second'],
  ['A second', 'B', 403],
  ['A second', 'C', 404],
  ['B default', '', 'B default'],
  ['B default', 'A', 403],
  ['B default', 'B', 'B default'],
  ['B default', 'C', 404],
  ['C default', '', 404],
  ['C default', 'A', 404],
  ['C default', 'B', 404],
  ['C default', 'C', 404],
];
const scopedKey: Row[] = [
  ['', '', 'A second'],
  ['', 'A', 'A second'],
  ['', 'B', 403],
  ['', 'C', 404],
  ['A second', '', 'A second'],
  ['A second', 'A', 'A second'],
  ['A second', 'B', 403],
  ['A second', 'C', 404],
  ['A default', '', 403],
  ['A default', 'A', 403],
  ['B default', 'B', 403],
  ['C default', 'C', 403],
];
const givenKey: Row[] = [
  ['', '', 'A default'],
  ['', 'A', 'A default'],
  ['', 'B', 404],
  ['', 'C', 404],
  ['A second', '', 'A second'],
  ['A second', 'B', 404],
  ['B default', '', 404],
  ['B default', 'A', 404],
  ['B default', 'B', 404],
  ['C default', '', 404],
];

function query(project: string, organization: string): string {
  const parameters = new URLSearchParams();
  if (project) parameters.set('project_id', projects[project]!);
  if (organization) parameters.set('organization_id', organizations[organization]!);
  return parameters.size > 0 ? `?${parameters}` : '';
}

describe.each([
  ['of the user', ofTheUser],
  ['scoped to A second', scopedKey],
  ['made for a member', givenKey],
])('a key %s', (name, rows) => {
  it.each(rows)('with project %j and organization %j: %s', async (project, organization, outcome) => {
    const answer = await call<{ project_id: string; code: string }>(
      'PUT',
      PATH + query(project, organization),
      {
        key: keys[name]!,
        body: probe,
      },
    );
    if (typeof outcome === 'number') {
      expect(answer.status).toBe(outcome);
      expect(answer.body.code).toBe(outcome === 403 ? 'forbidden' : 'not_found');
    } else {
      expect(answer.body.project_id).toBe(projects[outcome]);
    }
  });
});

describe('reading by id', () => {
  it('reaches every project of the user, but nothing beyond the key', async () => {
    const inB = await call<Named>('PUT', PATH + query('B default', ''), { key: me.key, body: probe });
    const inA = await call<Named>('PUT', PATH + query('A default', ''), { key: me.key, body: probe });
    const read = async (key: string, id: string) => (await call('GET', `${PATH}/${id}`, { key })).status;
    expect(await read(me.key, inA.body.id)).toBe(200);
    expect(await read(me.key, inB.body.id)).toBe(200);
    expect(await read(keys['scoped to A second']!, inA.body.id)).toBe(404);
    expect(await read(keys['scoped to A second']!, inB.body.id)).toBe(404);
    expect(await read(keys['made for a member']!, inA.body.id)).toBe(200);
    expect(await read(keys['made for a member']!, inB.body.id)).toBe(404);
    expect(await read(stranger.key, inA.body.id)).toBe(404);
  });

  it('stays within the organization of the request', async () => {
    const form = { upload_file: new File(['text'], 'in-b.txt') };
    const { body } = await multipart(`/api/v1/files${query('B default', '')}`, form, me.key);
    const read = async (organization: string) =>
      (await call('GET', `/api/v1/files/${body.id}${query('', organization)}`, { key: me.key })).status;
    expect(await read('B')).toBe(200);
    expect(await read('')).toBe(200);
    expect(await read('A')).toBe(404);
  });

  it('ignores a scope parameter that the operation does not have', async () => {
    const { body } = await call<Named>('PUT', PATH, { key: me.key, body: probe });
    const answer = await call('GET', `${PATH}/${body.id}${query('C default', 'C')}`, { key: me.key });
    expect(answer.status).toBe(200);
  });
});

describe('updating by id', () => {
  it('acts in the project of the resource', async () => {
    const scope = query('B default', '');
    const init = { key: me.key };
    const body = { name: 'in B' };
    const pipeline = await call<Named>('POST', `/api/v1/pipelines${scope}`, { ...init, body });
    const other = { name: 'taken' };
    await call('POST', `/api/v1/pipelines${scope}`, { ...init, body: other });
    const path = `/api/v1/pipelines/${pipeline.body.id}`;
    const changed = await call<{ data_sink: { project_id: string } }>('PUT', path, {
      ...init,
      body: { data_sink: probe },
    });
    expect(changed.body.data_sink.project_id).toBe(projects['B default']);
    expect((await call('PUT', path, { ...init, body: other })).status).toBe(409);
  });
});

describe('every operation that takes a scope', () => {
  interface Description {
    paths: Record<string, { get?: { parameters?: { name: string; in: string; required?: boolean }[] } }>;
  }

  it('rejects a contradictory or foreign scope before anything else', async () => {
    const { body } = await call<Description>('GET', '/openapi.json', { key: null });
    const paths = Object.entries(body.paths).filter(([, { get }]) => {
      const inQuery = get?.parameters?.filter((each) => each.in === 'query') ?? [];
      return inQuery.some(({ name }) => name === 'project_id') && !inQuery.some(({ required }) => required);
    });
    expect(paths.length).toBeGreaterThan(10);
    for (const [path] of paths) {
      const real = path
        .replaceAll(/\{(page_index|figure_name)\}/g, '0')
        .replaceAll(/\{\w+\}/g, crypto.randomUUID());
      const get = async (project: string, organization: string) =>
        (await call('GET', real + query(project, organization), { key: me.key })).status;
      expect([path, await get('A second', 'B')]).toEqual([path, 403]);
      expect([path, await get('C default', '')]).toEqual([path, 404]);
      expect([path, (await call('GET', `${real}?project_id=x`, { key: me.key })).status]).toEqual([
        path,
        422,
      ]);
    }
  });
});
