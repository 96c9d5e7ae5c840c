import { env } from 'cloudflare:workers';
import { beforeAll, expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { selectFolderCounts } from '#src/services/files/folders.ts';
import { getFilePage } from '#src/services/files/listing.ts';
import { selectTagCounts } from '#src/services/files/tags.ts';
import { scopeOf } from '#test/support/scopes.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

const FILES = 20_000;
const ctx = createContext(env, { waitUntil() {} });
let tenant: Tenant;
let projectId: string;

beforeAll(async () => {
  tenant = await createTenant();
  ({ projectId } = tenant);
  await env.DB.batch([
    env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${FILES})
       insert into files (id, project_id, name, folder, created_at)
       select ?1 || '-' || i, ?1, 'file ' || i, 'year ' || (i % 10) || '/month ' || (i % 12), i from n`,
    ).bind(projectId),
    env.DB.prepare(
      `insert into file_tags (file_id, tag, project_id)
       select files.id, 'tag ' || value, project_id from files, json_each('[1,2,3]') where project_id = ?`,
    ).bind(projectId),
  ]);
});

it('folders are counted in the index, without reading the files themselves', async () => {
  const query = selectFolderCounts(projectId, '', '', 51);
  const rows = await ctx.db.all<{ name: string; files: number }>(query);
  expect(rows).toHaveLength(10);
  expect(rows[0]).toEqual({ name: 'year 0', files: FILES / 10 });
  expect(await ctx.db.all(selectFolderCounts(projectId, 'year 1', '', 51))).toHaveLength(6);
});

it('tags are counted up to a limit', async () => {
  const rows = await ctx.db.all<{ tag: string; files: number }>(selectTagCounts(projectId, '', 51));
  expect(rows).toEqual(['tag 1', 'tag 2', 'tag 3'].map((tag) => ({ tag, files: 10_000 })));
});

it('a long list is filtered by all of several tags', async () => {
  await env.DB.prepare(
    `insert into file_tags (file_id, tag, project_id)
     select id, 'most', project_id from files where project_id = ? and created_at % 3`,
  )
    .bind(projectId)
    .run();
  const scope = await scopeOf(tenant, {});
  const filter = { tags: ['tag 1', 'most'] };
  const { items, total_size } = await getFilePage(scope, { filter, orderBy: 'created_at', pageSize: 4 });
  expect(items.map(({ name }) => name)).toEqual(['file 1', 'file 2', 'file 4', 'file 5']);
  expect(total_size).toBe(Math.ceil((FILES * 2) / 3));
});
