import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { call, upload } from '#test/support/client.ts';
import { dumpEverything } from '#test/support/dump.ts';
import { clearLeftoversNow } from '#test/support/kept.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

interface Project {
  id: string;
  name: string;
  is_default: boolean;
}

interface Page {
  items: Project[];
  next_page_token: string | null;
}

const PATH = '/api/v1/projects';

async function create(tenant: Tenant, name: string): Promise<Project> {
  const answer = await call<Project>('POST', PATH, { key: tenant.key, body: { name } });
  expect(answer.status).toBe(200);
  return answer.body;
}

describe('projects', () => {
  it('are listed, found by name, read and renamed', async () => {
    const tenant = await createTenant();
    const { key } = tenant;
    const project = await create(tenant, 'Contracts');
    expect(project).toMatchObject({
      name: 'Contracts',
      is_default: false,
      organization_id: tenant.organizationId,
    });
    const listed = await call<Project[]>('GET', PATH, { key });
    expect(listed.body.map(({ name }) => name)).toEqual(['Contracts', 'Default']);
    const byName = (name: string) => call<Project[]>('GET', `${PATH}?project_name=${name}`, { key });
    expect((await byName('Contracts')).body).toEqual([project]);
    expect((await byName('contract')).body).toEqual([]);
    expect((await call('GET', `${PATH}/${project.id}`, { key })).body).toEqual(project);
    expect((await call('GET', `/api/v2/projects/${project.id}`, { key })).body).toEqual(project);
    const renamed = await call<Project>('PUT', `${PATH}/${project.id}`, { key, body: { name: 'Papers' } });
    expect(renamed.body.name).toBe('Papers');
  });

  it('have unique names in their organization', async () => {
    const tenant = await createTenant();
    const { key } = tenant;
    const project = await create(tenant, 'One');
    expect((await call('POST', PATH, { key, body: { name: 'One' } })).status).toBe(409);
    const taken = await call('PUT', `${PATH}/${project.id}`, { key, body: { name: 'Default' } });
    expect(taken.status).toBe(409);
    expect((await call('PUT', `${PATH}/${project.id}`, { key, body: { name: 'One' } })).status).toBe(200);
    const same = await call<Project>('PUT', PATH, { key, body: { name: 'One' } });
    expect(same.body.id).toBe(project.id);
    expect((await call<Project>('PUT', PATH, { key, body: { name: 'Two' } })).body.name).toBe('Two');
    expect((await call('POST', PATH, { key, body: { name: '' } })).status).toBe(422);
    expect((await call('POST', PATH, { key, body: { name: 'n'.repeat(3001) } })).status).toBe(422);
  });

  it('are hidden from other tenants, and a scoped key sees only its project', async () => {
    const [mine, theirs] = [await createTenant(), await createTenant({ scoped: true })];
    const { id } = await create(mine, 'Mine');
    const path = `${PATH}/${id}`;
    for (const method of ['GET', 'DELETE']) {
      expect((await call(method, path, { key: theirs.key })).status).toBe(404);
      expect((await call(method, path, { key: null })).status).toBe(401);
    }
    expect((await call('PUT', path, { key: theirs.key, body: { name: 'x' } })).status).toBe(404);
    expect((await call('GET', `/api/v2/projects/${id}`, { key: theirs.key })).status).toBe(404);
    const foreign = `?organization_id=${mine.organizationId}`;
    expect((await call('GET', PATH + foreign, { key: theirs.key })).status).toBe(404);
    const listed = await call<Project[]>('GET', PATH, { key: theirs.key });
    expect(listed.body.map((project) => project.id)).toEqual([theirs.projectId]);
    expect((await call('POST', PATH, { key: theirs.key, body: { name: 'x' } })).status).toBe(403);
  });

  it('filter pipelines by project name within the tenant', async () => {
    const [mine, theirs] = [await createTenant(), await createTenant()];
    for (const { key } of [theirs, mine]) {
      await call('POST', '/api/v1/pipelines', { key, body: { name: `of ${key}` } });
    }
    const found = await call<{ name: string }[]>('GET', '/api/v1/pipelines?project_name=Default', {
      key: mine.key,
    });
    expect(found.body.map(({ name }) => name)).toEqual([`of ${mine.key}`]);
  });

  it('are listed in pages by name', async () => {
    const tenant = await createTenant();
    for (const name of ['e', 'd', 'c', 'b']) await create(tenant, name);
    const names: string[] = [];
    for (let query: string | null = '?page_size=2'; query; ) {
      const page: Page = (await call<Page>('GET', `/api/v2/projects${query}`, { key: tenant.key })).body;
      names.push(...page.items.map(({ name }) => name));
      query = page.next_page_token && `?page_size=2&page_token=${page.next_page_token}`;
    }
    expect(names).toEqual(['Default', 'b', 'c', 'd', 'e']);
    const wrong = await call('GET', '/api/v2/projects?page_token=%%%', { key: tenant.key });
    expect(wrong.status).toBe(422);
  });

  it('are read page by page from the index on their names', async () => {
    const plan = await env.DB.prepare(
      'explain query plan select * from projects where organization_id = ? and (name) > (?) order by name limit 3',
    )
      .bind('o', 'n')
      .all<{ detail: string }>();
    const details = plan.results.map(({ detail }) => detail).join('; ');
    expect(details).toContain('projects_by_name');
    expect(details).not.toMatch(/SCAN|TEMP B-TREE/);
  });
});

describe('deleting a project', () => {
  const sink = { name: 's', sink_type: 'VENDOR_C', component: { uri: 'http://h.example' } };

  it('removes everything it owns, and nothing else', async () => {
    const tenant = await createTenant();
    const { key } = tenant;
    const { id } = await create(tenant, 'Doomed');
    const inProject = `?project_id=${id}`;
    const file = await upload('a.txt', 'A text of the doomed project.', { key, query: inProject });
    await call('POST', `/api/v1/data-sinks${inProject}`, { key, body: sink });
    const scoped = await call<{ redacted_api_key: string }>('POST', '/api/v1/api-keys', {
      key,
      body: { project_id: id },
    });
    const pipeline = await call<{ id: string }>('POST', `/api/v1/pipelines${inProject}`, {
      key,
      body: { name: 'p' },
    });
    // Another pipeline with an inline sink of the same project.
    await call('POST', `/api/v1/pipelines${inProject}`, { key, body: { name: 'q', data_sink: sink } });
    const pipelinePath = `/api/v1/pipelines/${pipeline.body.id}`;
    await call('PUT', `${pipelinePath}/files`, { key, body: [{ file_id: file }] });
    await call('POST', `${pipelinePath}/sync`, { key });
    await indexed(pipelinePath, key);
    const kept = await upload('b.txt', 'A text of the default project.', { key });
    expect(await dumpEverything()).toContain('A text of the doomed project.');

    expect((await call('DELETE', `${PATH}/${id}`, { key })).status).toBe(204);
    for (const path of [`${PATH}/${id}`, pipelinePath, `/api/v1/files/${file}`]) {
      expect((await call('GET', path, { key })).status).toBe(404);
    }
    expect((await call('GET', PATH, { key: scoped.body.redacted_api_key })).status).toBe(401);
    await clearLeftoversNow(id);
    // The audit log names what was deleted.
    const left = (await dumpEverything()).split('\n').filter((line) => !line.startsWith('audit_events '));
    expect(left.filter((line) => line.includes(id) || line.includes('of the doomed project'))).toEqual([]);
    expect((await call('GET', `/api/v1/files/${kept}`, { key })).status).toBe(200);
  });

  it('is rejected for the default project, and while another project uses its resources', async () => {
    const tenant = await createTenant();
    const { key } = tenant;
    expect((await call('DELETE', `${PATH}/${tenant.projectId}`, { key })).status).toBe(409);
    const { id } = await create(tenant, 'Shared');
    const query = `?project_id=${id}`;
    const { body } = await call<{ id: string }>('POST', `/api/v1/data-sinks${query}`, { key, body: sink });
    const user = { name: 'the user of it', data_sink_id: body.id };
    const pipeline = await call<{ id: string }>('POST', '/api/v1/pipelines', { key, body: user });
    const refused = await call<{ detail: string }>('DELETE', `${PATH}/${id}`, { key });
    expect(refused.status).toBe(409);
    expect(refused.body.detail).toContain('the user of it');
    await call('POST', `/api/v1/pipelines/${pipeline.body.id}/force-delete`, { key });
    expect((await call('DELETE', `${PATH}/${id}`, { key })).status).toBe(204);
  });

  it('is forbidden for scoped keys', async () => {
    const tenant = await createTenant();
    const { id } = await create(tenant, 'Kept');
    const body = { project_id: id };
    const scoped = await call<{ redacted_api_key: string }>('POST', '/api/v1/api-keys', {
      key: tenant.key,
      body,
    });
    const attempt = await call('DELETE', `${PATH}/${id}`, { key: scoped.body.redacted_api_key });
    expect(attempt.status).toBe(403);
  });
});

async function indexed(pipelinePath: string, key: string): Promise<void> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 50) {
    const { body } = await call<{ status: string }>('GET', `${pipelinePath}/status`, { key });
    if (body.status === 'SUCCESS') return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the file was not indexed');
}
