import { NotFoundError, UnprocessableEntityError } from '@llamaindex/llama-cloud';
import { describe, expect, it } from 'vitest';
import { createNpmClients } from '#test/support/npm-client.ts';
import { createTenant } from '#test/support/tenants.ts';

const invoices = { deployment_name: 'invoices', collection: 'approved' };

interface Found {
  id?: string | null;
  data: Record<string, unknown>;
}

async function collectAll<Item>(pages: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of pages) found.push(item);
  return found;
}

describe('agent data of the npm clients', () => {
  it.each(['client', 'first'] as const)('is stored, searched, grouped and deleted by %s', async (version) => {
    const { key, projectId } = await createTenant();
    const { agentData } = createNpmClients(key)[version].beta;
    const totals = [120, 80, 3000];
    const vendors = ['Mill', 'Harbour', 'Mill'];
    for (const [index, total] of totals.entries()) {
      // A value in the data that is a word of the API must stay as it is.
      await agentData.agentData({ ...invoices, data: { total, vendor: vendors[index], source_type: 'S3' } });
    }
    const found = await collectAll<Found>(
      agentData.search({
        ...invoices,
        filter: { total: { gte: 100 } },
        order_by: 'total desc',
        page_size: 1,
      }),
    );
    expect(found.map(({ data }) => data.total)).toEqual([3000, 120]);
    expect(found[0]).toMatchObject({ ...invoices, project_id: projectId, data: { source_type: 'S3' } });

    const id = found[0]!.id!;
    const data = { total: 2900, vendor: 'Mill' };
    expect(await agentData.update(id, { data })).toMatchObject({ id, data });
    expect(await agentData.get(id)).toMatchObject({ id, data });

    const groups = agentData.aggregate({
      ...invoices,
      group_by: ['vendor'],
      count: true,
      first: true,
      page_size: 1,
    });
    expect(await collectAll<object>(groups)).toMatchObject([
      { group_key: { vendor: 'Harbour' }, count: 1, first_item: { total: 80 } },
      { group_key: { vendor: 'Mill' }, count: 2, first_item: { total: 120 } },
    ]);

    expect(await agentData.delete(id)).toEqual({ id });
    await expect(agentData.get(id)).rejects.toMatchObject({ status: 404 });
    const filter = { vendor: { includes: ['Harbour', 'Quay'] } };
    expect(await agentData.deleteByQuery({ ...invoices, filter })).toEqual({ deleted_count: 1 });
    expect((await agentData.search({ ...invoices, include_total: true })).items).toHaveLength(1);
  });

  it('reports errors that the client knows', async () => {
    const { agentData } = createNpmClients((await createTenant()).key).client.beta;
    await expect(agentData.get(crypto.randomUUID())).rejects.toThrow(NotFoundError);
    const unknown = { total: { like: 'x' } } as Record<string, object>;
    await expect(agentData.deleteByQuery({ ...invoices, filter: unknown })).rejects.toThrow(
      UnprocessableEntityError,
    );
  });
});
