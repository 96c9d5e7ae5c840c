import { expect, it } from 'vitest';
import { call } from '#test/support/client.ts';

const component = {
  bucket: 'b',
  aws_access_id: 'AK',
  aws_access_secret: 'SK',
  s3_endpoint_url: 'http://127.0.0.1:1',
};

it('takes and gives the words of clients', async () => {
  const source = { name: 'papers', source_type: 'S3', component };
  const made = await call<{ id: string }>('POST', '/compat/api/v1/data-sources', { body: source });
  expect(made).toMatchObject({
    status: 200,
    body: { source_type: 'S3', component: { bucket: 'b', aws_access_id: 'AK' } },
  });
  const neutral = await call('GET', `/api/v1/data-sources/${made.body.id}`);
  expect(neutral.body).toMatchObject({
    source_type: 'SOURCE_9_BUCKET',
    component: { bucket: 'b', cloud_access_id: 'AK' },
  });
});

it('leaves what callers name themselves as it is', async () => {
  const custom_metadata = { source_type: 'S3', llama_parse_parameters: { gpt4o_mode: true } };
  const body = { name: 'words', source_type: 'S3', component, custom_metadata };
  const made = await call('POST', '/compat/api/v1/data-sources', { body });
  expect(made.body).toMatchObject({ custom_metadata });
});

it('says in the words of clients what is wrong', async () => {
  const body = { name: 's', source_type: 'SOMETHING', component };
  const { status, body: told } = await call('POST', '/compat/api/v1/data-sources', { body });
  expect(status).toBe(422);
  expect(JSON.stringify(told)).toContain('AZURE_STORAGE_BLOB');
  expect(JSON.stringify(told)).not.toMatch(/SOURCE_\d/);
});
