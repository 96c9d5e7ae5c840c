import { env } from 'cloudflare:workers';
import type { ClientOperationId } from '#src/api/compat/operations.ts';
import type { OpenAiOperationId } from '#src/api/openai/operations.ts';
import type { OperationId } from '#src/api/operations.ts';
import { encodeCursor } from '#src/lib/cursor.ts';
import { BACKUP_KEY, begunRestore } from '#test/support/backups.ts';
import { deadLetterOf } from '#test/support/dead-letters.ts';
import { CATEGORIES, INVOICE_SCHEMA, RULES } from '#test/support/jobs.ts';
import { CLIENT_INPUTS } from './client-operation-inputs.ts';
import { OPENAI_INPUTS } from './openai-operation-inputs.ts';
import {
  document,
  embedding,
  extraction,
  named,
  question,
  saved,
  sink,
  source,
  textFile,
  webhook,
} from './operation-bodies.ts';
import {
  body,
  figure,
  file,
  inPipeline,
  job,
  type Make,
  none,
  ofAccuracyRun,
  ofBatch,
  ofChat,
  ofDelivery,
  ofDocument,
  ofEvaluationRun,
  ofPipelineFile,
  ofPipelineSource,
  ofPreset,
  ofQuestion,
  ofQuestionSet,
  ofRetrieverChat,
  ofRetrieverSession,
  ofSchedule,
  ofSession,
  ofSweep,
  ofTruthSet,
  page,
  reviewed,
  sources,
  withId,
} from './operation-makers.ts';

export { createFixtures, type Fixtures } from './operation-fixtures.ts';
export type { Inputs, Make } from './operation-makers.ts';

/** Inputs of operations that only the operator may call. */
const operator = { key: String(env.BOOTSTRAP_API_KEY), stranger: 403 };

/** Valid inputs of every operation. A missing operation fails to compile. */
const EVERY_INPUT: Record<OperationId | ClientOperationId | OpenAiOperationId, Make> = {
  getSession: none,
  signIn: (make) => ({ body: { api_key: make.tenant.key } }),
  signOut: none,
  listSignInProviders: none,
  listOwnSessions: none,
  endOtherSessions: none,
  endOwnSession: withId('session_id', 'browserSession'),
  listConnectedApplications: none,
  removeConnectedApplication: withId('application_id', 'connectedApplication'),
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
  listFileFolders: none,
  listFileTags: none,
  updateFiles: async (make) => ({ body: { file_ids: [await make.file()], folder: 'reports/2026' } }),
  updateFile: withId('file_id', 'file', () => ({ folder: 'reports/2026', add_tags: ['invoice'] })),
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
  createInvitation: withId('organization_id', 'organization', () => ({ role: 'viewer' })),
  listInvitations: withId('organization_id', 'organization'),
  revokeInvitation: async (make) => {
    const { organization_id, invitation_id } = await make.invitation();
    return { params: { organization_id, invitation_id } };
  },
  acceptInvitation: async (make) => ({ body: { token: (await make.invitation()).token, name: 'Ada' } }),
  listAuditEvents: withId('organization_id', 'organization'),
  exportAuditEvents: withId('organization_id', 'organization'),
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
  importPipelineDocumentLines: async (make) => ({
    params: { pipeline_id: await make.pipeline() },
    bytes: JSON.stringify(document('one')),
  }),
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
  updatePipelineNode: async (make) => ({ params: await make.pipelineNode(), body: { enabled: false } }),
  syncPipeline: inPipeline(),
  cancelPipelineSync: inPipeline(),
  getPipelineStatus: inPipeline(),
  listPipelineJobs: inPipeline(),
  getPipelineJob: async (make) => ({ params: await make.run() }),
  // Other operations of the suites create newer runs, so the page must be large.
  pagePipelineJobs: () => ({ query: { page_size: '200' } }),
  retrieve: inPipeline({ query: 'oranges' }),
  listRetrievalPresets: inPipeline(),
  createRetrievalPreset: async (make) => ({
    params: await make.withPipeline({}),
    body: { name: named('preset'), parameters: { alpha: 0.5 } },
  }),
  getRetrievalPreset: ofPreset(),
  updateRetrievalPreset: ofPreset({ parameters: { alpha: 0.2 } }),
  deleteRetrievalPreset: ofPreset(),
  listRetrievers: none,
  listQuestionSets: none,
  createQuestionSet: body(() => ({ name: named('set') })),
  getQuestionSet: ofQuestionSet(),
  updateQuestionSet: ofQuestionSet({ description: 'About oranges' }),
  deleteQuestionSet: ofQuestionSet(),
  listQuestions: ofQuestionSet(),
  addQuestions: async (make) => {
    const question = { text: 'What does marmalade need?', expected_answer: 'oranges' };
    const expected = await make.expectedPlaces();
    return {
      params: { question_set_id: await make.questionSet() },
      body: { questions: [{ ...question, ...expected }] },
    };
  },
  updateQuestion: async (make) => ({ params: await make.question(), body: await make.expectedPlaces() }),
  deleteQuestion: ofQuestion(),
  importQuestions: ofQuestionSet({
    format: 'csv',
    content: 'question,expected_passage\nWhat does marmalade need?,needs oranges\n',
  }),
  collectQuestions: ofQuestionSet({}),
  generateQuestions: async (make) => {
    const { pipeline_id } = await make.pipelineNode();
    return { params: { question_set_id: await make.questionSet() }, body: { pipeline_id } };
  },
  getEvaluationSchedule: ofSchedule,
  putEvaluationSchedule: async (make) => ({
    params: { question_set_id: await make.questionSet() },
    body: { interval_seconds: 86_400, pipeline_id: await make.pipeline(), at_least: { 'recall@5': 0.85 } },
  }),
  deleteEvaluationSchedule: ofSchedule,
  createEvaluationRun: async (make) => {
    const body = { question_set_id: await make.questionSet(), pipeline_id: await make.pipeline() };
    return { body };
  },
  listEvaluationRuns: none,
  getEvaluationRun: ofEvaluationRun(),
  listEvaluationResults: ofEvaluationRun(),
  getEvaluationBreakdown: ofEvaluationRun({ by: 'tag' }),
  compareEvaluationRuns: async (make) => {
    const run_id = await make.evaluationRun();
    return { params: { run_id }, query: { with: run_id } };
  },
  cancelEvaluationRun: ofEvaluationRun(),
  deleteEvaluationRun: ofEvaluationRun(),
  listAgentCollections: none,
  createAgentData: body(() => ({
    deployment_name: 'invoices',
    data: { vendor: 'Harbour Supplies', total: 1163.4 },
  })),
  getAgentData: withId('item_id', 'agentData'),
  updateAgentData: withId('item_id', 'agentData', () => ({ data: { vendor: 'Harbour Supplies', total: 0 } })),
  deleteAgentData: withId('item_id', 'agentData'),
  searchAgentData: body(() => ({ deployment_name: 'invoices', filter: { total: { gte: 1000 } } })),
  aggregateAgentData: body(() => ({ deployment_name: 'invoices', group_by: ['vendor'], count: true })),
  deleteSelectedAgentData: body(() => ({ deployment_name: 'invoices', filter: { total: { lt: 1000 } } })),
  createDirectory: body(() => ({ name: named('directory'), type: 'user' })),
  listDirectories: none,
  getDirectory: withId('directory_id', 'directory'),
  updateDirectory: withId('directory_id', 'directory', () => ({ description: 'Invoices of March' })),
  deleteDirectory: withId('directory_id', 'directory'),
  addDirectoryFile: async (make) => ({
    params: { directory_id: await make.directory() },
    body: { file_id: await make.file(), metadata: { year: 2026 } },
  }),
  uploadDirectoryFile: async (make) => ({
    params: { directory_id: await make.directory() },
    form: { upload_file: textFile() },
  }),
  listDirectoryFiles: withId('directory_id', 'directory'),
  getDirectoryFile: async (make) => ({ params: await make.directoryFile() }),
  updateDirectoryFile: async (make) => ({
    params: await make.directoryFile(),
    body: { display_name: 'Invoice of March' },
  }),
  deleteDirectoryFile: async (make) => ({ params: await make.directoryFile() }),
  listJobDataPoints: () => ({ query: { job_type: 'parse' } }),
  listTruthSets: none,
  createTruthSet: body(() => ({ name: named('truth set'), kind: 'classification' })),
  getTruthSet: ofTruthSet(),
  updateTruthSet: ofTruthSet({ description: 'Invoices of March' }),
  deleteTruthSet: ofTruthSet(),
  listTruths: ofTruthSet(),
  addTruths: async (make) => ({
    params: { truth_set_id: await make.truthSet() },
    body: { truths: [{ file_id: await make.file(), values: { total_due: 1163.4, fax: null } }] },
  }),
  deleteTruth: async (make) => ({ params: await make.truth() }),
  importTruths: async (make) => {
    const line = { file_id: await make.file(), values: { total_due: 1163.4 } };
    return {
      params: { truth_set_id: await make.truthSet() },
      body: { content: `${JSON.stringify(line)}\n` },
    };
  },
  collectTruths: async (make) => {
    const { job_id } = await make.endedJob('extract');
    return { params: { truth_set_id: await make.truthSet() }, body: { job_ids: [job_id] } };
  },
  createEvaluationSweep: async (make) => ({
    body: {
      question_set_id: await make.sweepableSet(),
      pipeline_id: await make.pipeline(),
      ...{ alphas: [0], reranking: [false], top_ks: [20], budget: 1_000 },
    },
  }),
  listEvaluationSweeps: none,
  getEvaluationSweep: ofSweep,
  cancelEvaluationSweep: ofSweep,
  deleteEvaluationSweep: ofSweep,
  createAccuracyRun: async (make) => {
    const extract_configuration = { data_schema: INVOICE_SCHEMA };
    return { body: { truth_set_id: await make.truthSet(), extract_configuration } };
  },
  listAccuracyRuns: none,
  getAccuracyRun: ofAccuracyRun,
  getAccuracyReport: ofAccuracyRun,
  listAccuracyResults: ofAccuracyRun,
  compareAccuracyRuns: async (make) => {
    const run_id = await make.accuracyRun();
    return { params: { run_id }, query: { with: run_id } };
  },
  cancelAccuracyRun: ofAccuracyRun,
  deleteAccuracyRun: ofAccuracyRun,
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
  getTraceSettings: none,
  putTraceSettings: body(() => ({ sample_rate: 0 })),
  listTraces: none,
  deleteTraces: () => ({ query: { kind: 'retrieval', q: 'nobody asked this' } }),
  getTrace: withId('trace_id', 'trace'),
  deleteTrace: withId('trace_id', 'trace'),
  putTraceFeedback: withId('trace_id', 'trace', () => ({ rating: 'down' })),
  chat: inPipeline(question),
  resumeChat: ofChat,
  stopChat: ofChat,
  listPipelines: none,

  createParseJob: async (make) => ({ body: { file_id: await make.file() } }),
  listParseJobs: none,
  listParseVersions: none,
  getParseJob: job('parse'),
  listParseJobPages: async (make) => ({ params: await make.completedParse() }),
  getParseJobPage: async (make) => ({ params: { ...(await make.completedParse()), page_number: '1' } }),
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
  createSplitJob: async (make) => ({
    body: { file_input: await make.file(), configuration: { categories: CATEGORIES } },
  }),
  listSplitJobs: none,
  getSplitJob: job('split'),
  deleteSplitJob: job('split'),
  cancelSplitJob: job('split'),
  createSheetsJob: async (make) => ({ body: { file_input: await make.file() } }),
  listSheetsJobs: none,
  getSheetsJob: job('sheets'),
  getSheetsRegion: async (make) => ({ params: await make.sheetsRegion() }),
  deleteSheetsJob: job('sheets'),
  cancelSheetsJob: job('sheets'),
  createClassifyJob: async (make) => ({
    body: { file_input: await make.file(), configuration: { rules: RULES } },
  }),
  listClassifyJobs: none,
  getClassifyJob: job('classify'),
  cancelClassifyJob: job('classify'),
  listReviewedExamples: async (make) => ({
    query: { configuration_id: await make.configuration() },
  }),
  getExtractReview: job('extract'),
  reviewExtractJob: reviewed('extract', {}),
  getClassifyReview: job('classify'),
  reviewClassifyJob: reviewed('classify', { type: 'invoice' }),
  createBatch: async (make) => ({
    body: { name: 'Invoices', job_type: 'extract', file_ids: [await make.file()], configuration: extraction },
  }),
  listBatches: none,
  getBatch: ofBatch,
  listBatchItems: ofBatch,
  exportBatchResults: ofBatch,
  cancelBatch: ofBatch,
  retryBatch: ofBatch,
  deleteBatch: ofBatch,
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
  createResponse: async (make) => ({
    body: { model: `pipeline-${await make.pipeline()}`, input: question.messages[0]!.content },
    stranger: 404,
  }),
  createEmbeddings: async (make) => ({
    body: { model: `pipeline-${await make.pipeline()}`, input: 'Marmalade needs oranges.' },
    stranger: 404,
  }),

  ...OPENAI_INPUTS,
  ...CLIENT_INPUTS,
};

/** The same inputs by operation id as plain text, as in the description. */
export const INPUTS: Record<string, Make> = EVERY_INPUT;
