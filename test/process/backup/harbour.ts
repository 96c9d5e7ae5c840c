import { PATIENCE_MS } from '#test/support/patience.ts';
import { type Hit, SyncClient } from '../pipelines.ts';
import { type ServiceClient, sleep } from '../service.ts';

const SCHEMA = { type: 'object', properties: { invoice_number: { type: 'string' } } };
const INVOICE = 'Invoice number: INV-77\nTotal due: 19.50 EUR – paid in Kraków\n';
const QUESTIONS = ['Who keeps the lighthouse?', 'ferry Kraków', 'What does marmalade need?'];

/** Project with resources of every kind, and questions about it. */
export interface Harbour {
  projectId: string;
  pipelineId: string;
  retrieverId: string;
  fileId: string;
  sessionId: string;
  extractId: string;
  classifyId: string;
  parseId: string;
}

export async function fillHarbour(service: ServiceClient, projectId?: string): Promise<Harbour> {
  const scope = projectId ? `?project_id=${projectId}` : '';
  const make = async (path: string, body?: unknown) =>
    service.call<{ id: string; project_id: string }>('POST', `${path}${scope}`, body);
  const name = `harbour ${crypto.randomUUID()}`;
  const source = await make('/api/v1/data-sources', {
    name,
    source_type: 'SOURCE_9_BUCKET',
    component: {
      bucket: 'papers',
      bucket_endpoint_url: 'http://127.0.0.1:9',
      cloud_access_id: 'id',
      cloud_access_secret: 'a secret of a source',
    },
  });
  const pipeline = await make('/api/v1/pipelines', { name });
  const form = new FormData();
  form.append('upload_file', new File([INVOICE], 'invoice.txt'));
  const file = await make('/api/v1/files', form);
  const client = new SyncClient(service);
  const at = `/api/v1/pipelines/${pipeline.id}`;
  await service.call('PUT', `${at}/files`, [{ file_id: file.id, custom_metadata: { shelf: 'b' } }]);
  // All passages differ, because equal passages would be ordered by ids, which depend on the index.
  const long = Array.from(
    { length: 400 },
    (_, n) => `Ferry ${n ** 2 + n} sails past buoy ${n * 37} at noon. `,
  ).join('');
  await service.call('POST', `${at}/documents`, [
    { id: 'keeper', text: 'Ignatius Vandersteen keeps the lighthouse.', metadata: { place: 'pier' } },
    { id: 'jam', text: 'Marmalade needs oranges.', metadata: {} },
    { id: 'long', text: long, metadata: {} },
  ]);
  await client.sync(pipeline.id);
  const retriever = await make('/api/v1/retrievers', {
    name,
    pipelines: [{ name: 'harbour', description: 'All of it.', pipeline_id: pipeline.id }],
  });
  const session = await service.call<{ id: string }>('POST', `${at}/chat-sessions`, { name: 'Tides' });
  const messages = [{ role: 'user', content: 'Who keeps the lighthouse?' }];
  await (await service.fetch('POST', `${at}/chat`, { messages, session_id: session.id })).text();
  const configuration = { data_schema: SCHEMA };
  const webhook_configurations = [
    { webhook_url: 'http://127.0.0.1:9/hook', webhook_headers: { authorization: 'a secret of a webhook' } },
  ];
  const extract = await make('/api/v2/extract', {
    file_input: file.id,
    configuration,
    webhook_configurations,
  });
  const rules = [{ type: 'invoice', description: 'A bill with a number and a total.' }];
  const classify = await make('/api/v2/classify', { file_input: file.id, configuration: { rules } });
  const parse = await make('/api/v2/parse', { file_id: file.id });
  const parameters = { product_type: 'classify_v2', rules };
  await make('/api/v1/beta/configurations', { name, parameters });
  for (const path of [`extract/${extract.id}`, `classify/${classify.id}`, `parse/${parse.id}`]) {
    await untilEnded(service, `/api/v2/${path}`);
  }
  return {
    projectId: source.project_id,
    pipelineId: pipeline.id,
    retrieverId: retriever.id,
    fileId: file.id,
    sessionId: session.id,
    extractId: extract.id,
    classifyId: classify.id,
    parseId: parse.id,
  };
}

async function untilEnded(service: ServiceClient, path: string): Promise<void> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 100) {
    const answer = await service.call<{ status?: string; job?: { status: string } }>('GET', path);
    const status = answer.status ?? answer.job?.status ?? '';
    if (status === 'COMPLETED') return;
    if (status === 'FAILED') throw new Error(JSON.stringify(answer));
    await sleep(100);
  }
  throw new Error(`${path} did not end`);
}

/** Returns all answers without values that depend on the index, such as node ids and times. */
export async function answersAbout(
  service: ServiceClient,
  harbour: Harbour,
): Promise<Record<string, unknown>> {
  const { projectId, pipelineId, retrieverId, fileId, sessionId, extractId, classifyId, parseId } = harbour;
  const at = `/api/v1/pipelines/${pipelineId}`;
  const scope = `project_id=${projectId}`;
  const answers: Record<string, unknown> = {};
  for (const path of [
    `${at}/chat-sessions/${sessionId}`,
    `${at}/files`,
    `${at}/status`,
    `/api/v1/retrievers/${retrieverId}`,
    `/api/v1/data-sources?${scope}`,
    `/api/v1/beta/configurations?${scope}`,
    `/api/v2/extract/${extractId}?expand=extract_metadata`,
    `/api/v2/classify/${classifyId}`,
    `/api/v2/parse/${parseId}?expand=text&expand=items`,
  ]) {
    answers[path] = plain(await service.call('GET', path));
  }
  for (const id of ['keeper', 'jam', 'long']) {
    answers[id] = plain(await service.call('GET', `${at}/documents/${id}`));
  }
  for (const query of QUESTIONS) {
    for (const path of [`${at}/retrieve`, `/api/v1/retrievers/${retrieverId}/retrieve`]) {
      const answer = await service.call<{ retrieval_nodes?: Hit[]; nodes?: Hit[] }>('POST', path, { query });
      const nodes = answer.retrieval_nodes ?? answer.nodes ?? [];
      answers[`${path} ${query}`] = nodes.map((hit) =>
        plain({ ...hit, node: { ...hit.node, id: undefined } }),
      );
    }
  }
  const { url } = await service.call<{ url: string }>('GET', `/api/v1/files/${fileId}/content`);
  answers.bytes = await (await fetch(url)).text();
  return answers;
}

/** Members that change with a new run or another URL. */
const OWN = new Set([
  'id_',
  'relationships',
  'node_id',
  'deployment_date',
  'effective_at',
  'job_id',
  'status_updated_at',
  'updated_at',
  'url',
  'start_time',
  'last_run_at',
]);

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !OWN.has(name));
  return Object.fromEntries(members.map(([name, member]) => [name, plain(member)]));
}
