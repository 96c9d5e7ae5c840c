import { expect, it } from 'vitest';
import { call, upload } from '#test/support/client.ts';
import { expectNothingLeft, type Made, manyPages, newProject } from '#test/support/deleted-projects.ts';
import { everythingKept } from '#test/support/kept.ts';
import { createTenant } from '#test/support/tenants.ts';

/** Adds files of several pages, which differ between projects, and starts jobs on them. */
async function busy({ make, key }: Made): Promise<void> {
  const pipeline = await make.pipeline();
  const ids: string[] = [];
  for (let at = 0; at < 4; at++) ids.push(await upload('pages.pdf', manyPages(at), { key }));
  const files = ids.map((file_id) => ({ file_id }));
  await make.create('PUT', `/api/v1/pipelines/${pipeline}/files`, files);
  for (const file_id of ids) await make.create('POST', '/api/v2/parse', { file_id });
}

it('a deleted project leaves nothing if it is deleted at any moment of a sync and its jobs', async () => {
  const tenant = await createTenant();
  const before = await everythingKept();
  const projects: Made[] = [];
  // Milliseconds after which a project is deleted, spread over its work. The outcome is the same for each.
  for (const wait of [0, 20, 100, 250, 600, 1_500]) {
    const project = await newProject(tenant);
    projects.push(project);
    await busy(project);
    await new Promise((resolve) => setTimeout(resolve, wait));
    const answer = await call('DELETE', `/api/v1/projects/${project.id}`, { key: tenant.key });
    expect(answer.status).toBe(204);
  }
  await expectNothingLeft(before, projects);
});
