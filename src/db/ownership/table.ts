import * as schema from '#src/db/schema/index.ts';
import type { OwnershipTable } from './entry.ts';

/** Rows of a project or pipeline that are in its backups and are deleted by the database with its row. */
const ofProject = { owners: ['projectId'], backup: {}, erase: 'cascade' } as const;
const ofPipeline = { owners: ['pipelineId'], backup: {}, erase: 'cascade' } as const;
const byCreation = ['createdAt', 'id'] as const;

/** Common parts of extract, classify and parse jobs. */
const job = {
  ...ofProject,
  sealed: { configuration: 'whole', webhookConfigurations: 'whole', sealedInput: 'whole' },
  // Job ids are unique across the three tables.
  sealedUnder: 'jobs',
  objects: { jobs: { by: 'id' } },
  backup: { restoredAs: 'job' },
  internal: ['sealedInput'],
  erase: 'batches',
} as const;

const personal = 'Conversations belong to persons. The export of a person has them.';
const rebuilt = { leftOut: 'A sync builds indexes again from the files and texts.' } as const;
const counted = { leftOut: 'The number is counted again from other tables.' } as const;
const notOfProject = { leftOut: 'No project owns the rows.' } as const;

/**
 * Says for each table who owns its rows and what backup, export, erasure, key rotation and the search for orphaned
 * objects do with them. These features derive their lists of tables and columns from here. A table without an entry does
 * not compile.
 *
 * A table stands after all tables that it refers to. A restore writes tables in this order, a backup reads them in
 * reverse, and an erasure deletes rows in reverse.
 */
export const OWNERSHIP = {
  organizations: {
    table: schema.organizations,
    owners: [],
    backup: { existsInNewInstallation: true },
    export: notOfProject,
    erase: 'service',
  },
  users: {
    table: schema.users,
    owners: [],
    // A row only says that a user exists. Conversations of a project need the rows of their users.
    backup: {
      existsInNewInstallation: true,
      inProjectBackup: { namedBy: 'chat_sessions', column: 'user_id' },
    },
    export: notOfProject,
    erase: 'service',
  },
  members: {
    table: schema.members,
    owners: ['organizationId'],
    backup: { existsInNewInstallation: true },
    export: { leftOut: 'Members belong to the organization. The export of a person has the membership.' },
    erase: 'service',
  },
  projects: {
    table: schema.projects,
    owners: ['organizationId'],
    backup: { existsInNewInstallation: true },
    export: { leftOut: 'The archive has the row in project.json.' },
    erase: 'service',
  },
  api_keys: {
    table: schema.apiKeys,
    owners: ['organizationId', 'projectId'],
    // Keys also belong to their users. Whoever restores a project has to create new keys.
    backup: { existsInNewInstallation: true, inProjectBackup: 'none' },
    export: { file: 'api_keys', position: 17, sortedBy: ['id'] },
    internal: ['hash'],
    erase: 'cascade',
  },
  bootstraps: {
    table: schema.bootstraps,
    owners: [],
    backup: { existsInNewInstallation: true },
    export: notOfProject,
    erase: 'never',
  },
  sessions: {
    table: schema.sessions,
    owners: ['apiKeyId'],
    backup: { leftOut: 'Their cookies are signed with the secret of the old installation.' },
    export: { leftOut: 'Sessions belong to persons and end by themselves.' },
    erase: 'cascade',
  },

  data_sinks: {
    table: schema.dataSinks,
    ...ofProject,
    sealed: { component: 'whole' },
    export: { file: 'data_sinks', position: 4, sortedBy: byCreation },
  },
  data_sources: {
    table: schema.dataSources,
    ...ofProject,
    sealed: { component: 'whole' },
    export: { file: 'data_sources', position: 5, sortedBy: byCreation },
  },
  embedding_model_configs: {
    table: schema.embeddingModelConfigs,
    ...ofProject,
    sealed: { embeddingConfig: 'component' },
    export: { file: 'embedding_model_configs', position: 6, sortedBy: byCreation },
  },
  webhook_configs: {
    table: schema.webhookConfigs,
    ...ofProject,
    sealed: { configuration: 'whole' },
    export: { file: 'webhook_configs', position: 11, sortedBy: byCreation },
  },
  configurations: {
    table: schema.configurations,
    ...ofProject,
    sealed: { parameters: 'whole' },
    export: { file: 'configurations', position: 10, sortedBy: byCreation },
  },
  model_settings: {
    table: schema.modelSettings,
    ...ofProject,
    export: { file: 'model_settings', position: 16, sortedBy: ['projectId'] },
  },

  pipelines: {
    table: schema.pipelines,
    ...ofProject,
    sealed: { embeddingConfig: 'component', parseParameters: 'whole' },
    mentions: { managedPipelineId: { table: 'pipelines' } },
    export: { file: 'pipelines', position: 2, sortedBy: byCreation },
    internal: ['asOriginal', 'embeddingConfigHash', 'parsingConfigHash', 'transformConfigHash'],
    erase: 'service',
  },
  retrievers: {
    table: schema.retrievers,
    ...ofProject,
    mentions: { pipelines: { table: 'pipelines', member: 'pipeline_id' } },
    export: { file: 'retrievers', position: 3, sortedBy: ['name'] },
  },
  files: {
    table: schema.files,
    ...ofProject,
    objects: { files: { by: 'id', keys: ['storageKey', 'pendingKey'] }, parsed: { by: 'contentHash' } },
    export: { file: 'files', position: 1, sortedBy: byCreation },
    internal: [
      'fetchedVersion',
      'origin',
      'pendingKey',
      'pendingName',
      'pendingUntil',
      'sourceVersion',
      'storageKey',
    ],
    erase: 'batches',
  },
  parses: {
    table: schema.parses,
    ...ofProject,
    objects: { parsed: { by: 'contentHash' } },
    export: { leftOut: 'The archive has the pages below parsed/.' },
    erase: 'batches',
  },
  pipeline_data_sources: {
    table: schema.pipelineDataSources,
    ...ofPipeline,
    backup: { restoredAs: 'pipelineDataSource' },
    export: { file: 'data_sources', position: 1, sortedBy: ['id'] },
  },
  pipeline_members: {
    table: schema.pipelineMembers,
    ...ofPipeline,
    // Long texts are also objects; src/services/files/owned-objects.ts looks up all texts of a pipeline at
    // once.
    backup: { restoredAs: 'pipelineMember' },
    export: {
      leftOut: 'src/services/exports/project.ts writes files.ndjson, documents.ndjson and the texts.',
    },
    internal: ['describedAt', 'failedFingerprint', 'sourceGeneration', 'textId'],
    erase: 'batches',
  },
  sync_runs: {
    table: schema.syncRuns,
    ...ofPipeline,
    backup: { restoredAs: 'syncRun' },
    export: { file: 'jobs', position: 2, sortedBy: ['startedAt', 'id'] },
  },
  pipeline_indexes: {
    table: schema.pipelineIndexes,
    ...ofPipeline,
    sealed: { embeddingConfig: 'component', sink: 'component' },
    backup: rebuilt,
    export: rebuilt,
  },
  indexed_documents: {
    table: schema.indexedDocuments,
    owners: ['indexId'],
    backup: rebuilt,
    export: rebuilt,
    erase: 'batches',
  },

  parse_jobs: {
    table: schema.parseJobs,
    ...job,
    mentions: { fileId: { table: 'files' } },
    export: { file: 'parse_jobs', position: 7, sortedBy: byCreation },
  },
  extract_jobs: {
    table: schema.extractJobs,
    ...job,
    mentions: { fileId: { table: 'files' }, parseJobId: { table: 'parse_jobs' } },
    export: { file: 'extract_jobs', position: 8, sortedBy: byCreation },
  },
  classify_jobs: {
    table: schema.classifyJobs,
    ...job,
    mentions: { fileId: { table: 'files' }, parseJobId: { table: 'parse_jobs' } },
    export: { file: 'classify_jobs', position: 9, sortedBy: byCreation },
  },
  webhook_deliveries: {
    table: schema.webhookDeliveries,
    ...ofProject,
    sealed: { configuration: 'whole' },
    backup: { restoredAs: 'webhookDelivery' },
    export: { file: 'webhook_deliveries', position: 12, sortedBy: byCreation },
    erase: 'batches',
  },

  chat_sessions: {
    table: schema.chatSessions,
    owners: ['pipelineId', 'retrieverId'],
    backup: {},
    export: { leftOut: personal },
    erase: 'cascade',
  },
  chat_messages: {
    table: schema.chatMessages,
    owners: ['sessionId'],
    backup: {},
    export: { leftOut: personal },
    erase: 'batches',
  },
  chat_streams: {
    table: schema.chatStreams,
    owners: ['pipelineId', 'retrieverId'],
    backup: { leftOut: 'The answers that they lead to are in the memory of objects.' },
    export: { leftOut: personal },
    erase: 'service',
  },

  usage_records: {
    table: schema.usageRecords,
    ...ofProject,
    export: { file: 'usage', position: 13, sortedBy: byCreation },
    erase: 'batches',
  },
  model_usage: {
    table: schema.modelUsage,
    ...ofProject,
    export: { file: 'model_usage', position: 15, sortedBy: ['day', 'use', 'model'] },
  },
  daily_activity: {
    table: schema.dailyActivity,
    ...ofProject,
    export: { file: 'daily_usage', position: 14, sortedBy: ['day'] },
  },
  project_storage: {
    table: schema.projectStorage,
    ...ofProject,
    backup: counted,
    export: counted,
  },
  project_pages: {
    table: schema.projectPages,
    ...ofProject,
    backup: counted,
    export: counted,
  },
  dead_letters: {
    table: schema.deadLetters,
    owners: [],
    backup: { leftOut: 'The restore begins the work that they name again.' },
    export: notOfProject,
    erase: 'never',
  },
} as const satisfies OwnershipTable;
