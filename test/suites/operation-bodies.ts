import { INVOICE_SCHEMA } from '#test/support/jobs.ts';

// Valid request bodies, from which the fixtures and the inputs of operations are made.

export const named = (kind: string) => `${kind} ${crypto.randomUUID()}`;
export const sink = () => ({
  name: named('sink'),
  sink_type: 'VENDOR_C',
  // The host name does not exist, so a check of the sink fails at once.
  component: { uri: 'https://nowhere.example' },
});
export const source = () => ({
  name: named('source'),
  source_type: 'SOURCE_9_BUCKET',
  // Attaching the source reads it. The tests answer every request to a public host; see public-answers.ts.
  component: {
    bucket: 'papers',
    bucket_endpoint_url: 'https://storage.example',
    cloud_access_id: 'id',
    cloud_access_secret: 'secret',
  },
});
export const embedding = { type: 'PROVIDER_F_EMBEDDING', component: {} };
export const webhook = { webhook_url: 'http://8.8.8.8/hook' };
export const question = { messages: [{ role: 'user', content: 'What does marmalade need?' }] };
export const extraction = { data_schema: INVOICE_SCHEMA };
export const agent = { ...extraction, config: { cite_sources: true } };
export const saved = () => ({
  name: named('configuration'),
  parameters: { product_type: 'extract_v2', ...extraction },
});
export const document = (id: string) => ({ id, text: 'Marmalade needs oranges.', metadata: { shelf: 'b' } });
export const textFile = (name = 'note.txt') => new File(['A note about the harbour.'], name);
