import { ConflictError, NotFoundError } from '@llamaindex/llama-cloud';
import { expect, it } from 'vitest';
import { upload } from '#test/support/client.ts';
import { untilEnded } from '#test/support/jobs.ts';
import { createNpmClients } from '#test/support/npm-client.ts';
import { createTenant } from '#test/support/tenants.ts';

it('split jobs of the newest client are created once per key, listed, read, cancelled and deleted', async () => {
  const { key } = await createTenant();
  const { split } = createNpmClients(key).client;
  const asked = {
    file_input: await upload('letter.md', 'Dear Ada, the invoice is attached.\n', { key }),
    configuration: {
      categories: [{ name: 'letter', description: 'A letter to a person' }],
      splitting_strategy: { allow_uncategorized: 'omit' as const },
    },
    transaction_id: 'once',
  };
  const job = await split.create(asked);
  expect(job).toMatchObject({
    document_input_type: 'file_id',
    file_input: asked.file_input,
    categories: asked.configuration.categories,
    splitting_strategy: { allow_uncategorized: 'omit' },
  });
  expect((await split.create(asked)).id).toBe(job.id);
  await untilEnded('split', job.id, key);
  const done = await split.get(job.id);
  expect(done).toMatchObject({ status: 'completed' });
  for (const segment of done.result!.segments) expect(segment.pages).toEqual([1]);
  const listed: string[] = [];
  for await (const { id } of split.list({ status: 'completed' })) listed.push(id);
  expect(listed).toEqual([job.id]);
  await expect(split.cancel(job.id)).rejects.toThrow(ConflictError);
  await split.delete(job.id);
  await expect(split.get(job.id)).rejects.toThrow(NotFoundError);
});
