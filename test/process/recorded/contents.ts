import { buildPdf, paragraph } from '#test/fixtures/pdf.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { SyncClient } from '../pipelines.ts';
import { type ServiceClient, sleep } from '../service.ts';
import { HELD, INVOICE, type Neighbours } from './neighbours.ts';

/** Ids of created resources, by the names that questions use. */
export type Ids = Record<
  | 'manuals'
  | 'letters'
  | 'source'
  | 'retriever'
  | 'session'
  | 'manual'
  | 'tariff'
  | 'invoice'
  | 'hook'
  | 'configuration'
  | 'extract'
  | 'parse'
  | 'classify'
  | 'waitingParse'
  | 'told',
  string
>;

const TARIFF = `# Tariff\n\n| Vessel | Fee |\n| --- | --- |\n| Trawler | 40 EUR |\n| Yacht | 15 EUR |\n\n## Night berths\n\nA night berth doubles the fee unless a storm warning is out.\n`;
const MANUAL = [
  ['The north quay is nine metres deep at low water.', 'Cranes on it lift up to thirty tonnes.'],
  ['Pilots board beyond the fairway buoy.', 'The signal station answers on channel twelve.'],
];
const INVOICE_SCHEMA = {
  type: 'object',
  properties: { invoice_number: { type: 'string' }, total_due: { type: 'number' } },
};
const RULES = [
  { type: 'invoice', description: 'A bill with an invoice number and a total due.' },
  { type: 'letter', description: 'A personal letter that begins with a greeting.' },
];
export const HOOK_SECRET = 'what the recorded webhook is signed with';

const manual = () =>
  new Uint8Array(
    buildPdf({ pages: MANUAL.map((lines) => ({ content: paragraph(72, 720, lines, 12, 18) })) }),
  );

const made = async (service: ServiceClient, path: string, body: object) =>
  (await service.call<{ id: string }>('POST', path, body)).id;

/** Fills a new service with resources of every kind and waits until all work is done. */
export async function fill(service: ServiceClient, neighbours: Neighbours): Promise<Ids> {
  const client = new SyncClient(service);
  const manuals = await client.createPipeline({
    name: 'Manuals',
    metadata_config: { excluded_llm_metadata_keys: ['shelf'] },
    preset_retrieval_parameters: { dense_similarity_top_k: 5, rerank_top_n: 4 },
  });
  const [manualFile, tariff] = [
    await service.upload('manual.pdf', manual()),
    await service.upload('tariff.md', TARIFF),
  ];
  await service.call('PUT', `/api/v1/pipelines/${manuals}/files`, [
    { file_id: manualFile, custom_metadata: { shelf: 'north' } },
    { file_id: tariff, custom_metadata: { shelf: 'office' } },
  ]);
  await service.call('POST', `/api/v1/pipelines/${manuals}/documents`, [
    { id: 'tides', text: 'Spring tides flood the slipway twice a month.', metadata: { year: 1911 } },
    { id: 'birds', text: 'Cormorants nest on the breakwater.', metadata: { year: 1987 } },
  ]);
  const { source, letters } = await sourced(service, client, neighbours);
  await client.sync(manuals);
  const retriever = await made(service, '/api/v1/retrievers', {
    name: 'Everything',
    pipelines: [manuals, letters].map((pipeline_id, at) => ({
      pipeline_id,
      name: ['manuals', 'letters'][at],
      description: 'Of the harbour.',
    })),
  });
  const session = await chatted(service, manuals);
  return {
    ...{ manuals, letters, source, retriever, session, manual: manualFile, tariff },
    ...(await jobs(service, neighbours)),
    waitingParse: '',
    told: '',
  };
}

async function sourced(service: ServiceClient, client: SyncClient, { bucket }: Neighbours) {
  const { accessKeyId: cloud_access_id, secretAccessKey: cloud_access_secret } = bucket.credentials;
  const source = await made(service, '/api/v1/data-sources', {
    name: 'Letters',
    source_type: 'SOURCE_9_BUCKET',
    component: {
      bucket: 'letters',
      ...{ cloud_access_id, cloud_access_secret },
      bucket_endpoint_url: bucket.url,
    },
    custom_metadata: { shelf: 'archive' },
  });
  const letters = await client.createPipeline({
    name: 'Letters',
    transform_config: {
      mode: 'advanced',
      segmentation_config: { mode: 'element' },
      chunking_config: { mode: 'sentence', chunk_size: 64, chunk_overlap: 8 },
    },
  });
  await service.call('PUT', `/api/v1/pipelines/${letters}/data-sources`, [{ data_source_id: source }]);
  await client.sync(letters);
  return { source, letters };
}

async function chatted(service: ServiceClient, pipeline: string): Promise<string> {
  const path = `/api/v1/pipelines/${pipeline}`;
  const session = await made(service, `${path}/chat-sessions`, { name: 'Depths' });
  for (const content of ['How deep is the north quay?', 'And how much do its cranes lift?']) {
    const messages = [{ role: 'user', content }];
    const answer = await service.fetch('POST', `${path}/chat`, { messages, session_id: session });
    await answer.text();
  }
  return session;
}

async function jobs(service: ServiceClient, neighbours: Neighbours) {
  const hook = await made(service, '/api/v1/beta/webhook-configs', {
    webhook_url: neighbours.at('hook'),
    webhook_signing_secret: HOOK_SECRET,
    webhook_events: ['extract.success', 'parse.success'],
  });
  const configuration = await made(service, '/api/v1/beta/configurations', {
    name: 'Invoices',
    parameters: { product_type: 'extract_v2', data_schema: INVOICE_SCHEMA },
  });
  const url = neighbours.at('invoice.txt');
  const invoice = await service.upload('invoice.txt', INVOICE);
  const extract = await made(service, '/api/v2/extract', {
    file_input: invoice,
    configuration_id: configuration,
    webhook_configuration_ids: [hook],
  });
  await ended(service, 'extract', extract);
  const parse = await made(service, '/api/v2/parse', { url, configuration: { tier: 'fast' } });
  await ended(service, 'parse', parse);
  const classify = await made(service, '/api/v2/classify', {
    file_input: url,
    configuration: { rules: RULES },
  });
  await ended(service, 'classify', classify);
  return { invoice, hook, configuration, extract, parse, classify };
}

export async function ended(service: ServiceClient, product: string, id: string): Promise<string> {
  return until(
    async () => (await service.call<{ status: string }>('GET', `/api/v2/${product}/${id}`)).status,
    (status) => status !== 'PENDING' && status !== 'RUNNING',
  );
}

/**
 * Leaves work unfinished: a sync that waits for the bucket, a parse job that waits for its document, and a
 * delivery whose receiver is unavailable.
 */
export async function beginWork(service: ServiceClient, neighbours: Neighbours, ids: Ids): Promise<void> {
  neighbours.receives = false;
  ids.told = await made(service, '/api/v2/extract', {
    file_input: ids.invoice,
    configuration: { data_schema: INVOICE_SCHEMA, extraction_target: 'per_doc' },
    webhook_configuration_ids: [ids.hook],
  });
  await ended(service, 'extract', ids.told);
  neighbours.hold();
  ids.waitingParse = await made(service, '/api/v2/parse', {
    url: neighbours.at(HELD),
    configuration: { tier: 'fast' },
  });
  const client = new SyncClient(service);
  await service.call('POST', `/api/v1/pipelines/${ids.letters}/sync`);
  await until(
    () => client.status(ids.letters),
    ({ progress }) => (progress.items.running ?? 0) > 0,
  );
}

export async function until<T>(read: () => Promise<T>, done: (value: T) => boolean): Promise<T> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 100) {
    const value = await read();
    if (done(value)) return value;
    await sleep(100);
  }
  throw new Error(`it did not come to pass: ${JSON.stringify(await read())}`);
}
