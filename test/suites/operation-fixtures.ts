import { env } from 'cloudflare:workers';
import { openDatabase } from '#src/db/client.ts';
import { connectedApplications, traces } from '#src/db/schema/index.ts';
import { buildPdf, text } from '#test/fixtures/pdf.ts';
import { call, upload } from '#test/support/client.ts';
import { CATEGORIES, INVOICE, type Product, RULES } from '#test/support/jobs.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import type { Tenant } from '#test/support/tenants.ts';
import {
  agent,
  document,
  embedding,
  extraction,
  named,
  saved,
  sink,
  source,
  webhook,
} from './operation-bodies.ts';

export type Fixtures = ReturnType<typeof createFixtures>;

/** Creates resources of one tenant. Every call creates a new one, except those under `shared`. */
export function createFixtures(tenant: Tenant) {
  const key = tenant.key;
  async function create<Body = { id: string }>(method: string, path: string, body?: unknown): Promise<Body> {
    const answer = await call<Body>(method, path, { key, ...(body !== undefined && { body }) });
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
  const createAndGetId = async (method: string, path: string, body?: unknown) =>
    (await create(method, path, body)).id;
  const pipeline = () => createAndGetId('POST', '/api/v1/pipelines', { name: named('pipeline') });
  const file = () => upload('invoice.md', INVOICE, { key });
  const withPipeline = async <Params extends Record<string, string>>(params: Params) => ({
    pipeline_id: await pipeline(),
    ...params,
  });
  const dataSource = () => createAndGetId('POST', '/api/v1/data-sources', source());
  let illustrated: Promise<string> | undefined;
  let node: Promise<{ pipeline_id: string; node_id: string }> | undefined;
  const indexedNode = async () => {
    const pipeline_id = await pipeline();
    const path = `/api/v1/pipelines/${pipeline_id}/documents`;
    await create('POST', path, [document('one')]);
    await create('POST', `/api/v1/pipelines/${pipeline_id}/sync`);
    return until('the document is indexed', async () => {
      const [first] = await create<{ id_: string }[]>('GET', `${path}/one/chunks`);
      return first && { pipeline_id, node_id: first.id_ };
    });
  };
  return {
    tenant,
    create,
    pipeline,
    file,
    withPipeline,
    dataSource,
    illustrated: () => {
      illustrated ??= upload('figures.pdf', illustratedPdf(), { key });
      return illustrated;
    },
    dataSink: () => createAndGetId('POST', '/api/v1/data-sinks', sink()),
    embeddingModelConfig: () =>
      createAndGetId('POST', '/api/v1/embedding-model-configs', {
        name: named('embedding'),
        embedding_config: embedding,
      }),
    async trace() {
      const id = crypto.randomUUID();
      const { projectId, userId } = tenant;
      const row = { id, projectId, userId, kind: 'retrieval' as const, details: null, requestId: 'r' };
      await openDatabase(env.DB).insert(traces).values(row);
      return id;
    },
    apiKey: () => createAndGetId('POST', '/api/v1/api-keys', { name: 'spare' }),
    /** Signs a browser in and returns the id of its session. */
    async browserSession() {
      const before = await create<{ id: string }[]>('GET', '/api/v1/sessions');
      await create('POST', '/api/v1/session', { api_key: key });
      const known = before.map(({ id }) => id);
      const sessions = await create<{ id: string }[]>('GET', '/api/v1/sessions');
      return sessions.find(({ id }) => !known.includes(id))!.id;
    },
    /** Stores an application that the tenant's user has connected, and returns its id. */
    async connectedApplication() {
      const id = crypto.randomUUID();
      const { organizationId, projectId, userId } = tenant;
      await openDatabase(env.DB)
        .insert(connectedApplications)
        .values({
          ...{ id, organizationId, projectId, userId, clientId: 'app_assistant', name: 'Assistant' },
          redirectUri: 'https://assistant.example/callback',
          ...{ canWrite: false, codeHash: id, codeChallenge: id, redeemedAt: new Date() },
          expiresAt: new Date(Date.now() + 3_600_000),
        });
      return id;
    },
    organization: () => createAndGetId('POST', '/api/v1/organizations', { name: named('organization') }),
    project: () => createAndGetId('POST', '/api/v1/projects', { name: named('project') }),
    retriever: () => createAndGetId('POST', '/api/v1/retrievers', { name: named('retriever') }),
    configuration: () => createAndGetId('POST', '/api/v1/beta/configurations', saved()),
    webhookConfig: () => createAndGetId('POST', '/api/v1/beta/webhook-configs', webhook),
    async member() {
      const organization_id = await this.organization();
      const path = `/api/v1/organizations/${organization_id}/users`;
      const { user_id } = await create<{ user_id: string }>('POST', path, { name: 'Ada' });
      return { organization_id, user_id };
    },
    async invitation() {
      const organization_id = await this.organization();
      const path = `/api/v1/organizations/${organization_id}/invitations`;
      const { id, url } = await create<{ id: string; url: string }>('POST', path, {});
      return { organization_id, invitation_id: id, token: url.split('#')[1]! };
    },
    async pipelineFile() {
      const params = await withPipeline({ file_id: await file() });
      await create('PUT', `/api/v1/pipelines/${params.pipeline_id}/files`, [{ file_id: params.file_id }]);
      return params;
    },
    async pipelineSource() {
      const params = await withPipeline({ data_source_id: await dataSource() });
      const body = [{ data_source_id: params.data_source_id }];
      await create('PUT', `/api/v1/pipelines/${params.pipeline_id}/data-sources`, body);
      return params;
    },
    async run() {
      const { pipeline_id } = await this.pipelineFile();
      await create('POST', `/api/v1/pipelines/${pipeline_id}/sync`);
      return until(`a sync of ${pipeline_id} begins`, async () => {
        const [run] = await create<{ id: string }[]>('GET', `/api/v1/pipelines/${pipeline_id}/jobs`);
        return run && { pipeline_id, job_id: run.id };
      });
    },
    async pipelineDocument() {
      const params = await withPipeline({ document_id: 'one' });
      await create('POST', `/api/v1/pipelines/${params.pipeline_id}/documents`, [document('one')]);
      return params;
    },
    pipelineNode: () => {
      node ??= indexedNode();
      return node;
    },
    async job(product: Product) {
      const id = await file();
      const bodies = {
        parse: { file_id: id },
        extract: { file_input: id, configuration: extraction },
        classify: { file_input: id, configuration: { rules: RULES } },
        sheets: { file_input: id },
        split: { file_input: id, configuration: { categories: CATEGORIES } },
      };
      return { job_id: await createAndGetId('POST', `/api/v2/${product}`, bodies[product]) };
    },
    /** Returns a region of a sheets job that has completed. */
    async sheetsRegion() {
      const file_input = await upload('tides.csv', 'Place,Height\nNorth,4\nSouth,5\n', { key });
      const job_id = await createAndGetId('POST', '/api/v2/sheets', { file_input });
      return until(`job ${job_id} completes`, async () => {
        const { status } = await create<{ status: string }>('GET', `/api/v2/sheets/${job_id}`);
        const region = { job_id, region_id: 'region-1', region_type: 'table' };
        return status === 'COMPLETED' ? region : undefined;
      });
    },
    /** Creates a question set with one question. */
    async questionSet() {
      return (await this.question()).question_set_id;
    },
    /** Creates a question set with a schedule that is paused. */
    async scheduledSet() {
      const id = await this.questionSet();
      const body = { interval_seconds: 86_400, pipeline_id: await pipeline(), paused: true };
      await create('PUT', `/api/v1/evaluations/question-sets/${id}/schedule`, body);
      return id;
    },
    async question(questionSetId?: string) {
      const path = '/api/v1/evaluations/question-sets';
      const question_set_id = questionSetId ?? (await createAndGetId('POST', path, { name: named('set') }));
      const { questions } = await create<{ questions: { id: string }[] }>(
        'POST',
        `${path}/${question_set_id}/questions`,
        { questions: [{ text: 'What does marmalade need?', tags: ['food'] }] },
      );
      return { question_set_id, question_id: questions[0]!.id };
    },
    /** Returns the places at which a question expects its results. */
    async expectedPlaces() {
      const document_id = await file();
      return {
        expected_passages: [{ text: 'needs oranges', document_id }],
        expected_pages: [{ document_id, page: 1 }],
      };
    },
    /** Returns an evaluation run that has ended. */
    async evaluationRun() {
      const path = '/api/v1/evaluations/runs';
      const body = { question_set_id: await this.questionSet(), pipeline_id: await pipeline() };
      const id = await createAndGetId('POST', path, body);
      return until(`evaluation run ${id} ends`, async () => {
        const { status } = await create<{ status: string }>('GET', `${path}/${id}`);
        return status === 'COMPLETED' ? id : undefined;
      });
    },
    /** Creates a question set with as many questions as a sweep needs. */
    async sweepableSet() {
      const path = '/api/v1/evaluations/question-sets';
      const id = await createAndGetId('POST', path, { name: named('sweepable set') });
      const questions = Array.from({ length: 30 }, (_, position) => ({
        text: `What does marmalade ${position} need?`,
        expected_passages: [{ text: 'needs oranges' }],
      }));
      await create('POST', `${path}/${id}/questions`, { questions });
      return id;
    },
    /** Returns a sweep that has ended. Others are cancelled first, because a project may have only some open ones. */
    async sweep() {
      const path = '/api/v1/evaluations/sweeps';
      const { items } = await create<{ items: { id: string; status: string }[] }>(
        'GET',
        `${path}?page_size=100`,
      );
      for (const { id, status } of items) {
        if (status === 'PENDING' || status === 'RUNNING') await create('POST', `${path}/${id}/cancel`);
      }
      const body = {
        ...{ question_set_id: await this.sweepableSet(), pipeline_id: await pipeline() },
        ...{ alphas: [0], reranking: [false] },
      };
      const id = await createAndGetId('POST', path, body);
      return until(`sweep ${id} ends`, async () => {
        const { status } = await create<{ status: string }>('GET', `${path}/${id}`);
        return status === 'COMPLETED' ? id : undefined;
      });
    },
    async indexChat() {
      const body = { index_ids: [await pipeline()] };
      return (await create<{ session_id: string }>('POST', '/compat/api/v1/chat', body)).session_id;
    },
    parseConfiguration: () =>
      createAndGetId('POST', '/compat/api/v1/beta/parse-configurations', {
        name: named('configuration'),
        version: '1',
        parameters: {},
      }),
    directory: () => createAndGetId('POST', '/api/v1/beta/directories', { name: named('directory') }),
    async directoryFile() {
      const directory_id = await this.directory();
      const { id } = await create('POST', `/api/v1/beta/directories/${directory_id}/files`, {
        file_id: await file(),
      });
      return { directory_id, directory_file_id: id };
    },
    agentData: () =>
      createAndGetId('POST', '/api/v1/beta/agent-data', {
        deployment_name: 'invoices',
        data: { vendor: 'Harbour Supplies', total: 1163.4 },
      }),
    /** Creates a truth set of extractions with one truth. */
    async truthSet() {
      return (await this.truth()).truth_set_id;
    },
    async truth(truthSetId?: string) {
      const path = '/api/v1/evaluations/truth-sets';
      const truth_set_id =
        truthSetId ?? (await createAndGetId('POST', path, { name: named('truth set'), kind: 'extraction' }));
      const { truths } = await create<{ truths: { id: string }[] }>(
        'POST',
        `${path}/${truth_set_id}/truths`,
        {
          truths: [{ file_id: await file(), values: { invoice_number: 'INV-2041', total_due: 1163.4 } }],
        },
      );
      return { truth_set_id, truth_id: truths[0]!.id };
    },
    /** Returns an accuracy run that has ended. */
    async accuracyRun() {
      const path = '/api/v1/evaluations/accuracy-runs';
      const body = { truth_set_id: await this.truthSet(), extract_configuration: extraction };
      const id = await createAndGetId('POST', path, body);
      return until(`accuracy run ${id} ends`, async () => {
        const { status } = await create<{ status: string }>('GET', `${path}/${id}`);
        return status === 'COMPLETED' ? id : undefined;
      });
    },
    async batch() {
      const body = { job_type: 'extract', file_ids: [await file()], configuration: extraction };
      return createAndGetId('POST', '/api/v2/batches', body);
    },
    /** Returns a job that has ended. */
    async endedJob(product: 'extract' | 'classify') {
      const { job_id } = await this.job(product);
      return until(`job ${job_id} ends`, async () => {
        const { status } = await create<{ status: string }>('GET', `/api/v2/${product}/${job_id}`);
        return status === 'COMPLETED' ? { job_id } : undefined;
      });
    },
    async completedParse() {
      const { job_id } = await this.job('parse');
      return until(`job ${job_id} completes`, async () => {
        const { status } = await create<{ status: string }>('GET', `/api/v2/parse/${job_id}`);
        return status === 'COMPLETED' ? { job_id } : undefined;
      });
    },
    async figure() {
      const id = await this.illustrated();
      const [first] = await create<{ figure_name: string }[]>('GET', `/api/v1/files/${id}/page-figures`);
      return { id, page_index: '0', figure_name: first!.figure_name };
    },
    extractionAgent: () =>
      createAndGetId('POST', '/compat/api/v1/extraction/extraction-agents', {
        name: named('agent'),
        ...agent,
      }),
    async extractionJob() {
      const job = { extraction_agent_id: await this.extractionAgent(), file_id: await file() };
      return createAndGetId('POST', '/compat/api/v1/extraction/jobs', job);
    },
    classifierJob: async () =>
      createAndGetId('POST', '/compat/api/v1/classifier/jobs', { file_ids: [await file()], rules: RULES }),
    /** Creates a delivery that has ended. Tests stub every public address. */
    async delivery() {
      const id = await createAndGetId(
        'POST',
        `/api/v1/beta/webhook-configs/${await this.webhookConfig()}/test`,
      );
      return until(`delivery ${id} ends`, async () => {
        const { status } = await create<{ status: string }>('GET', `/api/v1/beta/webhook-deliveries/${id}`);
        return status === 'pending' ? undefined : { delivery_id: id };
      });
    },
  };
}

/** Calls `read` every 25 milliseconds until it returns a value. Throws if it returns none for too long. */
async function until<Value>(event: string, read: () => Promise<Value | undefined>): Promise<Value> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 25) {
    const value = await read();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`timed out while waiting until ${event}`);
}

function illustratedPdf(): Uint8Array {
  const data = new Uint8Array(40 * 30 * 3).map((_, at) => (at * 7) & 255);
  const content = `${text(72, 700, 'A page')}q 200 0 0 150 72 400 cm /Im0 Do Q`;
  return buildPdf({ pages: [{ content, images: [{ width: 40, height: 30, data }] }] });
}
