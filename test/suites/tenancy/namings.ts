import { INVOICE_SCHEMA } from '#test/support/jobs.ts';
import type { KindName } from './things.ts';

/**
 * The kind of resource that a field names, and how a request with a resource of another owner is answered.
 */
export interface Named {
  kind: KindName;
  /**
   * `refused`: as if the resource did not exist. `filter`: a list contains nothing of others. `chosen`:
   * callers choose the name within their own project. `ignored`: nothing is looked up, and the answer is the
   * same for every name.
   */
  as: 'refused' | 'filter' | 'chosen' | 'ignored';
  /** Properties of the body that exclude this field. */
  instead?: readonly string[];
  /**
   * A key may name the resource in any project that it can access, not only in the project of the request.
   */
  anywhere?: true;
  /** The owner still finds what belonged to a deleted resource, such as the record of its deletion. */
  outlives?: true;
  /** Properties of the body that the field requires. */
  beside?: object;
}

/**
 * `operator`: the operator may name everything. `not ours`: the field names a resource of an external system.
 */
export type Naming = KindName | Named | 'operator' | 'not ours';

export const OPERATOR = 'operator';
export const NOT_OURS = 'not ours';
export const filter = (kind: KindName): Named => ({ kind, as: 'filter' });
export const chosen = (kind: KindName): Named => ({ kind, as: 'chosen' });
export const ignored = (kind: KindName, beside: object = {}): Named => ({ kind, as: 'ignored', beside });
/**
 * Resources that can be read or referred to from a request in another project, if the caller can access them.
 */
export const anywhere = (kind: KindName, members: readonly string[] = []): Named => ({
  kind,
  as: 'refused',
  instead: members,
  anywhere: true,
});
/** Files outside of the pipeline are ignored. */
export const FILES_INSTEAD: Named = { kind: 'pipelineFile', as: 'filter', instead: ['filter'] };
export const SAVED_EXTRACTION = { parameters: { product_type: 'extract_v2', data_schema: INVOICE_SCHEMA } };
export const SAVED_PARSE = { parameters: { product_type: 'parse_v2', tier: 'fast', version: 'latest' } };

export const CLIENT_CONFIGURATION = { parameters: {} };
export const PARSE_BATCH = { job_type: 'parse', configuration: { tier: 'fast', version: 'latest' } };

export const RESTORE = { 'path.restore_id': OPERATOR } as const;
export const FILE = { 'path.id': 'file' } as const;
export const ILLUSTRATED_FILE = { 'path.id': 'illustratedFile' } as const;
export const DATA_SINK = { 'path.data_sink_id': 'dataSink' } as const;
export const DATA_SOURCE = { 'path.data_source_id': 'dataSource' } as const;
export const EMBEDDING_MODEL_CONFIG = { 'path.embedding_model_config_id': 'embeddingModelConfig' } as const;
export const ORGANIZATION = { 'path.organization_id': 'organization' } as const;
export const PROJECT = { 'path.project_id': 'project' } as const;
export const PIPELINE = { 'path.pipeline_id': 'pipeline' } as const;
export const PIPELINE_SOURCE = {
  'path.pipeline_id': 'pipeline',
  'path.data_source_id': 'pipelineSource',
} as const;
export const PIPELINE_FILE = { 'path.pipeline_id': 'pipeline', 'path.file_id': 'pipelineFile' } as const;
export const FILTER_PIPELINE_FILES = {
  'path.pipeline_id': 'pipeline',
  'query.data_source_id': filter('pipelineSource'),
} as const;
export const FILE_IN_PATH = { 'path.file_id': 'file' } as const;
export const RESPONSE = { 'path.response_id': anywhere('storedResponse') } as const;
export const VECTOR_STORE = { 'path.vector_store_id': 'pipeline' } as const;
export const VECTOR_STORE_FILE = { ...VECTOR_STORE, 'path.file_id': 'vectorStoreFile' } as const;
export const VECTOR_STORE_BATCH = { ...VECTOR_STORE, 'path.batch_id': 'vectorStoreBatch' } as const;
export const PUT_DOCUMENTS = { 'path.pipeline_id': 'pipeline', 'body[].id': chosen('document') } as const;
export const PIPELINE_DOCUMENT = { 'path.pipeline_id': 'pipeline', 'path.document_id': 'document' } as const;
export const RETRIEVAL_PRESET = {
  'path.pipeline_id': 'pipeline',
  'path.preset_id': 'retrievalPreset',
} as const;
export const RETRIEVER_PIPELINES = { 'body.pipelines[].pipeline_id': anywhere('pipeline') } as const;
export const RETRIEVER = { 'path.retriever_id': 'retriever' } as const;
export const CHAT_SESSION = { 'path.pipeline_id': 'pipeline', 'path.session_id': 'chatSession' } as const;
export const RETRIEVER_CHAT_SESSION = {
  'path.retriever_id': 'retriever',
  'path.session_id': 'retrieverChatSession',
} as const;
export const TRACE = { 'path.trace_id': 'trace' } as const;
export const FILTER_TRACES = {
  'query.pipeline_id': filter('pipeline'),
  'query.retriever_id': filter('retriever'),
} as const;
export const QUESTION_SET = { 'path.question_set_id': 'questionSet' } as const;
export const QUESTION = { 'path.question_set_id': 'questionSet', 'path.question_id': 'question' } as const;
export const EVALUATION_RUN = { 'path.run_id': 'evaluationRun' } as const;
export const AGENT_DATA = { 'path.item_id': 'agentData' } as const;
export const INDEX = { 'path.index_id': 'pipeline' } as const;
export const INDEX_CHAT = { 'path.session_id': 'indexChat' } as const;
export const DIRECTORY = { 'path.directory_id': 'directory' } as const;
export const DIRECTORY_FILE = { ...DIRECTORY, 'path.directory_file_id': 'directoryFile' } as const;
export const TRUTH_SET = { 'path.truth_set_id': 'truthSet' } as const;
export const SWEEP = { 'path.sweep_id': 'sweep' } as const;
export const ACCURACY_RUN = { 'path.run_id': 'accuracyRun' } as const;
export const PARSE_JOB = { 'path.job_id': 'parseJob' } as const;
export const FILE_IN_BODY = { 'body.file_id': anywhere('file') } as const;
export const EXTRACT_JOB = { 'path.job_id': 'extractJob' } as const;
export const BATCH = { 'path.batch_id': 'batch' } as const;
export const WEBHOOK_CONFIG = { 'path.webhook_config_id': 'webhookConfig' } as const;
export const EXTRACTION_AGENT = { 'path.extraction_agent_id': 'extractionAgent' } as const;
export const EXTRACTION_AGENT_IN_QUERY = {
  'query.extraction_agent_id': anywhere('extractionAgent'),
} as const;
export const EXTRACTION_JOB = { 'path.job_id': 'extractionJob' } as const;
