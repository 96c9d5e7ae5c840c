import type { Product } from '#test/support/jobs.ts';
import { question, textFile } from './operation-bodies.ts';
import type { Fixtures } from './operation-fixtures.ts';

// Functions that make the inputs of operations, by what the operation needs.

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

export type Make = (make: Fixtures) => Inputs | Promise<Inputs>;

export const none: Make = () => ({});

export const body =
  (value: () => unknown): Make =>
  () => ({ body: value() });
export const withId =
  (name: string, kind: KindOfThing, value?: () => unknown): Make =>
  async (make) => ({ params: { [name]: await make[kind]() }, ...(value && { body: value() }) });
export const inPipeline =
  (value?: unknown): Make =>
  async (make) => ({
    params: await make.withPipeline({}),
    ...(value !== undefined && { body: value }),
  });
export const file: Make = async (make) => ({ params: { id: await make.file() } });
export const ofPipelineFile: Make = async (make) => ({ params: await make.pipelineFile() });
export const ofPipelineSource: Make = async (make) => ({ params: await make.pipelineSource() });
export const ofDocument: Make = async (make) => ({ params: await make.pipelineDocument() });
export const ofSession =
  (value?: unknown): Make =>
  async (make) => {
    const { pipeline_id } = await make.withPipeline({});
    const session = await make.create('POST', `/api/v1/pipelines/${pipeline_id}/chat-sessions`);
    return { params: { pipeline_id, session_id: session.id }, ...(value !== undefined && { body: value }) };
  };
export const ofChat: Make = async (make) => {
  const params = await make.withPipeline({ chat_id: 'a chat' });
  await make.create('POST', `/api/v1/pipelines/${params.pipeline_id}/chat`, {
    ...question,
    id: params.chat_id,
  });
  return { params };
};
export const ofPreset =
  (value?: unknown): Make =>
  async (make) => {
    const { pipeline_id } = await make.withPipeline({});
    const preset = { name: `preset ${crypto.randomUUID()}`, parameters: { alpha: 0.5 } };
    const { id } = await make.create('POST', `/api/v2/pipelines/${pipeline_id}/retrieval-presets`, preset);
    return { params: { pipeline_id, preset_id: id }, ...(value !== undefined && { body: value }) };
  };
export const ofRetrieverSession =
  (value?: unknown): Make =>
  async (make) => {
    const retriever_id = await make.retriever();
    const session = await make.create('POST', `/api/v1/retrievers/${retriever_id}/chat-sessions`);
    return { params: { retriever_id, session_id: session.id }, ...(value !== undefined && { body: value }) };
  };
export const ofRetrieverChat: Make = async (make) => {
  const params = { retriever_id: await make.retriever(), chat_id: 'a chat' };
  const body = { ...question, id: params.chat_id };
  await make.create('POST', `/api/v1/retrievers/${params.retriever_id}/chat`, body);
  return { params };
};
export const ofDelivery: Make = async (make) => ({ params: await make.delivery() });
export const page: Make = async (make) => ({ params: { id: await make.illustrated(), page_index: '0' } });
export const figure: Make = async (make) => ({ params: await make.figure() });
export const job =
  (product: Product): Make =>
  async (make) => ({ params: await make.job(product) });
export const ofQuestionSet =
  (value?: unknown): Make =>
  async (make) => ({
    params: { question_set_id: await make.questionSet() },
    ...(value !== undefined && { body: value }),
  });
export const ofSchedule: Make = async (make) => ({
  params: { question_set_id: await make.scheduledSet() },
});
export const ofQuestion =
  (value?: unknown): Make =>
  async (make) => ({ params: await make.question(), ...(value !== undefined && { body: value }) });
export const ofEvaluationRun =
  (query?: Record<string, string>): Make =>
  async (make) => ({ params: { run_id: await make.evaluationRun() }, ...(query && { query }) });
export const ofTruthSet =
  (value?: unknown): Make =>
  async (make) => ({
    params: { truth_set_id: await make.truthSet() },
    ...(value !== undefined && { body: value }),
  });
export const ofSweep: Make = async (make) => ({ params: { sweep_id: await make.sweep() } });
export const ofAccuracyRun: Make = async (make) => ({ params: { run_id: await make.accuracyRun() } });
export const ofBatch: Make = async (make) => ({ params: { batch_id: await make.batch() } });
/** A review of a completed job. */
export const reviewed =
  (product: 'extract' | 'classify', corrections: object): Make =>
  async (make) => ({
    params: await make.endedJob(product),
    body: { revision: 0, approved: true, corrections },
  });
export const agentsFile = async (make: Fixtures) => ({
  extraction_agent_id: await make.extractionAgent(),
  file_id: await make.file(),
});
/** The owner of the agent is checked before anything else. */
export const byAgent: Make = async (make) => ({
  query: { extraction_agent_id: await make.extractionAgent() },
  stranger: 404,
});
export const sources: Make = async (make) => ({
  params: await make.withPipeline({}),
  body: [{ data_source_id: await make.dataSource() }],
});

/** Fixture that creates a resource and returns its id. */
type KindOfThing =
  | 'pipeline'
  | 'trace'
  | 'agentData'
  | 'directory'
  | 'dataSink'
  | 'dataSource'
  | 'embeddingModelConfig'
  | 'apiKey'
  | 'browserSession'
  | 'connectedApplication'
  | 'file'
  | 'organization'
  | 'project'
  | 'retriever'
  | 'configuration'
  | 'webhookConfig'
  | 'extractionAgent'
  | 'extractionJob'
  | 'classifierJob';

/** Inputs of the legacy parsing operations, under either prefix. */
export const legacyParsing = <const Name extends string>(name: Name) => {
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
