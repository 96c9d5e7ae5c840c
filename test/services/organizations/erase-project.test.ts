import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { keys } from '#src/bucket/keys.ts';
import { createContext } from '#src/context/context.ts';
import { projects } from '#src/db/schema/index.ts';
import { eraseProjects } from '#src/services/organizations/erase-project.ts';
import { actorOfKey } from '#src/services/tenancy/api-keys.ts';
import { resolveScope } from '#src/services/tenancy/request-scope.ts';
import { createTenant } from '#test/support/tenants.ts';

it('leaves nothing of an upload that was written while the project went', async () => {
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
          // Its bytes arrive behind the back of the first clearing.
          if (lists === 1 && listed.objects.length > 0) await target.put(late, 'late');
          return listed;
        };
      }
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const ctx = { ...real, bucket };
  const scope = await resolveScope(ctx, (await actorOfKey(real, key))!, {});
  await env.FILES.put(`${keys.project(projectId)}files/early`, 'early');
  await eraseProjects(scope, eq(projects.id, projectId));
  expect(lists).toBeGreaterThan(1);
  const left = await env.FILES.list({ prefix: keys.project(projectId) });
  expect(left.objects.map((object) => object.key)).toEqual([]);
  expect(await real.db.query.projects.findFirst({ where: eq(projects.id, projectId) })).toBeUndefined();
});
