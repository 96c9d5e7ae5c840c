import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { openDatabase } from '#src/db/client.ts';
import { auditEvents } from '#src/db/schema/index.ts';
import { DAY_MS } from '#src/lib/day.ts';
import { EVENTS_PER_SEARCH, exportAudit, getAuditPage } from '#src/services/audit/list.ts';
import { findKeyActor } from '#src/services/tenancy/api-keys.ts';
import { resolveScope } from '#src/services/tenancy/request-scope.ts';
import { call } from '#test/support/client.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';
import { toldDatabase } from '#test/support/told-database.ts';

interface Page {
  items: { id: string }[];
  searched_from: string | null;
}

const AGES = [1, 80, 100, 300];
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

let tenant: Tenant;

beforeAll(async () => {
  tenant = await createTenant();
  const { organizationId, projectId, userId } = tenant;
  await openDatabase(env.DB)
    .insert(auditEvents)
    .values(
      AGES.map((days) => ({
        ...{
          id: crypto.randomUUID(),
          organizationId,
          projectId,
          userId,
          requestId: 'r',
          outcome: 'success' as const,
        },
        operation: 'deletePipeline',
        objectId: 'a pipeline',
        createdAt: daysAgo(days),
      })),
    );
});

async function list(query: Record<string, string>): Promise<Page> {
  const path = `/api/v1/organizations/${tenant.organizationId}/audit-log?${new URLSearchParams(query)}`;
  return (await call<Page>('GET', path, { key: tenant.key })).body;
}

describe('a search in the audit log', () => {
  it.each(['operation', 'outcome', 'user_id', 'changed_project_id'])(
    'by %s covers 90 days unless it names a time or an object',
    async (field) => {
      const { userId, projectId } = tenant;
      const values: Record<string, string> = {
        ...{ operation: 'deletePipeline', outcome: 'success' },
        ...{ user_id: userId, changed_project_id: projectId },
      };
      const filter = { [field]: values[field]! };
      const { items, searched_from } = await list(filter);
      expect(items).toHaveLength(2);
      expect(Math.round((Date.now() - Date.parse(searched_from!)) / DAY_MS)).toBe(90);
      const from = daysAgo(200).toISOString();
      expect(await list({ ...filter, from })).toMatchObject({ searched_from: from, items: { length: 3 } });
      const before = await list({ ...filter, to: daysAgo(90).toISOString() });
      expect(before.items).toHaveLength(1);
      const ofObject = await list({ ...filter, object_id: 'a pipeline' });
      expect(ofObject).toMatchObject({ searched_from: null, items: { length: 4 } });
    },
  );

  it('without a filter covers the whole log', async () => {
    expect(await list({})).toMatchObject({ searched_from: null, items: { length: 4 } });
  });

  it('by an object reads an index and sorts nothing', async () => {
    const { DB, statements } = toldDatabase();
    const ctx = createContext({ ...env, DB }, { waitUntil() {} });
    const scope = await resolveScope(ctx, (await findKeyActor(ctx, tenant.key))!, {});
    await getAuditPage(scope, tenant.organizationId, { object_id: 'a pipeline', page_size: 2 });
    const sql = statements.find((text) => text.includes('audit_events'))!;
    const { results } = await env.DB.prepare(`explain query plan ${sql}`)
      .bind(...Array.from(sql.matchAll(/\?/g), () => 1))
      .all<{ detail: string }>();
    const plan = results.map(({ detail }) => detail).join('\n');
    expect(plan).toContain('audit_events_by_object');
    expect(plan).not.toContain('TEMP B-TREE');
  });

  describe('that few events match', () => {
    const TOTAL = 2 * EVENTS_PER_SEARCH + 5;
    let other: Tenant;

    // One event is older than all that a search covers, and another one has the same time as many others.
    beforeAll(async () => {
      other = await createTenant();
      await env.DB.prepare(
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
         insert into audit_events (id, organization_id, operation, outcome, object_id, request_id, created_at)
         select printf('%08d', i), ?, iif(i in (1, ?), 'rare', 'common'), 'success', 'an object', 'r', ? + i / 7
         from n`,
      )
        .bind(TOTAL, other.organizationId, TOTAL - EVENTS_PER_SEARCH + 1, Date.now() - 10 * DAY_MS)
        .run();
    });

    const open = async () => {
      const { DB, statements } = toldDatabase();
      const ctx = createContext({ ...env, DB }, { waitUntil() {} });
      return { scope: await resolveScope(ctx, (await findKeyActor(ctx, other.key))!, {}), statements };
    };

    it('reads a limited part of the log for each page, from an index', async () => {
      const { scope, statements } = await open();
      const pages: { ids: string[]; searchedFrom: Date | undefined }[] = [];
      for (let token: string | null | undefined; token !== null; ) {
        const query = { operation: 'rare', from: daysAgo(100).toISOString(), page_token: token ?? null };
        const page = await getAuditPage(scope, other.organizationId, query);
        pages.push({ ids: page.items.map(({ id }) => id), searchedFrom: page.searchedFrom });
        token = page.next_page_token;
      }
      const id = (number: number) => String(number).padStart(8, '0');
      expect(pages.map(({ ids }) => ids)).toEqual([[id(TOTAL - EVENTS_PER_SEARCH + 1)], [], [id(1)]]);
      const times = pages.map(({ searchedFrom }) => searchedFrom!.getTime());
      expect(times).toEqual(times.toSorted((one, two) => two - one));
      for (const sql of statements.filter((text) => text.includes('from "audit_events"'))) {
        const { results } = await env.DB.prepare(`explain query plan ${sql}`)
          .bind(...Array.from(sql.matchAll(/\?/g), () => 1))
          .all<{ detail: string }>();
        const plan = results.map(({ detail }) => detail).join('\n');
        expect(plan).toContain('audit_events_by_organization');
        expect(plan).not.toContain('TEMP B-TREE');
      }
    });

    it('is exported as a whole', async () => {
      const { scope } = await open();
      const count = async (filter: object) =>
        (await Array.fromAsync(await exportAudit(scope, other.organizationId, filter))).flat().length;
      expect(await count({ operation: 'rare' })).toBe(2);
      expect(await count({ operation: 'common', from: daysAgo(100).toISOString() })).toBe(TOTAL - 2);
    });
  });

  it('is exported with the same limit, and without a filter as a whole', async () => {
    const ctx = createContext(env, { waitUntil() {} });
    const scope = await resolveScope(ctx, (await findKeyActor(ctx, tenant.key))!, {});
    const count = async (filter: object) => {
      let number = 0;
      for await (const events of await exportAudit(scope, tenant.organizationId, filter))
        number += events.length;
      return number;
    };
    expect(await count({})).toBe(4);
    expect(await count({ operation: 'deletePipeline' })).toBe(2);
  });
});
