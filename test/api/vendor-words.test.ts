import { expect, it } from 'vitest';
import { z } from 'zod';
import { EMBEDDING_TYPES } from '#src/models/embedding/registry.ts';
import { SINK_TYPES, sinkComponents } from '#src/sinks/registry.ts';
import { SOURCE_TYPES, sourceComponents } from '#src/sources/registry.ts';
import { call, fetchService } from '#test/support/client.ts';
import { type Schema, withoutNull } from '#test/support/openapi.ts';
import { createPipeline, retrieve, untilFinished } from '#test/support/pipelines.ts';
import { sample } from '#test/support/probes.ts';
import { createTenant } from '#test/support/tenants.ts';
import { vendorWords } from '#test/support/vendor-words.ts';

it('detects a vendor name', () => {
  expect(vendorWords('{"class_name":"CohereEmbedding","type":"PROVIDER_C_EMBEDDING"}')).toHaveLength(1);
  expect(vendorWords('a bucket, a notepad, an s3000 and bm25')).toEqual([]);
});

it('the API description names no vendor', async () => {
  const response = await fetchService('GET', '/openapi.json', { key: null });
  expect(vendorWords(await response.text())).toEqual([]);
});

const smallest = (shape: z.ZodType) =>
  sample(withoutNull(z.toJSONSchema(shape, { io: 'input' }) as Schema)) as object;

const connections = [
  ...SINK_TYPES.map((sink_type) => [
    '/api/v1/data-sinks',
    { sink_type, component: smallest(sinkComponents[sink_type]) },
  ]),
  ...SOURCE_TYPES.map((source_type) => [
    '/api/v1/data-sources',
    { source_type, component: smallest(sourceComponents[source_type]) },
  ]),
  ...EMBEDDING_TYPES.map((type) => [
    '/api/v1/embedding-model-configs',
    { embedding_config: { type, component: {} } },
  ]),
] as [string, { component?: object; embedding_config?: { component: object } }][];

it.each(connections)('%s: responses and errors about %j name no vendor', async (path, given) => {
  const answers: unknown[] = [];
  const send = async (body: object) => answers.push((await call('POST', path, { body })).body);
  await send({ name: 'n', ...given });
  for (const component of [{ surplus: 1, class_nam: 'x' }, {}, 'text', { supports_access_control: 7 }]) {
    const { embedding_config, ...rest } = given;
    await send({
      name: 'n',
      ...(embedding_config
        ? { embedding_config: { ...embedding_config, component } }
        : { ...rest, component }),
    });
  }
  expect(vendorWords(JSON.stringify(answers))).toEqual([]);
});

it('responses of pipelines, including ones that cannot answer, name no vendor', async () => {
  const { key } = await createTenant();
  const answers: unknown[] = [];
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await call<{ id: string }>(method, path, { key, ...(body && { body }) });
    answers.push(answer.body);
    return answer.body.id;
  };
  const api_key = 'k';
  for (const config of [
    {},
    { embedding_config: { type: 'PROVIDER_C_EMBEDDING', component: { api_key } } },
    { embedding_config: { type: 'PROVIDER_G_EMBEDDING', component: { api_key } } },
    { data_sink: { name: 'n', sink_type: 'VENDOR_C', component: { uri: 'https://h.example' } } },
  ]) {
    const id = await ask('POST', '/api/v1/pipelines', { name: crypto.randomUUID(), ...config });
    await ask('POST', `/api/v1/pipelines/${id}/retrieve`, { query: 'quay' });
    await ask('POST', '/api/v1/retrievers/retrieve', { query: 'quay', pipelines: [{ pipeline_id: id }] });
    await ask('GET', `/api/v1/pipelines/${id}`);
  }
  const id = await createPipeline();
  const body = [{ id: 'a', text: 'Gulls nest on the quay.', metadata: {} }];
  await call('POST', `/api/v1/pipelines/${id}/documents`, { body });
  answers.push(await untilFinished(id), await retrieve(id, 'quay'));
  expect(vendorWords(JSON.stringify(answers))).toEqual([]);
});
