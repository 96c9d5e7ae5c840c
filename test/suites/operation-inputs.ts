import { env } from 'cloudflare:workers';
import type { ClientOperationId } from '#src/api/compat/operations.ts';
import type { OpenAiOperationId } from '#src/api/openai/operations.ts';
import type { OperationId } from '#src/api/operations.ts';
import { encodeCursor } from '#src/lib/cursor.ts';
import { buildPdf, text } from '#test/fixtures/pdf.ts';
import { BACKUP_KEY, begunRestore } from '#test/support/backups.ts';
import { call, upload } from '#test/support/client.ts';
import { deadLetterOf } from '#test/support/dead-letters.ts';
import { INVOICE, INVOICE_SCHEMA, RULES } from '#test/support/jobs.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import type { Tenant } from '#test/support/tenants.ts';

/** Inputs of a call to an operation. */
export interface Inputs {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  form?: Record<string, string | File>;
  /** A body that is neither JSON nor a form. */
  bytes?: string;
  key?: string;
  /** Status for another tenant, if it is not 404. */
  stranger?: number;
}

export type Fixtures = ReturnType<typeof createFixtures>;

export type Make = (make: Fixtures) => Inputs | Promise<Inputs>;

/** Inputs of operations that only the operator may call. */
const operator = { key: String(env.BOOTSTRAP_API_KEY), stranger: 403 };
const named = (kind: string) => `${kind} ${crypto.randomUUID()}`;
const sink = () => ({
  name: named('sink'),
  sink_type: 'VENDOR_C',
  // The host name does not exist, so a check of the sink fails fast.
  component: { uri: 'https://nowhere.example' },
});
const source = () => ({
  name: named('source'),
  source_type: 'SOURCE_9_BUCKET',
  // The host name does not exist, because attaching the source reads it and must not call a real system.
  component: {
    bucket: 'papers',
    bucket_endpoint_url: 'https://nowhere.example',
    cloud_access_id: 'id',
    cloud_access_secret: 'secret',
  },
});
const embedding = { type: 'PROVIDER_F_EMBEDDING', component: {} };
const webhook = { webhook_url: 'http://8.8.8.8/hook' };
const question = { messages: [{ role: 'user', content: 'What does marmalade need?' }] };
const extraction = { data_schema: INVOICE_SCHEMA };
const agent = { ...extraction, config: { cite_sources: true } };
const saved = () => ({
  name: named('configuration'),
  parameters: { product_type: 'extract_v2', ...extraction },
});
const document = (id: string) => ({ id, text: 'Marmalade needs oranges.', metadata: { shelf: 'b' } });
const textFile = (name = 'note.txt') => new File(['A note about the harbour.'], name);

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
    for (let waited = 0; waited < 60_000; waited += 50) {
      const [first] = await create<{ id_: string }[]>('GET', `${path}/one/chunks`);
      if (first) return { pipeline_id, node_id: first.id_ };
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('the document was not indexed');
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
    apiKey: () => createAndGetId('POST', '/api/v1/api-keys', { name: 'spare' }),
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
      for (let waited = 0; waited < 10_000; waited += 25) {
        const [run] = await create<{ id: string }[]>('GET', `/api/v1/pipelines/${pipeline_id}/jobs`);
        if (run) return { pipeline_id, job_id: run.id };
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      throw new Error(`no sync of ${pipeline_id} began`);
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
    async job(product: 'parse' | 'extract' | 'classify') {
      const id = await file();
      const bodies = {
        parse: { file_id: id },
        extract: { file_input: id, configuration: extraction },
        classify: { file_input: id, configuration: { rules: RULES } },
      };
      return { job_id: await createAndGetId('POST', `/api/v2/${product}`, bodies[product]) };
    },
    async completedParse() {
      const { job_id } = await this.job('parse');
      for (let waited = 0; waited < PATIENCE_MS; waited += 25) {
        const { status } = await create<{ status: string }>('GET', `/api/v2/parse/${job_id}`);
        if (status === 'COMPLETED') return { job_id };
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      throw new Error(`job ${job_id} did not complete`);
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
      for (let waited = 0; waited < PATIENCE_MS; waited += 25) {
        const { status } = await create<{ status: string }>('GET', `/api/v1/beta/webhook-deliveries/${id}`);
        if (status !== 'pending') return { delivery_id: id };
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      throw new Error(`delivery ${id} did not end`);
    },
  };
}

function illustratedPdf(): Uint8Array {
  const data = new Uint8Array(40 * 30 * 3).map((_, at) => (at * 7) & 255);
  const content = `${text(72, 700, 'A page')}q 200 0 0 150 72 400 cm /Im0 Do Q`;
  return buildPdf({ pages: [{ content, images: [{ width: 40, height: 30, data }] }] });
}

const none: Make = () => ({});

/** Inputs of the legacy parsing operations, under either prefix. */
const legacyParsing = <const Name extends string>(name: Name) => {
  const parsed =
    (more: Record<string, string> = {}): Make =>
    async (make) => ({ params: { ...(await make.completedParse()), ...more } });
  const image: Make = async (make) => ({ params: { ...(await make.completedParse()), name: 'page_1.jpg' } });
  return {
    [`${name}Upload`]: () => ({ form: { file: textFile(), target_pages: '0' } }),
    [`${name}Extensions`]: none,
    [`${name}Job`]: job('parse'),
    [`${name}Details`]: job('parse'),
    [`${name}Parameters`]: job('parse'),
    [`${name}Result`]: parsed({ form: 'json' }),
    [`${name}RawResult`]: parsed({ form: 'markdown' }),
    [`${name}Image`]: image,
  } as Record<
    `${Name}${'Upload' | 'Extensions' | 'Job' | 'Details' | 'Parameters' | 'Result' | 'RawResult' | 'Image'}`,
    Make
  >;
};
const body =
  (value: () => unknown): Make =>
  () => ({ body: value() });
const withId =
  (name: string, kind: KindOfThing, value?: () => unknown): Make =>
  async (make) => ({ params: { [name]: await make[kind]() }, ...(value && { body: value() }) });
const inPipeline =
  (value?: unknown): Make =>
  async (make) => ({
    params: await make.withPipeline({}),
    ...(value !== undefined && { body: value }),
  });
const file: Make = async (make) => ({ params: { id: await make.file() } });
const ofPipelineFile: Make = async (make) => ({ params: await make.pipelineFile() });
const ofPipelineSource: Make = async (make) => ({ params: await make.pipelineSource() });
const ofDocument: Make = async (make) => ({ params: await make.pipelineDocument() });
const ofSession =
  (value?: unknown): Make =>
  async (make) => {
    const { pipeline_id } = await make.withPipeline({});
    const session = await make.create('POST', `/api/v1/pipelines/${pipeline_id}/chat-sessions`);
    return { params: { pipeline_id, session_id: session.id }, ...(value !== undefined && { body: value }) };
  };
const ofChat: Make = async (make) => {
  const params = await make.withPipeline({ chat_id: 'a chat' });
  await make.create('POST', `/api/v1/pipelines/${params.pipeline_id}/chat`, {
    ...question,
    id: params.chat_id,
  });
  return { params };
};
const ofRetrieverSession =
  (value?: unknown): Make =>
  async (make) => {
    const retriever_id = await make.retriever();
    const session = await make.create('POST', `/api/v1/retrievers/${retriever_id}/chat-sessions`);
    return { params: { retriever_id, session_id: session.id }, ...(value !== undefined && { body: value }) };
  };
const ofRetrieverChat: Make = async (make) => {
  const params = { retriever_id: await make.retriever(), chat_id: 'a chat' };
  const body = { ...question, id: params.chat_id };
  await make.create('POST', `/api/v1/retrievers/${params.retriever_id}/chat`, body);
  return { params };
};
const ofDelivery: Make = async (make) => ({ params: await make.delivery() });
const page: Make = async (make) => ({ params: { id: await make.illustrated(), page_index: '0' } });
const figure: Make = async (make) => ({ params: await make.figure() });
const job =
  (product: 'parse' | 'extract' | 'classify'): Make =>
  async (make) => ({ params: await make.job(product) });
const agentsFile = async (make: Fixtures) => ({
  extraction_agent_id: await make.extractionAgent(),
  file_id: await make.file(),
});
/** The owner of the agent is checked before anything else. */
const byAgent: Make = async (make) => ({
  query: { extraction_agent_id: await make.extractionAgent() },
  stranger: 404,
});
const sources: Make = async (make) => ({
  params: await make.withPipeline({}),
  body: [{ data_source_id: await make.dataSource() }],
});

type KindOfThing =
  | 'pipeline'
  | 'dataSink'
  | 'dataSource'
  | 'embeddingModelConfig'
  | 'apiKey'
  | 'organization'
  | 'project'
  | 'retriever'
  | 'configuration'
  | 'webhookConfig'
  | 'extractionAgent'
  | 'extractionJob'
  | 'classifierJob';

/** Valid inputs of every operation. A missing operation fails to compile. */
const EVERY_INPUT: Record<OperationId | ClientOperationId | OpenAiOperationId, Make> = {
  getSession: none,
  signIn: (make) => ({ body: { api_key: make.tenant.key } }),
  signOut: none,
  createApiKey: body(() => ({ name: 'spare' })),
  listApiKeys: none,
  revokeApiKey: withId('api_key_id', 'apiKey'),
  createApiKeyBeta: body(() => ({ name: 'spare' })),
  listApiKeysBeta: none,
  revokeApiKeyBeta: withId('api_key_id', 'apiKey'),
  rotateSecrets: () => ({ body: {}, key: String(env.BOOTSTRAP_API_KEY), stranger: 403 }),
  getMetrics: () => ({ key: String(env.BOOTSTRAP_API_KEY), stranger: 403 }),
  listDeadLetters: () => ({ key: String(env.BOOTSTRAP_API_KEY), stranger: 403 }),
  sendDeadLetter: async () => ({
    params: { dead_letter_id: await deadLetterOf('deliver-webhook') },
    key: String(env.BOOTSTRAP_API_KEY),
    stranger: 403,
  }),
  checkInstallation: () => ({
    body: { check: 'schema' },
    key: String(env.BOOTSTRAP_API_KEY),
    stranger: 403,
  }),
  getBackupOutline: (make) => ({ ...operator, query: { project: make.tenant.projectId } }),
  readBackupRows: (make) => ({
    ...operator,
    body: { table: 'projects', project: make.tenant.projectId, backup_key: BACKUP_KEY },
  }),
  listBackupObjects: (make) => ({ ...operator, query: { project: make.tenant.projectId } }),
  readBackupObject: async (make) => {
    await make.file();
    const prefix = `projects/${make.tenant.projectId}/files/`;
    const { objects } = await env.FILES.list({ prefix });
    return { ...operator, query: { key: objects[0]!.key } };
  },
  beginRestore: () => ({
    ...operator,
    body: { backup_id: crypto.randomUUID(), project: crypto.randomUUID() },
  }),
  writeRestoredRows: async () => ({
    ...operator,
    params: { restore_id: (await begunRestore()).id },
    body: { table: 'configurations', backup_key: BACKUP_KEY, rows: [] },
  }),
  writeRestoredObject: async () => {
    const { id, project } = await begunRestore();
    const sha256 = '9834876dcfb05cb167a5c24953eba58c4ac89b1adf57f28f2f9d09af107ee8f0';
    const query = { key: `projects/${project}/files/a/b`, sha256 };
    return { ...operator, params: { restore_id: id }, query, bytes: 'aaa' };
  },
  finishRestore: async () => ({
    ...operator,
    params: { restore_id: (await begunRestore()).id },
    body: { page_token: encodeCursor([1, '']) },
  }),

  createPresignedUpload: body(() => ({ name: 'later.pdf' })),
  uploadFile: () => ({ form: { upload_file: textFile() } }),
  listFiles: none,
  uploadFileFromUrl: body(() => ({ url: 'https://93.184.215.14/report.txt' })),
  syncFiles: none,
  getFile: file,
  deleteFile: file,
  getFileContentUrl: file,
  listFilePages: file,
  getFilePage: async (make) => ({ params: { id: await make.file(), page_index: '0' } }),
  listPageScreenshots: file,
  getPageScreenshot: page,
  createPageScreenshotUrl: page,
  listPageFigures: file,
  listFiguresOfPage: page,
  getPageFigure: figure,
  createPageFigureUrl: figure,
  createFileV2: () => ({ form: { file: textFile(), purpose: 'parse' } }),
  listFilesV2: none,
  queryFilesV2: body(() => ({})),
  getFileV2: file,
  deleteFileV2: file,
  getFileContentUrlV2: file,

  listDataSinks: none,
  createDataSink: body(sink),
  upsertDataSink: body(sink),
  getDataSink: withId('data_sink_id', 'dataSink'),
  updateDataSink: withId('data_sink_id', 'dataSink', () => ({
    sink_type: 'VENDOR_C',
    name: named('renamed'),
  })),
  deleteDataSink: withId('data_sink_id', 'dataSink'),
  validateDataSink: withId('data_sink_id', 'dataSink'),
  listDataSources: none,
  createDataSource: body(source),
  upsertDataSource: body(source),
  getDataSource: withId('data_source_id', 'dataSource'),
  updateDataSource: withId('data_source_id', 'dataSource', () => ({
    source_type: 'SOURCE_9_BUCKET',
    name: named('renamed'),
  })),
  deleteDataSource: withId('data_source_id', 'dataSource'),
  validateDataSource: withId('data_source_id', 'dataSource'),
  listEmbeddingModelConfigs: none,
  createEmbeddingModelConfig: body(() => ({ name: named('embedding'), embedding_config: embedding })),
  upsertEmbeddingModelConfig: body(() => ({ name: named('embedding'), embedding_config: embedding })),
  getEmbeddingModelConfig: withId('embedding_model_config_id', 'embeddingModelConfig'),
  updateEmbeddingModelConfig: withId('embedding_model_config_id', 'embeddingModelConfig', () => ({
    name: named('renamed'),
  })),
  deleteEmbeddingModelConfig: withId('embedding_model_config_id', 'embeddingModelConfig'),
  validateEmbeddingConnection: body(() => embedding),
  validateDataSinkConnection: body(sink),
  validateDataSourceConnection: body(source),

  listOrganizations: none,
  createOrganization: body(() => ({ name: named('organization') })),
  getDefaultOrganization: none,
  getOrganization: withId('organization_id', 'organization'),
  renameOrganization: withId('organization_id', 'organization', () => ({ name: named('renamed') })),
  deleteOrganization: withId('organization_id', 'organization'),
  listMembers: withId('organization_id', 'organization'),
  addMember: withId('organization_id', 'organization', () => ({ name: 'Ada' })),
  changeMemberRole: async (make) => ({ params: await make.member(), body: { role: 'admin' } }),
  removeMember: async (make) => ({ params: await make.member() }),
  listProjects: none,
  createProject: body(() => ({ name: named('project') })),
  upsertProject: body(() => ({ name: named('project') })),
  getProject: withId('project_id', 'project'),
  renameProject: withId('project_id', 'project', () => ({ name: named('renamed') })),
  deleteProject: withId('project_id', 'project'),
  exportProject: withId('project_id', 'project'),
  exportUser: async (make) => {
    const { organization_id, user_id } = await make.member();
    return { params: { user_id }, query: { organization_id } };
  },
  getModelSettings: withId('project_id', 'project'),
  putModelSettings: withId('project_id', 'project', () => ({
    models: { chat: 'builtin' },
    daily_tokens: 1000,
  })),
  pageOrganizations: none,
  getOrganizationV2: withId('organization_id', 'organization'),
  pageProjects: none,
  getProjectV2: withId('project_id', 'project'),

  searchPipelines: none,
  createPipeline: body(() => ({ name: named('pipeline') })),
  upsertPipeline: body(() => ({ name: named('pipeline') })),
  getPipeline: inPipeline(),
  updatePipeline: inPipeline({ preset_retrieval_parameters: { alpha: 0.5 } }),
  deletePipeline: inPipeline(),
  forceDeletePipeline: inPipeline(),
  copyPipeline: inPipeline(),
  listPipelineDataSources: ofPipelineSource,
  addPipelineDataSources: sources,
  updatePipelineDataSource: async (make) => ({
    params: await make.pipelineSource(),
    body: { sync_interval: null },
  }),
  removePipelineDataSource: ofPipelineSource,
  getPipelineDataSourceStatus: ofPipelineSource,
  syncPipelineDataSource: ofPipelineSource,
  addPipelineFiles: async (make) => ({
    params: await make.withPipeline({}),
    body: [{ file_id: await make.file() }],
  }),
  listPipelineFiles: ofPipelineFile,
  getPipelineFileStatus: ofPipelineFile,
  retryPipelineFile: ofPipelineFile,
  removePipelineFile: ofPipelineFile,
  updatePipelineFile: async (make) => ({
    params: await make.pipelineFile(),
    body: { custom_metadata: { a: 1 } },
  }),
  pagePipelineFiles: ofPipelineFile,
  pagePipelineFilesByCursor: ofPipelineFile,
  countPipelineFiles: ofPipelineFile,
  countPipelineFileFailures: ofPipelineFile,
  retryPipelineFiles: async (make) => ({
    params: await make.pipelineFile(),
    body: { filter: { statuses: ['ERROR'] } },
  }),
  removePipelineFiles: async (make) => ({
    params: await make.pipelineFile(),
    body: { filter: { statuses: ['ERROR'] } },
  }),
  listPipelineMetadataKeys: ofPipelineFile,
  uploadPipelineMetadata: async (make) => ({
    params: await make.pipelineFile(),
    form: { upload_file: new File(['file_name,shelf\ninvoice.md,b\n'], 'table.csv') },
  }),
  deletePipelineMetadata: ofPipelineFile,
  insertPipelineDocuments: inPipeline([document('one')]),
  upsertPipelineDocuments: inPipeline([document('one')]),
  listPipelineDocuments: ofDocument,
  pagePipelineDocuments: ofDocument,
  countPipelineDocuments: ofDocument,
  getPipelineDocument: ofDocument,
  deletePipelineDocument: ofDocument,
  getPipelineDocumentStatus: ofDocument,
  syncPipelineDocument: ofDocument,
  listPipelineDocumentChunks: ofDocument,
  listPipelineFileChunks: ofPipelineFile,
  getPipelineNode: async (make) => ({ params: await make.pipelineNode() }),
  syncPipeline: inPipeline(),
  cancelPipelineSync: inPipeline(),
  getPipelineStatus: inPipeline(),
  listPipelineJobs: inPipeline(),
  getPipelineJob: async (make) => ({ params: await make.run() }),
  // Other operations of the suites create newer runs, so the page must be large.
  pagePipelineJobs: () => ({ query: { page_size: '200' } }),
  retrieve: inPipeline({ query: 'oranges' }),
  listRetrievers: none,
  createRetriever: body(() => ({ name: named('retriever') })),
  upsertRetriever: body(() => ({ name: named('retriever') })),
  retrieveDirectly: async (make) => ({
    body: { query: 'oranges', pipelines: [await make.withPipeline({})] },
  }),
  getRetriever: withId('retriever_id', 'retriever'),
  updateRetriever: withId('retriever_id', 'retriever', () => ({ name: named('renamed') })),
  deleteRetriever: withId('retriever_id', 'retriever'),
  retrieveWithRetriever: withId('retriever_id', 'retriever', () => ({ query: 'oranges' })),
  getPlaygroundSession: inPipeline(),
  deletePlaygroundSession: inPipeline(),
  listChatSessions: inPipeline(),
  createChatSession: inPipeline({ name: 'About oranges' }),
  getChatSession: ofSession(),
  renameChatSession: ofSession({ name: 'About marmalade' }),
  deleteChatSession: ofSession(),
  listChatMessages: ofSession(),
  listRetrieverChatSessions: withId('retriever_id', 'retriever'),
  createRetrieverChatSession: withId('retriever_id', 'retriever', () => ({ name: 'About oranges' })),
  getRetrieverChatSession: ofRetrieverSession(),
  renameRetrieverChatSession: ofRetrieverSession({ name: 'About marmalade' }),
  deleteRetrieverChatSession: ofRetrieverSession(),
  listRetrieverChatMessages: ofRetrieverSession(),
  chatWithRetriever: withId('retriever_id', 'retriever', () => question),
  resumeRetrieverChat: ofRetrieverChat,
  stopRetrieverChat: ofRetrieverChat,
  chat: inPipeline(question),
  resumeChat: ofChat,
  stopChat: ofChat,
  listPipelines: none,

  createParseJob: async (make) => ({ body: { file_id: await make.file() } }),
  listParseJobs: none,
  listParseVersions: none,
  getParseJob: job('parse'),
  downloadParseResult: async (make) => ({
    params: { ...(await make.completedParse()), format: 'json' },
  }),
  deleteParseJob: job('parse'),
  cancelParseJob: job('parse'),
  createExtractJob: async (make) => ({ body: { file_input: await make.file(), configuration: extraction } }),
  listExtractJobs: none,
  validateExtractSchema: body(() => extraction),
  generateExtractSchema: async (make) => ({ body: { file_id: await make.file(), prompt: 'the total due' } }),
  getExtractJob: job('extract'),
  deleteExtractJob: job('extract'),
  cancelExtractJob: job('extract'),
  createClassifyJob: async (make) => ({
    body: { file_input: await make.file(), configuration: { rules: RULES } },
  }),
  listClassifyJobs: none,
  getClassifyJob: job('classify'),
  cancelClassifyJob: job('classify'),
  createWebhookConfig: body(() => webhook),
  listWebhookConfigs: none,
  getWebhookConfig: withId('webhook_config_id', 'webhookConfig'),
  updateWebhookConfig: withId('webhook_config_id', 'webhookConfig', () => webhook),
  deleteWebhookConfig: withId('webhook_config_id', 'webhookConfig'),
  testWebhookConfig: withId('webhook_config_id', 'webhookConfig'),
  listWebhookDeliveries: none,
  getWebhookDelivery: ofDelivery,
  replayWebhookDelivery: ofDelivery,
  getCapabilities: none,
  getDailyUsage: none,
  getUsage: none,
  saveConfiguration: body(saved),
  listConfigurations: none,
  getConfiguration: withId('configuration_id', 'configuration'),
  updateConfiguration: withId('configuration_id', 'configuration', () => ({ name: named('renamed') })),
  deleteConfiguration: withId('configuration_id', 'configuration'),
  listModels: none,
  getModel: async (make) => ({ params: { model: `pipeline-${await make.pipeline()}` } }),
  createChatCompletion: async (make) => ({
    body: { model: `pipeline-${await make.pipeline()}`, ...question },
    stranger: 404,
  }),
  createEmbeddings: async (make) => ({
    body: { model: `pipeline-${await make.pipeline()}`, input: 'Marmalade needs oranges.' },
    stranger: 404,
  }),

  // Pipelines, for existing clients.
  putPipelineDocuments: inPipeline([document('one')]),

  clientCreateParse: async (make) => ({
    body: { tier: 'agentic', version: 'latest', file_id: await make.file() },
  }),
  clientUploadParse: () => ({
    form: { file: textFile(), configuration: JSON.stringify({ tier: 'fast', version: 'latest' }) },
  }),
  clientListParses: none,
  clientListParseVersions: none,
  clientGetParse: job('parse'),
  clientDeleteParse: job('parse'),
  clientCancelParse: job('parse'),
  clientSaveConfiguration: body(() => ({
    name: named('configuration'),
    parameters: { product_type: 'parse_v2', tier: 'fast', page_ranges: { target_pages: '1' } },
  })),
  clientListConfigurations: none,
  clientGetConfiguration: withId('configuration_id', 'configuration'),
  clientUpdateConfiguration: withId('configuration_id', 'configuration', () => ({ name: named('renamed') })),
  ...legacyParsing('legacyParsing'),
  ...legacyParsing('unversionedParsing'),

  validateExtractionAgentSchema: body(() => extraction),
  generateExtractionAgentSchema: async (make) => ({
    body: { file_id: await make.file(), prompt: 'the total due' },
  }),
  createExtractionAgent: body(() => ({ name: named('agent'), ...agent })),
  listExtractionAgents: none,
  getDefaultExtractionAgent: none,
  getExtractionAgentByName: async (make) => {
    const name = named('agent');
    await make.create('POST', '/compat/api/v1/extraction/extraction-agents', { name, ...agent });
    return { params: { name } };
  },
  getExtractionAgent: withId('extraction_agent_id', 'extractionAgent'),
  updateExtractionAgent: withId('extraction_agent_id', 'extractionAgent', () => agent),
  deleteExtractionAgent: withId('extraction_agent_id', 'extractionAgent'),
  runExtraction: async (make) => ({ body: { ...agent, file_id: await make.file() } }),
  startExtractionJob: async (make) => ({ body: await agentsFile(make), stranger: 404 }),
  startExtractionJobs: async (make) => {
    const { extraction_agent_id, file_id } = await agentsFile(make);
    return { body: { extraction_agent_id, file_ids: [file_id] }, stranger: 404 };
  },
  startExtractionJobOnUpload: async (make) => {
    const extraction_agent_id = await make.extractionAgent();
    return { form: { extraction_agent_id, file: textFile() }, stranger: 404 };
  },
  listExtractionJobs: byAgent,
  getExtractionJob: withId('job_id', 'extractionJob'),
  getExtractionJobResult: withId('job_id', 'extractionJob'),
  listExtractionRuns: byAgent,
  getLatestExtractionRunFromUi: byAgent,
  getExtractionRunOfJob: withId('job_id', 'extractionJob'),
  getExtractionRun: withId('run_id', 'extractionJob'),
  deleteExtractionRun: withId('run_id', 'extractionJob'),
  createClassifierJob: async (make) => ({ body: { file_ids: [await make.file()], rules: RULES } }),
  listClassifierJobs: async (make) => {
    await make.classifierJob();
    return {};
  },
  getClassifierJob: withId('classify_job_id', 'classifierJob'),
  getClassifierJobResults: withId('classify_job_id', 'classifierJob'),
};

/** The same inputs by operation id as plain text, as in the description. */
export const INPUTS: Record<string, Make> = EVERY_INPUT;
