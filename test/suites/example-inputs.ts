import { deadLetterOf } from '#test/support/dead-letters.ts';
import { RULES, untilEnded } from '#test/support/jobs.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { type Fixtures, INPUTS, type Make } from './operation-inputs.ts';

const none: Make = () => ({});
const HEALTH = ['getHealth', 'getLiveness', 'getReadiness'];
const question = { messages: [{ role: 'user', content: 'What does marmalade need?' }] };
const query = { query: 'What does marmalade need?', dense_similarity_top_k: 3 };

/** Returns the usual inputs after an action whose result the answer shows. */
const after =
  (id: string, prepare: (make: Fixtures) => Promise<unknown>): Make =>
  async (make) => {
    await prepare(make);
    return INPUTS[id]!(make);
  };

const lists = (prepare: (make: Fixtures) => Promise<unknown>, ...ids: string[]) =>
  Object.fromEntries(ids.map((id) => [id, after(id, prepare)]));

const organizedFile = async (make: Fixtures) =>
  make.create('PATCH', `/api/v2/files/${await make.file()}`, { folder: 'reports', tags: ['invoice'] });
const indexedPipeline: Make = async (make) => {
  const { pipeline_id } = await make.pipelineNode();
  return { params: { pipeline_id } };
};
const indexedDocument: Make = async (make) => {
  const { pipeline_id } = await make.pipelineNode();
  return { params: { pipeline_id, document_id: 'one' } };
};
const retriever = async (make: Fixtures) => {
  const { pipeline_id } = await make.pipelineNode();
  const body = { name: `retriever ${crypto.randomUUID()}`, pipelines: [{ pipeline_id }] };
  return (await make.create('POST', '/api/v1/retrievers', body)).id;
};
const newPipeline: Make = () => ({
  body: {
    name: `pipeline ${crypto.randomUUID()}`,
    transform_config: { mode: 'auto', chunk_size: 512, chunk_overlap: 64 },
    preset_retrieval_parameters: { dense_similarity_top_k: 10, alpha: 0.5 },
  },
});
const newRetriever: Make = async (make) => ({
  body: { name: `retriever ${crypto.randomUUID()}`, pipelines: [await make.withPipeline({})] },
});
const ended =
  (product: 'extract' | 'classify'): Make =>
  async (make) => {
    const params = await make.job(product);
    await untilEnded(product, params.job_id, make.tenant.key);
    return { params };
  };
/** Waits until a sync has ended, because the counters of a running sync change. */
const endedRun = async (make: Fixtures) => {
  const run = await make.run();
  const path = `/api/v1/pipelines/${run.pipeline_id}/jobs/${run.job_id}`;
  for (let waited = 0; waited < PATIENCE_MS; waited += 25) {
    const { finished_at } = await make.create<{ finished_at: string | null }>('GET', path);
    if (finished_at !== null) return run;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`the sync ${run.job_id} did not end`);
};
const createRun =
  (...names: ('pipeline_id' | 'job_id')[]): Make =>
  async (make) => {
    const run = await endedRun(make);
    return { params: Object.fromEntries(names.map((name) => [name, run[name]])) };
  };
const extracted =
  (name: string): Make =>
  async (make) => {
    const id = await make.extractionJob();
    await untilEnded('extract', id, make.tenant.key);
    return { params: { [name]: id } };
  };
const parsed: Make = async (make) => ({ params: await make.completedParse() });
/** Creates a job of an agent, so that lists of the agent are not empty. */
const withJobOfAgent: Make = async (make) => {
  const body = { extraction_agent_id: await make.extractionAgent(), file_id: await make.file() };
  const { id } = await make.create('POST', '/compat/api/v1/extraction/jobs', body);
  await untilEnded('extract', id, make.tenant.key);
  return { query: { extraction_agent_id: body.extraction_agent_id } };
};
/** Creates a chat session of a pipeline or retriever with a question and its answer. */
const chatted = async (make: Fixtures, path: string) => {
  const session = await make.create('POST', `${path}/chat-sessions`, { name: 'About marmalade' });
  await make.create('POST', `${path}/chat`, { ...question, session_id: session.id });
  return session.id;
};
const pipelineSession: Make = async (make) => {
  const { pipeline_id } = await make.pipelineNode();
  return { params: { pipeline_id, session_id: await chatted(make, `/api/v1/pipelines/${pipeline_id}`) } };
};
const retrieverSession: Make = async (make) => {
  const retriever_id = await retriever(make);
  return { params: { retriever_id, session_id: await chatted(make, `/api/v1/retrievers/${retriever_id}`) } };
};
const classifyRules = { configuration: { rules: RULES } };

/** Inputs whose answers show more than the minimal inputs of the contract tests. */
const RICHER: Record<string, Make> = {
  ...lists((make) => make.file(), 'listFiles', 'listFilesV2', 'queryFilesV2'),
  ...lists(organizedFile, 'listFileFolders', 'listFileTags'),
  ...lists((make) => make.browserSession(), 'listOwnSessions'),
  ...lists((make) => make.connectedApplication(), 'listConnectedApplications'),
  ...lists((make) => make.dataSink(), 'listDataSinks'),
  ...lists((make) => make.dataSource(), 'listDataSources'),
  ...lists((make) => make.embeddingModelConfig(), 'listEmbeddingModelConfigs'),
  ...lists(retriever, 'listRetrievers'),
  ...lists((make) => make.questionSet(), 'listQuestionSets'),
  ...lists((make) => make.evaluationRun(), 'listEvaluationRuns'),
  ...lists((make) => make.sweep(), 'listEvaluationSweeps'),
  ...lists((make) => make.truthSet(), 'listTruthSets'),
  ...lists((make) => make.agentData(), 'listAgentCollections'),
  ...lists((make) => make.directory(), 'listDirectories'),
  listDirectoryFiles: async (make) => ({
    params: { directory_id: (await make.directoryFile()).directory_id },
  }),
  ...lists((make) => make.accuracyRun(), 'listAccuracyRuns'),
  ...lists((make) => make.pipeline(), 'searchPipelines', 'listPipelines', 'listModels'),
  ...lists(endedRun, 'pagePipelineJobs'),
  ...lists((make) => make.job('parse'), 'listParseJobs', 'clientListParses'),
  ...lists((make) => make.job('extract'), 'listExtractJobs'),
  ...lists((make) => make.job('classify'), 'listClassifyJobs'),
  ...lists((make) => make.webhookConfig(), 'listWebhookConfigs'),
  ...lists((make) => make.delivery(), 'listWebhookDeliveries'),
  ...lists((make) => make.configuration(), 'listConfigurations', 'clientListConfigurations'),
  ...lists((make) => make.extractionAgent(), 'listExtractionAgents'),
  ...lists(() => deadLetterOf('deliver-webhook'), 'listDeadLetters'),
  ...Object.fromEntries(HEALTH.map((id) => [id, none])),
  listExtractionJobs: withJobOfAgent,
  listExtractionRuns: withJobOfAgent,
  listPageFigures: async (make) => ({ params: { id: await make.illustrated() } }),
  createPipeline: newPipeline,
  upsertPipeline: newPipeline,
  createRetriever: newRetriever,
  upsertRetriever: newRetriever,
  getPipelineStatus: indexedPipeline,
  listPipelineJobs: createRun('pipeline_id'),
  getPipelineJob: createRun('pipeline_id', 'job_id'),
  getExtractionJob: extracted('job_id'),
  getExtractionJobResult: extracted('job_id'),
  getExtractionRunOfJob: extracted('job_id'),
  getExtractionRun: extracted('run_id'),
  legacyParsingJob: parsed,
  legacyParsingDetails: parsed,
  unversionedParsingJob: parsed,
  unversionedParsingDetails: parsed,
  listPipelineDocumentChunks: indexedDocument,
  getPipelineDocument: indexedDocument,
  getPipelineDocumentStatus: indexedDocument,
  getParseJob: async (make) => ({ params: await make.completedParse(), query: { expand: 'markdown' } }),
  clientGetParse: async (make) => ({ params: await make.completedParse(), query: { expand: 'markdown' } }),
  listParseJobPages: async (make) => ({ params: await make.completedParse() }),
  getParseJobPage: async (make) => ({
    params: { ...(await make.completedParse()), page_number: '1' },
    query: { expand: 'markdown' },
  }),
  downloadParseResult: async (make) => ({ params: { ...(await make.completedParse()), format: 'markdown' } }),
  getExtractJob: ended('extract'),
  getClassifyJob: ended('classify'),
  createClassifyJob: async (make) => ({ body: { file_input: await make.file(), ...classifyRules } }),
  retrieve: async (make) => ({ ...(await indexedPipeline(make)), body: query }),
  retrieveDirectly: async (make) => {
    const { pipeline_id } = await make.pipelineNode();
    return { body: { query: query.query, pipelines: [{ pipeline_id }] } };
  },
  retrieveWithRetriever: async (make) => ({
    params: { retriever_id: await retriever(make) },
    body: { query: query.query },
  }),
  listRetrievalPresets: async (make) => {
    const { params } = await INPUTS.getRetrievalPreset!(make);
    return { params: { pipeline_id: params!.pipeline_id! } };
  },
  chat: async (make) => ({ ...(await indexedPipeline(make)), body: question }),
  chatWithRetriever: async (make) => ({ params: { retriever_id: await retriever(make) }, body: question }),
  getChatSession: pipelineSession,
  listChatMessages: pipelineSession,
  getRetrieverChatSession: retrieverSession,
  listRetrieverChatMessages: retrieverSession,
  listChatSessions: async (make) => {
    const { pipeline_id } = (await pipelineSession(make)).params!;
    return { params: { pipeline_id: pipeline_id! } };
  },
  listRetrieverChatSessions: async (make) => {
    const { retriever_id } = (await retrieverSession(make)).params!;
    return { params: { retriever_id: retriever_id! } };
  },
  createChatCompletion: async (make) => {
    const { pipeline_id } = await make.pipelineNode();
    return { body: { model: `pipeline-${pipeline_id}`, ...question } };
  },
  createResponse: async (make) => {
    const { pipeline_id } = await make.pipelineNode();
    return { body: { model: `pipeline-${pipeline_id}`, input: question.messages[0]!.content } };
  },
};

/** Returns a function that prepares the service for the example of an operation and returns its inputs. */
export function inputsOfExamples(id: string): Make {
  const make = RICHER[id] ?? INPUTS[id];
  if (!make) throw new Error(`There are no inputs for ${id}.`);
  return make;
}
