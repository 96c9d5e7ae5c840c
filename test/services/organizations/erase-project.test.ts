import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { keys } from '#src/bucket/keys.ts';
import { createContext } from '#src/context/context.ts';
import { projects } from '#src/db/schema/index.ts';
import { eraseProjects } from '#src/services/organizations/erase-project.ts';
import { findKeyActor } from '#src/services/tenancy/api-keys.ts';
import { resolveScope } from '#src/services/tenancy/request-scope.ts';
import { createFixtures } from '#test/suites/operation-inputs.ts';
import { createTenant } from '#test/support/tenants.ts';

it('deleting a project removes an upload that was written during the deletion', async () => {
  const { key, projectId } = await createTenant();
  const real = createContext(env, { waitUntil() {} } as never);
  const late = `${keys.project(projectId)}files/late`;
  let lists = 0;
  const bucket = new Proxy(env.FILES, {
    get(target, name) {
      const member = Reflect.get(target, name, target) as unknown;
      if (name === 'list') {
        return async (options: R2ListOptions) => {
          const listed = await target.list(options);
          if (options.prefix === keys.project(projectId)) lists += 1;
          // The bytes arrive during the first clearing.
          if (lists === 1 && listed.objects.length > 0) await target.put(late, 'late');
          return listed;
        };
      }
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const ctx = { ...real, bucket };
  const scope = await resolveScope(ctx, (await findKeyActor(real, key))!, {});
  await env.FILES.put(`${keys.project(projectId)}files/early`, 'early');
  await eraseProjects(scope, eq(projects.id, projectId));
  expect(lists).toBeGreaterThan(1);
  const left = await env.FILES.list({ prefix: keys.project(projectId) });
  expect(left.objects.map((object) => object.key)).toEqual([]);
  expect(await real.db.query.projects.findFirst({ where: eq(projects.id, projectId) })).toBeUndefined();
});

const insertSink = `insert into data_sinks (id, project_id, name, sink_type, component) values (?1, ?2, 's', 'x', '{}')`;
const insertSource = `insert into data_sources (id, project_id, name, source_type, component)
  values (?1, ?2, 's', 'x', '{}')`;
const insertModel = `insert into embedding_model_configs (id, project_id, name, embedding_config)
  values (?1, ?2, 'm', '{}')`;
const insertFile = `insert into files (id, project_id, name) values (?1, ?2, 'f')`;

it.each([
  ['data sink', insertSink, 'update pipelines set data_sink_id = ?1 where id = ?2'],
  ['embedding model', insertModel, 'update pipelines set embedding_model_config_id = ?1 where id = ?2'],
  [
    'data source',
    insertSource,
    'insert into pipeline_data_sources (id, pipeline_id, data_source_id) values (?1, ?2, ?1)',
  ],
  [
    'file',
    insertFile,
    `insert into pipeline_members (id, pipeline_id, kind, document_id, file_id) values (?1, ?2, 'file', ?1, ?1)`,
  ],
])(
  'deleting a project is rejected while a pipeline of another project uses its %s',
  async (_, insert, use) => {
    const [{ key, projectId }, user] = [await createTenant(), await createTenant()];
    const pipeline = await createFixtures(user).pipeline();
    const ctx = createContext(env, { waitUntil() {} } as never);
    const scope = await resolveScope(ctx, (await findKeyActor(ctx, key))!, {});
    const used = crypto.randomUUID();
    await env.DB.prepare(insert).bind(used, projectId).run();
    await env.DB.prepare(use).bind(used, pipeline).run();
    const erased = eraseProjects(scope, eq(projects.id, projectId));
    await expect(erased).rejects.toThrow('The project is in use by: ');
    expect(await ctx.db.query.projects.findFirst({ where: eq(projects.id, projectId) })).toBeDefined();
  },
);
