import { INVOICE_SCHEMA } from '#test/support/jobs.ts';
import type { AnyOperationId, NamedFields } from './named-fields.ts';
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
  /** Properties of the body that the field requires. */
  beside?: object;
}

/**
 * `operator`: the operator may name everything. `not ours`: the field names a resource of an external system.
 */
export type Naming = KindName | Named | 'operator' | 'not ours';

type Row<Id extends AnyOperationId> = Record<NamedFields<Id>, Naming> & Record<string, Naming>;

/** A row for each operation with every field that names a resource. A missing field fails to compile. */
type Table = {
  [Id in AnyOperationId as [NamedFields<Id>] extends [never] ? never : Id]: Row<Id>;
} & { [Id in AnyOperationId]?: Record<string, Naming> };

const OPERATOR = 'operator';
const NOT_OURS = 'not ours';
const filter = (kind: KindName): Named => ({ kind, as: 'filter' });
const chosen = (kind: KindName): Named => ({ kind, as: 'chosen' });
const ignored = (kind: KindName, beside: object = {}): Named => ({ kind, as: 'ignored', beside });
/**
 * Resources that can be read or referred to from a request in another project, if the caller can access them.
 */
const anywhere = (kind: KindName, members: readonly string[] = []): Named => ({
  kind,
  as: 'refused',
  instead: members,
  anywhere: true,
});
/** Files outside of the pipeline are ignored. */
const FILES_INSTEAD: Named = { kind: 'pipelineFile', as: 'filter', instead: ['filter'] };
const SAVED_EXTRACTION = { parameters: { product_type: 'extract_v2', data_schema: INVOICE_SCHEMA } };
const SAVED_PARSE = { parameters: { product_type: 'parse_v2', tier: 'fast', version: 'latest' } };

const RESTORE = { 'path.restore_id': OPERATOR } as const;
const FILE = { 'path.id': 'file' } as const;
const ILLUSTRATED_FILE = { 'path.id': 'illustratedFile' } as const;
const DATA_SINK = { 'path.data_sink_id': 'dataSink' } as const;
const DATA_SOURCE = { 'path.data_source_id': 'dataSource' } as const;
const EMBEDDING_MODEL_CONFIG = { 'path.embedding_model_config_id': 'embeddingModelConfig' } as const;
const ORGANIZATION = { 'path.organization_id': 'organization' } as const;
const PROJECT = { 'path.project_id': 'project' } as const;
const PIPELINE = { 'path.pipeline_id': 'pipeline' } as const;
const PIPELINE_SOURCE = { 'path.pipeline_id': 'pipeline', 'path.data_source_id': 'pipelineSource' } as const;
const PIPELINE_FILE = { 'path.pipeline_id': 'pipeline', 'path.file_id': 'pipelineFile' } as const;
const FILTER_PIPELINE_FILES = {
  'path.pipeline_id': 'pipeline',
  'query.data_source_id': filter('pipelineSource'),
} as const;
const PUT_DOCUMENTS = { 'path.pipeline_id': 'pipeline', 'body[].id': chosen('document') } as const;
const PIPELINE_DOCUMENT = { 'path.pipeline_id': 'pipeline', 'path.document_id': 'document' } as const;
const RETRIEVER_PIPELINES = { 'body.pipelines[].pipeline_id': anywhere('pipeline') } as const;
const RETRIEVER = { 'path.retriever_id': 'retriever' } as const;
const CHAT_SESSION = { 'path.pipeline_id': 'pipeline', 'path.session_id': 'chatSession' } as const;
const RETRIEVER_CHAT_SESSION = {
  'path.retriever_id': 'retriever',
  'path.session_id': 'retrieverChatSession',
} as const;
const PARSE_JOB = { 'path.job_id': 'parseJob' } as const;
const FILE_IN_BODY = { 'body.file_id': anywhere('file') } as const;
const EXTRACT_JOB = { 'path.job_id': 'extractJob' } as const;
const WEBHOOK_CONFIG = { 'path.webhook_config_id': 'webhookConfig' } as const;
const EXTRACTION_AGENT = { 'path.extraction_agent_id': 'extractionAgent' } as const;
const EXTRACTION_AGENT_IN_QUERY = { 'query.extraction_agent_id': anywhere('extractionAgent') } as const;
const EXTRACTION_JOB = { 'path.job_id': 'extractionJob' } as const;

export const NAMED_THINGS = {
  createApiKey: { 'body.project_id': 'project', 'body.user_id': 'member' },
  revokeApiKey: { 'path.api_key_id': 'apiKey' },
  createApiKeyBeta: { 'body.project_id': 'project', 'body.user_id': 'member' },
  revokeApiKeyBeta: { 'path.api_key_id': 'apiKey' },
  sendDeadLetter: { 'path.dead_letter_id': OPERATOR },
  getBackupOutline: { 'query.project': OPERATOR },
  readBackupRows: { 'body.project': OPERATOR },
  listBackupObjects: { 'query.project': OPERATOR },
  beginRestore: { 'body.backup_id': OPERATOR, 'body.project': OPERATOR, 'body.organization': OPERATOR },
  writeRestoredRows: RESTORE,
  writeRestoredObject: RESTORE,
  finishRestore: RESTORE,
  createPresignedUpload: {
    'body.external_file_id': chosen('externalFile'),
    'body.data_source_id': 'dataSource',
  },
  uploadFile: { 'query.external_file_id': chosen('externalFile') },
  getFile: FILE,
  deleteFile: FILE,
  getFileContentUrl: FILE,
  listFilePages: FILE,
  getFilePage: FILE,
  listPageScreenshots: ILLUSTRATED_FILE,
  getPageScreenshot: ILLUSTRATED_FILE,
  createPageScreenshotUrl: ILLUSTRATED_FILE,
  listPageFigures: ILLUSTRATED_FILE,
  listFiguresOfPage: ILLUSTRATED_FILE,
  getPageFigure: ILLUSTRATED_FILE,
  createPageFigureUrl: ILLUSTRATED_FILE,
  createFileV2: { 'form.external_file_id': chosen('externalFile') },
  listFilesV2: {
    'query.file_ids': filter('file'),
    'query.data_source_id': filter('dataSource'),
    'query.external_file_id': filter('externalFile'),
  },
  queryFilesV2: {
    'body.filter.project_id': filter('project'),
    'body.filter.file_ids': filter('file'),
    'body.filter.data_source_id': filter('dataSource'),
    'body.filter.external_file_id': filter('externalFile'),
  },
  getFileV2: FILE,
  deleteFileV2: FILE,
  getFileContentUrlV2: FILE,
  getDataSink: DATA_SINK,
  updateDataSink: DATA_SINK,
  deleteDataSink: DATA_SINK,
  validateDataSink: DATA_SINK,
  getDataSource: DATA_SOURCE,
  updateDataSource: DATA_SOURCE,
  deleteDataSource: DATA_SOURCE,
  validateDataSource: DATA_SOURCE,
  getEmbeddingModelConfig: EMBEDDING_MODEL_CONFIG,
  updateEmbeddingModelConfig: EMBEDDING_MODEL_CONFIG,
  deleteEmbeddingModelConfig: EMBEDDING_MODEL_CONFIG,
  getOrganization: ORGANIZATION,
  renameOrganization: ORGANIZATION,
  deleteOrganization: ORGANIZATION,
  listMembers: ORGANIZATION,
  addMember: ORGANIZATION,
  changeMemberRole: { 'path.organization_id': 'organization', 'path.user_id': 'member' },
  removeMember: { 'path.organization_id': 'organization', 'path.user_id': 'member' },
  getProject: PROJECT,
  renameProject: PROJECT,
  deleteProject: PROJECT,
  exportProject: PROJECT,
  exportUser: { 'path.user_id': 'member' },
  getModelSettings: PROJECT,
  putModelSettings: PROJECT,
  getOrganizationV2: ORGANIZATION,
  getProjectV2: PROJECT,
  createPipeline: {
    'body.data_sink.id': anywhere('describedDataSink'),
    'body.data_sink_id': anywhere('dataSink'),
    'body.embedding_model_config_id': anywhere('embeddingModelConfig'),
    'body.parse_parameters.model': NOT_OURS,
    'body.parse_parameters.project_id': ignored('project'),
    'body.managed_pipeline_id': anywhere('pipeline'),
  },
  upsertPipeline: {
    'body.data_sink.id': anywhere('describedDataSink'),
    'body.data_sink_id': anywhere('dataSink'),
    'body.embedding_model_config_id': anywhere('embeddingModelConfig'),
    'body.parse_parameters.model': NOT_OURS,
    'body.parse_parameters.project_id': ignored('project'),
    'body.managed_pipeline_id': anywhere('pipeline'),
  },
  getPipeline: PIPELINE,
  updatePipeline: {
    'path.pipeline_id': 'pipeline',
    'body.data_sink.id': anywhere('describedDataSink'),
    'body.data_sink_id': anywhere('dataSink'),
    'body.embedding_model_config_id': anywhere('embeddingModelConfig'),
    'body.parse_parameters.model': NOT_OURS,
    'body.parse_parameters.project_id': ignored('project'),
    'body.managed_pipeline_id': anywhere('pipeline'),
  },
  deletePipeline: PIPELINE,
  forceDeletePipeline: PIPELINE,
  copyPipeline: PIPELINE,
  listPipelineDataSources: PIPELINE,
  addPipelineDataSources: { 'path.pipeline_id': 'pipeline', 'body[].data_source_id': 'dataSource' },
  updatePipelineDataSource: PIPELINE_SOURCE,
  removePipelineDataSource: PIPELINE_SOURCE,
  getPipelineDataSourceStatus: PIPELINE_SOURCE,
  syncPipelineDataSource: {
    'path.pipeline_id': 'pipeline',
    'path.data_source_id': 'pipelineSource',
    'body.pipeline_file_ids': 'sourceFile',
  },
  addPipelineFiles: { 'path.pipeline_id': 'pipeline', 'body[].file_id': 'file' },
  listPipelineFiles: PIPELINE,
  getPipelineFileStatus: PIPELINE_FILE,
  retryPipelineFile: PIPELINE_FILE,
  removePipelineFile: PIPELINE_FILE,
  updatePipelineFile: PIPELINE_FILE,
  pagePipelineFiles: FILTER_PIPELINE_FILES,
  pagePipelineFilesByCursor: FILTER_PIPELINE_FILES,
  countPipelineFiles: FILTER_PIPELINE_FILES,
  countPipelineFileFailures: FILTER_PIPELINE_FILES,
  retryPipelineFiles: {
    'path.pipeline_id': 'pipeline',
    'body.file_ids': FILES_INSTEAD,
    'body.filter.data_source_id': filter('pipelineSource'),
  },
  removePipelineFiles: {
    'path.pipeline_id': 'pipeline',
    'body.file_ids': FILES_INSTEAD,
    'body.filter.data_source_id': filter('pipelineSource'),
  },
  listPipelineMetadataKeys: PIPELINE,
  uploadPipelineMetadata: PIPELINE,
  deletePipelineMetadata: PIPELINE,
  insertPipelineDocuments: PUT_DOCUMENTS,
  upsertPipelineDocuments: PUT_DOCUMENTS,
  listPipelineDocuments: { 'path.pipeline_id': 'pipeline', 'query.file_id': filter('document') },
  pagePipelineDocuments: { 'path.pipeline_id': 'pipeline', 'query.file_id': filter('document') },
  countPipelineDocuments: PIPELINE,
  getPipelineDocument: PIPELINE_DOCUMENT,
  deletePipelineDocument: PIPELINE_DOCUMENT,
  getPipelineDocumentStatus: PIPELINE_DOCUMENT,
  syncPipelineDocument: PIPELINE_DOCUMENT,
  listPipelineDocumentChunks: PIPELINE_DOCUMENT,
  listPipelineFileChunks: PIPELINE_FILE,
  getPipelineNode: { 'path.pipeline_id': 'pipeline', 'path.node_id': 'node' },
  syncPipeline: PIPELINE,
  cancelPipelineSync: PIPELINE,
  getPipelineStatus: PIPELINE,
  listPipelineJobs: PIPELINE,
  getPipelineJob: { 'path.pipeline_id': 'pipeline', 'path.job_id': 'run' },
  pagePipelineJobs: { 'query.pipeline_id': filter('syncedPipeline') },
  retrieve: PIPELINE,
  createRetriever: RETRIEVER_PIPELINES,
  upsertRetriever: RETRIEVER_PIPELINES,
  retrieveDirectly: RETRIEVER_PIPELINES,
  getRetriever: RETRIEVER,
  updateRetriever: { 'path.retriever_id': 'retriever', 'body.pipelines[].pipeline_id': anywhere('pipeline') },
  deleteRetriever: RETRIEVER,
  retrieveWithRetriever: RETRIEVER,
  getPlaygroundSession: PIPELINE,
  deletePlaygroundSession: PIPELINE,
  listChatSessions: PIPELINE,
  createChatSession: PIPELINE,
  getChatSession: CHAT_SESSION,
  renameChatSession: CHAT_SESSION,
  deleteChatSession: CHAT_SESSION,
  listChatMessages: CHAT_SESSION,
  listRetrieverChatSessions: RETRIEVER,
  createRetrieverChatSession: RETRIEVER,
  getRetrieverChatSession: RETRIEVER_CHAT_SESSION,
  renameRetrieverChatSession: RETRIEVER_CHAT_SESSION,
  deleteRetrieverChatSession: RETRIEVER_CHAT_SESSION,
  listRetrieverChatMessages: RETRIEVER_CHAT_SESSION,
  chat: {
    'path.pipeline_id': 'pipeline',
    'body.id': chosen('chat'),
    'body.session_id': 'chatSession',
    'body.messageId': chosen('message'),
    'body.messages[].id': chosen('message'),
  },
  resumeChat: { 'path.pipeline_id': 'pipeline', 'path.chat_id': filter('chat') },
  stopChat: { 'path.pipeline_id': 'pipeline', 'path.chat_id': filter('chat') },
  chatWithRetriever: {
    'path.retriever_id': 'retriever',
    'body.id': chosen('retrieverChat'),
    'body.session_id': 'retrieverChatSession',
    'body.messageId': chosen('retrieverMessage'),
    'body.messages[].id': chosen('retrieverMessage'),
  },
  resumeRetrieverChat: { 'path.retriever_id': 'retriever', 'path.chat_id': filter('retrieverChat') },
  stopRetrieverChat: { 'path.retriever_id': 'retriever', 'path.chat_id': filter('retrieverChat') },
  createParseJob: {
    'body.file_id': anywhere('file'),
    'body.configuration.model': NOT_OURS,
    'body.configuration.project_id': ignored('project'),
    'body.configuration_id': anywhere('parseConfiguration'),
    'body.webhook_configuration_ids': anywhere('webhookConfig'),
  },
  listParseJobs: {
    'query.job_ids': filter('parseJob'),
    'query.configuration_id': filter('parseConfiguration'),
  },
  getParseJob: PARSE_JOB,
  deleteParseJob: PARSE_JOB,
  cancelParseJob: PARSE_JOB,
  downloadParseResult: PARSE_JOB,
  createExtractJob: {
    'body.file_input': anywhere('file'),
    'body.configuration.parse_config_id': 'parseConfiguration',
    'body.configuration_id': anywhere('extractConfiguration', ['configuration']),
    'body.webhook_configuration_ids': anywhere('webhookConfig'),
  },
  listExtractJobs: {
    'query.job_ids': filter('extractJob'),
    'query.configuration_id': filter('extractConfiguration'),
    'query.file_input': filter('file'),
    'query.document_input_value': filter('file'),
  },
  generateExtractSchema: FILE_IN_BODY,
  getExtractJob: EXTRACT_JOB,
  deleteExtractJob: EXTRACT_JOB,
  cancelExtractJob: EXTRACT_JOB,
  createClassifyJob: {
    'body.configuration_id': anywhere('classifyConfiguration', ['configuration']),
    'body.file_input': anywhere('file'),
    'body.file_id': anywhere('file', ['file_input']),
    'body.parse_job_id': anywhere('parseJob', ['file_input']),
    'body.transaction_id': chosen('transaction'),
    'body.webhook_configuration_ids': anywhere('webhookConfig'),
  },
  listClassifyJobs: {
    'query.job_ids': filter('classifyJob'),
    'query.configuration_id': filter('classifyConfiguration'),
  },
  getClassifyJob: { 'path.job_id': 'classifyJob' },
  cancelClassifyJob: { 'path.job_id': 'classifyJob' },
  getWebhookConfig: WEBHOOK_CONFIG,
  updateWebhookConfig: WEBHOOK_CONFIG,
  deleteWebhookConfig: WEBHOOK_CONFIG,
  testWebhookConfig: WEBHOOK_CONFIG,
  listWebhookDeliveries: { 'query.job_id': filter('parseJob') },
  getWebhookDelivery: { 'path.delivery_id': 'delivery' },
  replayWebhookDelivery: { 'path.delivery_id': 'delivery' },
  saveConfiguration: {
    'body.parameters.parse_config_id': ignored('parseConfiguration', SAVED_EXTRACTION),
    'body.parameters.model': NOT_OURS,
    'body.parameters.project_id': ignored('project', SAVED_PARSE),
  },
  getConfiguration: { 'path.configuration_id': 'extractConfiguration' },
  updateConfiguration: {
    'path.configuration_id': 'extractConfiguration',
    'body.parameters.parse_config_id': ignored('parseConfiguration', SAVED_EXTRACTION),
    'body.parameters.model': NOT_OURS,
    'body.parameters.project_id': ignored('project', SAVED_EXTRACTION),
  },
  deleteConfiguration: { 'path.configuration_id': 'extractConfiguration' },
  putPipelineDocuments: PUT_DOCUMENTS,
  clientCreateParse: {
    'body.file_id': anywhere('file'),
    'body.configuration_id': anywhere('parseConfiguration', ['tier', 'version']),
    'body.webhook_configuration_ids': anywhere('webhookConfig'),
  },
  clientListParses: {
    'query.job_ids': filter('parseJob'),
    'query.configuration_id': filter('parseConfiguration'),
  },
  clientGetParse: PARSE_JOB,
  clientDeleteParse: PARSE_JOB,
  clientCancelParse: PARSE_JOB,
  clientSaveConfiguration: {
    'body.parameters.parse_config_id': ignored('parseConfiguration', SAVED_EXTRACTION),
    'body.parameters.model': NOT_OURS,
    'body.parameters.project_id': ignored('project', SAVED_PARSE),
  },
  clientGetConfiguration: { 'path.configuration_id': 'parseConfiguration' },
  clientUpdateConfiguration: {
    'path.configuration_id': 'parseConfiguration',
    'body.parameters.parse_config_id': ignored('parseConfiguration', SAVED_EXTRACTION),
    'body.parameters.model': NOT_OURS,
    'body.parameters.project_id': ignored('project', SAVED_EXTRACTION),
  },
  legacyParsingJob: PARSE_JOB,
  legacyParsingDetails: PARSE_JOB,
  legacyParsingParameters: PARSE_JOB,
  legacyParsingResult: PARSE_JOB,
  legacyParsingRawResult: PARSE_JOB,
  legacyParsingImage: PARSE_JOB,
  unversionedParsingJob: PARSE_JOB,
  unversionedParsingDetails: PARSE_JOB,
  unversionedParsingParameters: PARSE_JOB,
  unversionedParsingResult: PARSE_JOB,
  unversionedParsingRawResult: PARSE_JOB,
  unversionedParsingImage: PARSE_JOB,
  generateExtractionAgentSchema: FILE_IN_BODY,
  getExtractionAgent: EXTRACTION_AGENT,
  updateExtractionAgent: EXTRACTION_AGENT,
  deleteExtractionAgent: EXTRACTION_AGENT,
  runExtraction: FILE_IN_BODY,
  startExtractionJob: {
    'body.extraction_agent_id': anywhere('extractionAgent'),
    'body.file_id': anywhere('file'),
  },
  listExtractionJobs: EXTRACTION_AGENT_IN_QUERY,
  startExtractionJobs: {
    'body.extraction_agent_id': anywhere('extractionAgent'),
    'body.file_ids': anywhere('file'),
  },
  startExtractionJobOnUpload: { 'form.extraction_agent_id': anywhere('extractionAgent') },
  getExtractionJob: EXTRACTION_JOB,
  getExtractionJobResult: EXTRACTION_JOB,
  listExtractionRuns: EXTRACTION_AGENT_IN_QUERY,
  getLatestExtractionRunFromUi: EXTRACTION_AGENT_IN_QUERY,
  getExtractionRunOfJob: EXTRACTION_JOB,
  getExtractionRun: { 'path.run_id': 'extractionJob' },
  deleteExtractionRun: { 'path.run_id': 'extractionJob' },
  createClassifierJob: { 'body.file_ids': anywhere('file') },
  getClassifierJob: { 'path.classify_job_id': 'classifierJob' },
  getClassifierJobResults: { 'path.classify_job_id': 'classifierJob' },
  getModel: { 'path.model': 'model' },
  createChatCompletion: { 'body.model': anywhere('model'), 'body.messages[].tool_call_id': NOT_OURS },
  createEmbeddings: { 'body.model': anywhere('model') },
} satisfies Table;
