import { expect, it } from 'vitest';
import { call } from '#test/support/client.ts';

interface Told {
  id: string;
  warnings?: { field: string; reason: string }[];
}

it.each(['agentic_plus', 'turbo'])('the tier %s is stored as agentic, with a warning', async (tier) => {
  const data_schema = { type: 'object', properties: { turbo: { type: 'string' } } };
  const parameters = { product_type: 'extract_v2', tier, data_schema };
  const body = { name: `tier ${tier}`, parameters };
  const saved = await call<Told>('POST', '/compat/api/v1/beta/configurations', { body });
  expect(saved.body).toMatchObject({
    parameters: { tier: 'agentic', data_schema },
    warnings: [{ field: 'parameters.tier', reason: expect.stringContaining('agentic is used') }],
  });
  const path = `/compat/api/v1/beta/configurations/${saved.body.id}`;
  expect((await call<Told>('GET', path)).body).toMatchObject({ parameters: { tier: 'agentic' } });
  expect((await call('POST', '/api/v1/beta/configurations', { body })).status).toBe(422);
});

it('events of batches that have not ended are stored, with a warning', async () => {
  const webhook_events = ['batch.running', 'batch.success', 'parse.success'];
  const body = { webhook_url: 'https://hooks.example/', webhook_events };
  const made = await call<Told>('POST', '/compat/api/v1/beta/webhook-configs', { body });
  expect(made.body).toMatchObject({
    webhook_events,
    warnings: [{ field: 'webhook_events', reason: expect.stringMatching(/: batch\.running\.$/) }],
  });
});
