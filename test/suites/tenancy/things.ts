import { env } from 'cloudflare:workers';
import { createFileBatch, createStoredResponse } from '#test/suites/openai-operation-inputs.ts';
import type { Fixtures } from '#test/suites/operation-inputs.ts';
import { upload } from '#test/support/client.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';

// Resources that a request can name, which tests create and delete.

/** A resource and its parent, such as the pipeline of a document. */
export interface Thing {
  id: string;
  parent?: string;
  /** Further ids of rows that belong to the resource. */
  others?: string[];
  /** Properties that a request must send besides the id. */
  beside?: object;
}

export interface Kind {
  /**
   * Creates a resource. `parent` is its parent; a new one is created if absent. `source` is the data source
   * that it comes from.
   */
  make(make: Fixtures, parent?: string, source?: string): Promise<Thing>;
  /** Returns the resource that every tenant has from the beginning, instead of a new one. */
  given?(make: Fixtures): string;
  /** Deletes a resource. Absent if the API cannot delete such a resource on its own. */
  remove?(make: Fixtures, thing: Thing): Promise<unknown>;
  /** The path parameter that names the parent. */
  parentParameter?:
    | 'pipeline_id'
    | 'retriever_id'
    | 'organization_id'
    | 'directory_id'
    | 'question_set_id'
    | 'truth_set_id'
    | 'vector_store_id';
  /** The resource is shared by all projects of an organization. */
  isShared?: true;
  /** Callers choose the name, and others may use the same name. */
  isChosen?: true;
  /** The resource is short-lived or not unique, so each test needs a new one. */
  isFresh?: true;
}

async function untilRunsEnd(pipelineId: string): Promise<void> {
  const query = "select count(*) as n from sync_runs where pipeline_id = ? and status <> 'IN_PROGRESS'";
  await pollUntil(`a run of ${pipelineId} has ended`, async () =>
    Boolean(await env.DB.prepare(query).bind(pipelineId).first('n')),
  );
}

/** Checks a condition every 25 milliseconds. Throws if it does not come true. */
async function pollUntil(condition: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 25) {
    if (await isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`timed out while waiting until ${condition}`);
}

const named = (kind: string) => `${kind} ${crypto.randomUUID()}`;
const whole = (make: (make: Fixtures) => Promise<string>) => async (fixtures: Fixtures) => ({
  id: await make(fixtures),
});
const deleteAt =
  (path: string) =>
  (make: Fixtures, { id }: Thing) =>
    make.create('DELETE', `${path}/${id}`);
const deleteIn =
  (owners: string, parts: string) =>
  (make: Fixtures, { id, parent }: Thing) =>
    make.create('DELETE', `${owners}/${parent}/${parts}/${id}`);

const PIPELINES = '/api/v1/pipelines';
const PRESETS = '/api/v2/pipelines';
const QUESTION_SETS = '/api/v1/evaluations/question-sets';
const TRUTH_SETS = '/api/v1/evaluations/truth-sets';
const DIRECTORIES = '/api/v1/beta/directories';
const RETRIEVERS = '/api/v1/retrievers';
const CONFIGURATIONS = '/api/v1/beta/configurations';
const question = (text: string) => ({ messages: [{ role: 'user', content: text }] });

const savedConfiguration = (parameters: object): Kind => ({
  make: whole((make) => make.create('POST', CONFIGURATIONS, { name: named('saved'), parameters }).then(idIn)),
  remove: deleteAt(CONFIGURATIONS),
});
const idIn = ({ id }: { id: string }) => id;

const finishedJob = (path: string, start: (make: Fixtures) => Promise<string>): Kind['make'] =>
  whole(async (make) => {
    const id = await start(make);
    await pollUntil(`job ${id} has ended`, async () => {
      const { status } = await make.create<{ status: string }>('GET', `${path}/${id}`);
      return !['PENDING', 'RUNNING', 'THROTTLED'].includes(status);
    });
    return id;
  });

const session = (owners: string, parentParameter: 'pipeline_id' | 'retriever_id'): Kind => ({
  async make(make, parent) {
    parent ??= parentParameter === 'pipeline_id' ? await make.pipeline() : await make.retriever();
    return { id: idIn(await make.create('POST', `${owners}/${parent}/chat-sessions`)), parent };
  },
  remove: deleteIn(owners, 'chat-sessions'),
  parentParameter,
});

const chat = (owners: string, parentParameter: 'pipeline_id' | 'retriever_id'): Kind => ({
  async make(make, parent) {
    parent ??= parentParameter === 'pipeline_id' ? await make.pipeline() : await make.retriever();
    const id = named('chat');
    await make.create('POST', `${owners}/${parent}/chat`, { ...question('Which oranges?'), id });
    return { id, parent };
  },
  parentParameter,
  isChosen: true,
  isFresh: true,
});

const message = (owners: string, parentParameter: 'pipeline_id' | 'retriever_id'): Kind => ({
  async make(make, parent) {
    const inside = await session(owners, parentParameter).make(make, parent);
    const asked = { role: 'user', content: 'Which oranges?', id: named('message') };
    await make.create('POST', `${owners}/${inside.parent}/chat`, {
      messages: [asked],
      session_id: inside.id,
    });
    return { id: asked.id, parent: inside.parent!, others: [inside.id] };
  },
  parentParameter,
  isChosen: true,
});

const pipelineFile: Kind = {
  async make(make, parent) {
    parent ??= await make.pipeline();
    const id = await make.file();
    await make.create('PUT', `${PIPELINES}/${parent}/files`, [{ file_id: id }]);
    return { id, parent };
  },
  remove: deleteIn(PIPELINES, 'files'),
  parentParameter: 'pipeline_id',
};

const vectorStoreBatch: Kind = {
  async make(make, parent) {
    parent ??= await make.pipeline();
    return { id: await createFileBatch(make, parent), parent };
  },
  parentParameter: 'vector_store_id',
};

const kinds = {
  organization: {
    make: whole((make) => make.organization()),
    given: (make) => make.tenant.organizationId,
    remove: deleteAt('/api/v1/organizations'),
    isShared: true,
  },
  project: {
    make: whole((make) => make.project()),
    given: (make) => make.tenant.projectId,
    remove: deleteAt('/api/v1/projects'),
  },
  member: {
    async make(make, parent = make.tenant.organizationId) {
      const path = `/api/v1/organizations/${parent}/users`;
      return {
        id: (await make.create<{ user_id: string }>('POST', path, { name: named('member') })).user_id,
        parent,
      };
    },
    remove: deleteIn('/api/v1/organizations', 'users'),
    parentParameter: 'organization_id',
    isShared: true,
  },
  invitation: {
    async make(make, parent = make.tenant.organizationId) {
      const path = `/api/v1/organizations/${parent}/invitations`;
      return { id: (await make.create('POST', path, {})).id, parent };
    },
    remove: deleteIn('/api/v1/organizations', 'invitations'),
    parentParameter: 'organization_id',
    isShared: true,
  },
  apiKey: { make: whole((make) => make.apiKey()), remove: deleteAt('/api/v1/api-keys') },
  browserSession: {
    make: whole((make) => make.browserSession()),
    remove: deleteAt('/api/v1/sessions'),
    isShared: true,
    isFresh: true,
  },
  connectedApplication: {
    make: whole((make) => make.connectedApplication()),
    remove: deleteAt('/api/v1/connected-applications'),
    isShared: true,
    isFresh: true,
  },
  file: { make: whole((make) => make.file()), remove: deleteAt('/api/v1/files') },
  illustratedFile: { make: whole((make) => make.illustrated()) },
  externalFile: {
    make: whole(async (make) => {
      const id = named('external');
      await upload('named.md', 'Oranges', {
        key: make.tenant.key,
        query: `?external_file_id=${encodeURIComponent(id)}`,
      });
      return id;
    }),
    isChosen: true,
    isFresh: true,
  },
  dataSink: { make: whole((make) => make.dataSink()), remove: deleteAt('/api/v1/data-sinks') },
  /** A data sink with the properties that a pipeline must send with it. */
  describedDataSink: {
    async make(make) {
      const id = await make.dataSink();
      type Sink = Record<'name' | 'sink_type' | 'component', unknown>;
      const { name, sink_type, component } = await make.create<Sink>('GET', `/api/v1/data-sinks/${id}`);
      return { id, beside: { data_sink: { name, sink_type, component } } };
    },
    remove: deleteAt('/api/v1/data-sinks'),
  },
  dataSource: { make: whole((make) => make.dataSource()), remove: deleteAt('/api/v1/data-sources') },
  embeddingModelConfig: {
    make: whole((make) => make.embeddingModelConfig()),
    remove: deleteAt('/api/v1/embedding-model-configs'),
  },
  pipeline: { make: whole((make) => make.pipeline()), remove: deleteAt(PIPELINES) },
  /** A pipeline with a document that the request names beside it. */
  pipelineOfDocument: {
    async make(make) {
      const { pipeline_id, document_id } = await make.pipelineDocument();
      return { id: pipeline_id, beside: { file_id: document_id } };
    },
    remove: deleteAt(PIPELINES),
  },
  /** A pipeline with a run, which lists of runs must show or hide. */
  syncedPipeline: {
    make: whole(async (make) => (await make.run()).pipeline_id),
    remove: deleteAt(PIPELINES),
  },
  model: {
    make: whole(async (make) => `pipeline-${await make.pipeline()}`),
    remove: (make, { id }) => make.create('DELETE', `${PIPELINES}/${id.replace('pipeline-', '')}`),
  },
  retriever: { make: whole((make) => make.retriever()), remove: deleteAt(RETRIEVERS) },
  extractConfiguration: savedConfiguration({
    product_type: 'extract_v2',
    data_schema: { type: 'object', properties: { total: { type: 'number' } } },
  }),
  parseConfiguration: savedConfiguration({ product_type: 'parse_v2', tier: 'fast', version: 'latest' }),
  classifyConfiguration: savedConfiguration({
    product_type: 'classify_v2',
    rules: [{ type: 'invoice', description: 'asks for money to be paid' }],
  }),
  splitConfiguration: savedConfiguration({
    product_type: 'split_v1',
    categories: [{ name: 'invoice', description: 'asks for money to be paid' }],
  }),
  sheetsConfiguration: savedConfiguration({ product_type: 'spreadsheet_v1' }),
  webhookConfig: {
    make: whole((make) => make.webhookConfig()),
    remove: deleteAt('/api/v1/beta/webhook-configs'),
  },
  delivery: { make: whole(async (make) => (await make.delivery()).delivery_id) },
  parseJob: {
    make: finishedJob('/api/v2/parse', async (make) => (await make.job('parse')).job_id),
    remove: deleteAt('/api/v2/parse'),
  },
  extractJob: {
    make: finishedJob('/api/v2/extract', async (make) => (await make.job('extract')).job_id),
    remove: deleteAt('/api/v2/extract'),
  },
  approvedJob: {
    make: whole(async (make) => {
      const { job_id: id } = await make.endedJob('extract');
      const body = { revision: 0, approved: true, corrections: {} };
      await make.create('PUT', `/api/v2/extract/${id}/review`, body);
      return id;
    }),
    remove: deleteAt('/api/v2/extract'),
  },
  batch: {
    make: whole((make) => make.batch()),
    remove: deleteAt('/api/v2/batches'),
  },
  questionSet: {
    make: whole((make) => make.questionSet()),
    remove: deleteAt(QUESTION_SETS),
  },
  question: {
    async make(make, parent) {
      const { question_set_id, question_id } = await make.question(parent);
      return { id: question_id, parent: question_set_id };
    },
    remove: deleteIn(QUESTION_SETS, 'questions'),
    parentParameter: 'question_set_id',
  },
  evaluationRun: {
    make: whole((make) => make.evaluationRun()),
    remove: deleteAt('/api/v1/evaluations/runs'),
  },
  sweepableSet: {
    make: whole((make) => make.sweepableSet()),
    remove: deleteAt(QUESTION_SETS),
  },
  sweep: {
    make: whole((make) => make.sweep()),
    remove: deleteAt('/api/v1/evaluations/sweeps'),
  },
  agentData: {
    make: whole((make) => make.agentData()),
    remove: deleteAt('/api/v1/beta/agent-data'),
  },
  indexChat: {
    make: whole((make) => make.indexChat()),
    remove: deleteAt('/compat/api/v1/chat'),
  },
  directory: {
    make: whole((make) => make.directory()),
    remove: deleteAt(DIRECTORIES),
  },
  filledDirectory: {
    make: whole(async (make) => (await make.directoryFile()).directory_id),
    remove: deleteAt(DIRECTORIES),
  },
  directoryFile: {
    async make(make, parent) {
      parent ??= await make.directory();
      const id = await make.file();
      const unique_id = crypto.randomUUID();
      await make.create('POST', `${DIRECTORIES}/${parent}/files`, { file_id: id, unique_id });
      return { id, parent };
    },
    remove: deleteIn(DIRECTORIES, 'files'),
    parentParameter: 'directory_id',
  },
  truthSet: {
    make: whole((make) => make.truthSet()),
    remove: deleteAt(TRUTH_SETS),
  },
  truth: {
    async make(make, parent) {
      const { truth_set_id, truth_id } = await make.truth(parent);
      return { id: truth_id, parent: truth_set_id };
    },
    remove: deleteIn(TRUTH_SETS, 'truths'),
    parentParameter: 'truth_set_id',
  },
  accuracyRun: {
    make: whole((make) => make.accuracyRun()),
    remove: deleteAt('/api/v1/evaluations/accuracy-runs'),
  },
  batchTransaction: {
    make: whole(async (make) => {
      const id = named('batch transaction');
      await make.create('POST', '/api/v2/batches', {
        job_type: 'parse',
        file_ids: [await make.file()],
        configuration: { tier: 'fast', version: 'latest' },
        transaction_id: id,
      });
      return id;
    }),
    isChosen: true,
  },
  splitJob: {
    make: finishedJob('/api/v2/split', async (make) => (await make.job('split')).job_id),
    remove: deleteAt('/api/v2/split'),
  },
  sheetsJob: {
    make: finishedJob('/api/v2/sheets', async (make) => (await make.sheetsRegion()).job_id),
    remove: deleteAt('/api/v2/sheets'),
  },
  classifyJob: { make: finishedJob('/api/v2/classify', async (make) => (await make.job('classify')).job_id) },
  transaction: {
    make: whole(async (make) => {
      const id = named('transaction');
      const rules = [{ type: 'invoice', description: 'asks for money to be paid' }];
      await make.create('POST', '/api/v2/classify', {
        file_input: await make.file(),
        configuration: { rules },
        transaction_id: id,
      });
      return id;
    }),
    isChosen: true,
  },
  extractionAgent: {
    make: whole((make) => make.extractionAgent()),
    remove: deleteAt('/compat/api/v1/extraction/extraction-agents'),
  },
  extractionJob: {
    make: finishedJob('/compat/api/v1/extraction/jobs', (make) => make.extractionJob()),
    remove: deleteAt('/compat/api/v1/extraction/runs'),
  },
  classifierJob: { make: finishedJob('/compat/api/v1/classifier/jobs', (make) => make.classifierJob()) },
  pipelineFile,
  vectorStoreFile: { ...pipelineFile, parentParameter: 'vector_store_id' },
  vectorStoreBatch,
  /** Pipeline that the `file_search` tool of a response names. */
  fileSearch: {
    make: async (make) => ({ id: await make.pipeline(), beside: { tools: [{ type: 'file_search' }] } }),
    remove: deleteAt(PIPELINES),
  },
  storedResponse: {
    make: whole(createStoredResponse),
    remove: deleteAt('/openai/v1/responses'),
  },
  filledPipeline: {
    make: whole(async (make) => (await pipelineFile.make(make)).parent!),
    remove: deleteAt(PIPELINES),
  },
  pipelineSource: {
    async make(make, parent) {
      parent ??= await make.pipeline();
      const id = await make.dataSource();
      await make.create('PUT', `${PIPELINES}/${parent}/data-sources`, [{ data_source_id: id }]);
      return { id, parent };
    },
    remove: deleteIn(PIPELINES, 'data-sources'),
    parentParameter: 'pipeline_id',
  },
  /** A file that a data source added to a pipeline. */
  sourceFile: {
    async make(make, parent, source) {
      const inside = await pipelineFile.make(make, parent);
      source ??= await make.dataSource();
      // A run would remove a file whose data source is not attached to the pipeline.
      await untilRunsEnd(inside.parent!);
      const isThis = 'where pipeline_id = ? and file_id = ? returning id';
      const update = env.DB.prepare(`update pipeline_members set data_source_id = ? ${isThis}`);
      const row = await update.bind(source, inside.parent!, inside.id).first<{ id: string }>();
      return { id: row!.id, parent: inside.parent! };
    },
    parentParameter: 'pipeline_id',
  },
  document: {
    async make(make, parent) {
      parent ??= await make.pipeline();
      const id = named('document');
      const text = { id, text: 'Marmalade needs oranges.', metadata: { file_id: id } };
      await make.create('POST', `${PIPELINES}/${parent}/documents`, [text]);
      return { id, parent };
    },
    remove: (make, { id, parent }) =>
      make.create('DELETE', `${PIPELINES}/${parent}/documents/${encodeURIComponent(id)}`),
    parentParameter: 'pipeline_id',
    isChosen: true,
  },
  node: {
    async make(make) {
      const { pipeline_id, node_id } = await make.pipelineNode();
      return { id: node_id, parent: pipeline_id };
    },
    parentParameter: 'pipeline_id',
  },
  retrievalPreset: {
    async make(make, parent) {
      parent ??= await make.pipeline();
      const body = { name: named('preset'), parameters: { alpha: 0.5 } };
      return { id: idIn(await make.create('POST', `${PRESETS}/${parent}/retrieval-presets`, body)), parent };
    },
    remove: deleteIn(PRESETS, 'retrieval-presets'),
    parentParameter: 'pipeline_id',
  },
  trace: { make: whole((make) => make.trace()), remove: deleteAt('/api/v1/traces') },
  run: {
    async make(make) {
      const { pipeline_id, job_id } = await make.run();
      return { id: job_id, parent: pipeline_id };
    },
    parentParameter: 'pipeline_id',
  },
  chatSession: session(PIPELINES, 'pipeline_id'),
  retrieverChatSession: session(RETRIEVERS, 'retriever_id'),
  chat: chat(PIPELINES, 'pipeline_id'),
  retrieverChat: chat(RETRIEVERS, 'retriever_id'),
  message: message(PIPELINES, 'pipeline_id'),
  retrieverMessage: message(RETRIEVERS, 'retriever_id'),
} satisfies Record<string, Kind>;

export type KindName = keyof typeof kinds;

export const KIND_NAMES = Object.keys(kinds) as KindName[];

export const getKind = (name: KindName): Kind => kinds[name];
