import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { COMPAT_OPERATIONS } from '#src/api/compat/operations.ts';
import { isWrite } from '#src/api/operation/endpoint.ts';
import { OPERATIONS } from '#src/api/operations.ts';
import { getCollection, isOwnerKnown } from '#src/services/audit/owner.ts';
import { call, upload } from '#test/support/client.ts';
import { INVOICE, INVOICE_SCHEMA } from '#test/support/jobs.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

interface Event {
  operation: string;
  object_id: string;
  project_id: string;
}

/** Collections that belong to the installation. Only the operator changes them. */
const OF_INSTALLATION = ['dead-letters', 'restores'];

const agents = '/compat/api/v1/extraction/extraction-agents';

async function listEvents({ organizationId, key }: Tenant): Promise<Event[]> {
  const path = `/api/v1/organizations/${organizationId}/audit-log`;
  return (await call<{ items: Event[] }>('GET', path, { key })).body.items;
}

/** Makes the user of one tenant a member of another one, so that the user's key reaches both. */
async function createGuest(host: Tenant): Promise<Tenant> {
  const guest = await createTenant();
  await env.DB.prepare(
    "insert into members (organization_id, user_id, name, role) values (?, ?, 'Guest', 'member')",
  )
    .bind(host.organizationId, guest.userId)
    .run();
  return guest;
}

describe('the owner of a changed object', () => {
  it('can be found for the first object in the path of every operation that takes no scope', () => {
    const unknown = [...OPERATIONS, ...COMPAT_OPERATIONS].flatMap((operation) => {
      if (operation.access !== 'resource' || !isWrite(operation)) return [];
      const segments = operation.path.split('/');
      const place = segments.findIndex((segment) => segment.startsWith('{'));
      const collection = getCollection(segments, place);
      if (place < 0 || OF_INSTALLATION.includes(collection) || isOwnerKnown(collection)) return [];
      return [`${operation.id}: ${collection}`];
    });
    expect(unknown).toEqual([]);
  });

  it('is the organization of an extraction agent and of the job that it starts', async () => {
    const host = await createTenant();
    const guest = await createGuest(host);
    const agent = { data_schema: INVOICE_SCHEMA, config: {} };
    const body = { name: 'Invoices', ...agent };
    const { id } = (await call<{ id: string }>('POST', agents, { key: host.key, body })).body;
    const file_id = await upload('invoice.txt', INVOICE, { key: host.key });
    const { key } = guest;
    expect((await call('PUT', `${agents}/${id}`, { key, body: agent })).status).toBe(200);
    const started = await call<{ id: string }>('POST', '/compat/api/v1/extraction/jobs', {
      key,
      body: { extraction_agent_id: id, file_id },
    });
    expect(started.status, JSON.stringify(started.body)).toBe(200);
    expect((await call('DELETE', `${agents}/${id}`, { key })).status).toBe(200);
    const operations = ['deleteExtractionAgent', 'startExtractionJob', 'updateExtractionAgent'];
    await expect
      .poll(async () => (await listEvents(host)).map(({ operation }) => operation))
      .toEqual(expect.arrayContaining(operations));
    const events = (await listEvents(host)).filter(({ operation }) => operations.includes(operation));
    expect(events.map(({ project_id }) => project_id)).toEqual([1, 2, 3].map(() => host.projectId));
    const changed = events.find(({ operation }) => operation === 'updateExtractionAgent');
    expect(changed!.object_id).toBe(`cfg-${id}`);
    expect(await listEvents(guest)).toEqual([]);
  });
});
