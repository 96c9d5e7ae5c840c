import type { ClientOperationId } from '#src/api/compat/operations.ts';
import { CATEGORIES, RULES } from '#test/support/jobs.ts';
import { agent, document, extraction, named, textFile } from './operation-bodies.ts';
import type { Fixtures } from './operation-fixtures.ts';
import {
  agentsFile,
  body,
  byAgent,
  inPipeline,
  job,
  legacyParsing,
  type Make,
  none,
  ofBatch,
  withId,
} from './operation-makers.ts';

const spreadsheetJob: Make = async (make) => ({
  params: { spreadsheet_job_id: (await make.job('sheets')).job_id },
});

const splitJob: Make = async (make) => ({ params: { split_job_id: (await make.job('split')).job_id } });

/** Text document of a pipeline, which an index also contains. */
const textOfIndex = async (make: Fixtures) => {
  const { pipeline_id, document_id } = await make.pipelineDocument();
  return { index_id: pipeline_id, file_id: document_id };
};
const indexChat: Make = async (make) => ({ params: { session_id: await make.indexChat() } });

/** Valid inputs of every operation that exists only for clients of LlamaCloud. */
export const CLIENT_INPUTS: Record<ClientOperationId, Make> = {
  putPipelineDocuments: inPipeline([document('one')]),

  clientDeleteAgentData: withId('item_id', 'agentData'),
  clientSearchAgentData: body(() => ({ deployment_name: 'invoices', filter: { total: { gte: 1000 } } })),
  clientAggregateAgentData: body(() => ({ deployment_name: 'invoices', group_by: ['vendor'], count: true })),
  clientDeleteSelectedAgentData: body(() => ({
    deployment_name: 'invoices',
    filter: { total: { lt: 1000 } },
  })),

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
  createParseConfiguration: body(() => ({
    name: named('configuration'),
    version: '1',
    parameters: { parse_mode: 'parse_page_without_llm' },
  })),
  upsertParseConfiguration: body(() => ({ name: named('configuration'), version: '1', parameters: {} })),
  listParseConfigurations: none,
  queryParseConfigurations: body(() => ({ filter: {} })),
  getLatestParseConfiguration: none,
  getParseConfiguration: async (make) => ({ params: { config_id: await make.parseConfiguration() } }),
  updateParseConfiguration: async (make) => ({
    params: { config_id: await make.parseConfiguration() },
    body: { parameters: {} },
  }),
  deleteParseConfiguration: async (make) => ({ params: { config_id: await make.parseConfiguration() } }),
  clientCreateBatch: async (make) => ({
    body: {
      source_directory_id: (await make.directoryFile()).directory_id,
      config: { job: { type: 'parse_v2', configuration_id: 'cfg-PARSE_FAST' } },
    },
  }),
  clientListBatches: none,
  clientGetBatch: ofBatch,
  clientCancelBatch: ofBatch,
  createBatchProcessing: async (make) => ({
    body: {
      directory_id: (await make.directoryFile()).directory_id,
      job_config: { job_name: 'parse_raw_file_job', parameters: { target_pages: '0' } },
    },
  }),
  listBatchProcessing: none,
  getBatchProcessing: async (make) => ({ params: { job_id: await make.batch() } }),
  cancelBatchProcessing: async (make) => ({ params: { job_id: await make.batch() }, body: { reason: 'No' } }),
  listBatchProcessingItems: async (make) => ({ params: { job_id: await make.batch() } }),
  listProcessingResults: async (make) => ({ params: { item_id: await make.file() } }),
  clientCreateSplitJob: async (make) => ({
    body: {
      document_input: { type: 'file_id', value: await make.file() },
      configuration: { categories: CATEGORIES },
    },
  }),
  clientListSplitJobs: none,
  clientGetSplitJob: splitJob,
  clientCreateSplitJobV1: async (make) => ({
    body: { file_input: await make.file(), configuration: { categories: CATEGORIES } },
  }),
  clientListSplitJobsV1: none,
  clientGetSplitJobV1: splitJob,
  clientDeleteSplitJobV1: splitJob,
  clientCancelSplitJobV1: splitJob,
  clientCreateSheetsJob: async (make) => ({ body: { file_id: await make.file() } }),
  clientListSheetsJobs: none,
  clientGetSheetsJob: spreadsheetJob,
  clientDeleteSheetsJob: spreadsheetJob,
  clientGetSheetsRegion: async (make) => {
    const { job_id: spreadsheet_job_id, ...region } = await make.sheetsRegion();
    return { params: { spreadsheet_job_id, ...region } };
  },
  clientCreateIndex: async (make) => ({
    body: { source_directory_id: await make.directory(), name: named('index') },
    stranger: 404,
  }),
  clientListIndexes: none,
  clientGetIndex: withId('index_id', 'pipeline'),
  clientSyncIndex: withId('index_id', 'pipeline'),
  clientDeleteIndex: withId('index_id', 'pipeline'),
  clientRetrieveFromIndex: async (make) => ({
    body: { index_id: await make.pipeline(), query: 'What does marmalade need?' },
    stranger: 404,
  }),
  clientFindIndexFiles: async (make) => ({ body: { index_id: await make.pipeline() }, stranger: 404 }),
  clientGrepIndexFile: async (make) => ({
    body: { ...(await textOfIndex(make)), pattern: 'oranges?' },
    stranger: 404,
  }),
  clientReadIndexFile: async (make) => ({ body: await textOfIndex(make), stranger: 404 }),
  clientCreateChat: body(() => ({})),
  clientListChats: none,
  clientGetChat: indexChat,
  clientGetChatSummary: indexChat,
  clientDeleteChat: indexChat,
  clientStreamChat: async (make) => ({
    ...(await indexChat(make)),
    body: { index_ids: [await make.pipeline()], prompt: 'What does marmalade need?' },
  }),
  createClassifierJob: async (make) => ({ body: { file_ids: [await make.file()], rules: RULES } }),
  listClassifierJobs: async (make) => {
    await make.classifierJob();
    return {};
  },
  getClassifierJob: withId('classify_job_id', 'classifierJob'),
  getClassifierJobResults: withId('classify_job_id', 'classifierJob'),
};
