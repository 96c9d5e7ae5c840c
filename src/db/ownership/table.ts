import * as schema from '#src/db/schema/index.ts';
import type { OwnershipTable } from './entry.ts';

/**
 * Default rules for tables that belong to a project or pipeline. Backups contain their rows, and the database
 * deletes them with the owner's row.
 */
const projectRows = { owners: ['projectId'], backup: {}, erase: 'cascade' } as const;
const pipelineRows = { owners: ['pipelineId'], backup: {}, erase: 'cascade' } as const;
const byCreation = ['createdAt', 'id'] as const;

/** Rules that the tables of all kinds of jobs share. */
const jobRows = {
  ...projectRows,
  sealed: { configuration: 'whole', webhookConfigurations: 'whole', sealedInput: 'whole' },
  // The job tables can share one encryption context, because job ids are unique across them.
  sealedUnder: 'jobs',
  objects: { jobs: { by: 'id' } },
  backup: { restoreRule: 'job' },
  internal: ['sealedInput'],
  erase: 'batches',
} as const;

const personalReason = 'Conversations belong to users. The export of a user contains them.';
const rebuiltBySync = { omittedBecause: 'A sync rebuilds indexes from the files and texts.' } as const;
const countedAgain = { omittedBecause: 'The number is computed again from other tables.' } as const;
const notOwnedByProject = { omittedBecause: 'No project owns the rows.' } as const;

/**
 * States for each table who owns its rows, and what backup, export, erasure, key rotation and the search for
 * orphaned objects do with the rows. These features derive their lists of tables and columns from this table.
 * A table of the schema without an entry does not compile.
 *
 * Referenced tables come before the tables that refer to them. A restore writes tables in this order. Backups
 * and erasures process them in reverse order.
 */
export const OWNERSHIP = {
  organizations: {
    table: schema.organizations,
    owners: [],
    backup: { existsInNewInstallation: true },
    export: notOwnedByProject,
    erase: 'service',
  },
  users: {
    table: schema.users,
    owners: [],
    // A project's backup contains the users to which the project's conversations refer.
    backup: {
      existsInNewInstallation: true,
      inProjectBackup: { referencedBy: ['chat_sessions', 'index_chats'], column: 'user_id' },
    },
    export: notOwnedByProject,
    erase: 'service',
  },
  members: {
    table: schema.members,
    owners: ['organizationId'],
    backup: { existsInNewInstallation: true },
    export: {
      omittedBecause: 'Members belong to the organization. The export of a user contains the membership.',
    },
    erase: 'service',
  },
  projects: {
    table: schema.projects,
    owners: ['organizationId'],
    backup: { existsInNewInstallation: true },
    export: { omittedBecause: 'The archive contains the row in project.json.' },
    erase: 'service',
  },
  api_keys: {
    table: schema.apiKeys,
    owners: ['organizationId', 'projectId'],
    // API keys also belong to users, so backups of a project leave them out. Whoever restores a project has
    // to create new keys.
    backup: { existsInNewInstallation: true, inProjectBackup: 'none' },
    export: { file: 'api_keys', position: 17, sortedBy: ['id'] },
    internal: ['hash'],
    erase: 'cascade',
  },
  bootstraps: {
    table: schema.bootstraps,
    owners: [],
    backup: { existsInNewInstallation: true },
    export: notOwnedByProject,
    erase: 'never',
  },
  sessions: {
    table: schema.sessions,
    owners: ['apiKeyId'],
    backup: { omittedBecause: 'Session cookies are signed with the secret of the old installation.' },
    export: { omittedBecause: 'Sessions belong to users and expire.' },
    erase: 'cascade',
  },
  invitations: {
    table: schema.invitations,
    owners: ['organizationId'],
    backup: { omittedBecause: 'Invitations expire within days, and an admin can create them again.' },
    export: notOwnedByProject,
    erase: 'cascade',
  },
  identities: {
    table: schema.identities,
    owners: ['organizationId'],
    backup: { inProjectBackup: 'none' },
    export: { omittedBecause: 'No project owns the rows. The export of a user contains them.' },
    erase: 'cascade',
  },
  identity_sessions: {
    table: schema.identitySessions,
    owners: ['organizationId'],
    backup: { omittedBecause: 'Session cookies are signed with the secret of the old installation.' },
    export: notOwnedByProject,
    erase: 'cascade',
  },
  connected_applications: {
    table: schema.connectedApplications,
    owners: ['organizationId', 'projectId'],
    backup: {
      omittedBecause: 'The tokens are for the address of the old installation. Users connect again.',
    },
    export: { omittedBecause: 'Applications act for users. The export of a user contains them.' },
    internal: ['codeHash', 'codeChallenge', 'accessHash', 'refreshHash'],
    erase: 'cascade',
  },
  audit_events: {
    table: schema.auditEvents,
    owners: ['organizationId'],
    backup: { existsInNewInstallation: true, inProjectBackup: 'none' },
    // The log belongs to the organization. Its own export contains it.
    export: notOwnedByProject,
    erase: 'batches',
  },

  data_sinks: {
    table: schema.dataSinks,
    ...projectRows,
    sealed: { component: 'whole' },
    export: { file: 'data_sinks', position: 4, sortedBy: byCreation },
  },
  data_sources: {
    table: schema.dataSources,
    ...projectRows,
    sealed: { component: 'whole' },
    export: { file: 'data_sources', position: 5, sortedBy: byCreation },
  },
  embedding_model_configs: {
    table: schema.embeddingModelConfigs,
    ...projectRows,
    sealed: { embeddingConfig: 'component' },
    export: { file: 'embedding_model_configs', position: 6, sortedBy: byCreation },
  },
  webhook_configs: {
    table: schema.webhookConfigs,
    ...projectRows,
    sealed: { configuration: 'whole' },
    export: { file: 'webhook_configs', position: 11, sortedBy: byCreation },
  },
  configurations: {
    table: schema.configurations,
    ...projectRows,
    sealed: { parameters: 'whole' },
    export: { file: 'configurations', position: 10, sortedBy: byCreation },
  },
  model_settings: {
    table: schema.modelSettings,
    ...projectRows,
    export: { file: 'model_settings', position: 16, sortedBy: ['projectId'] },
  },

  pipelines: {
    table: schema.pipelines,
    ...projectRows,
    sealed: { embeddingConfig: 'component', parseParameters: 'whole' },
    mentions: { managedPipelineId: { table: 'pipelines' } },
    export: { file: 'pipelines', position: 2, sortedBy: byCreation },
    internal: ['asOriginal', 'embeddingConfigHash', 'parsingConfigHash', 'sweepId', 'transformConfigHash'],
    erase: 'service',
  },
  retrievers: {
    table: schema.retrievers,
    ...projectRows,
    mentions: { pipelines: { table: 'pipelines', member: 'pipeline_id' } },
    export: { file: 'retrievers', position: 3, sortedBy: ['name'] },
  },
  files: {
    table: schema.files,
    ...projectRows,
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
  file_tags: {
    table: schema.fileTags,
    ...projectRows,
    export: { file: 'file_tags', position: 22, sortedBy: ['tag', 'fileId'] },
    erase: 'batches',
  },
  directories: {
    table: schema.directories,
    ...projectRows,
    export: { file: 'directories', position: 39, sortedBy: byCreation },
  },
  directory_files: {
    table: schema.directoryFiles,
    ...projectRows,
    export: { file: 'directory_files', position: 40, sortedBy: ['directoryId', 'fileId'] },
    erase: 'batches',
  },
  parses: {
    table: schema.parses,
    ...projectRows,
    objects: { parsed: { by: 'contentHash' } },
    export: { omittedBecause: 'The archive contains the pages below parsed/.' },
    erase: 'batches',
  },
  pipeline_data_sources: {
    table: schema.pipelineDataSources,
    ...pipelineRows,
    backup: { restoreRule: 'pipelineDataSource' },
    export: { file: 'data_sources', position: 1, sortedBy: ['id'] },
  },
  directory_indexes: {
    table: schema.directoryIndexes,
    ...pipelineRows,
    mentions: { directoryId: { table: 'directories' } },
    export: { file: 'directory_indexes', position: 4, sortedBy: ['pipelineId'] },
  },
  retrieval_presets: {
    table: schema.retrievalPresets,
    ...pipelineRows,
    export: { file: 'retrieval_presets', position: 3, sortedBy: ['name'] },
  },
  file_batches: {
    table: schema.fileBatches,
    ...pipelineRows,
    backup: { omittedBecause: 'A batch only counts files that the pipeline contains, and expires.' },
    export: {
      omittedBecause: 'A batch only counts files, and files.ndjson contains the state of each file.',
    },
  },
  pipeline_members: {
    table: schema.pipelineMembers,
    ...pipelineRows,
    // src/services/files/owned-objects.ts finds the bucket objects of long texts, because it looks up all
    // texts of a pipeline at once.
    backup: { restoreRule: 'pipelineMember' },
    export: {
      omittedBecause: 'src/services/exports/project.ts writes files.ndjson, documents.ndjson and the texts.',
    },
    internal: ['describedAt', 'failedFingerprint', 'sourceGeneration', 'textId'],
    erase: 'batches',
  },
  sync_runs: {
    table: schema.syncRuns,
    ...pipelineRows,
    backup: { restoreRule: 'syncRun' },
    export: { file: 'jobs', position: 2, sortedBy: ['startedAt', 'id'] },
  },
  pipeline_indexes: {
    table: schema.pipelineIndexes,
    ...pipelineRows,
    sealed: { embeddingConfig: 'component', sink: 'component' },
    backup: rebuiltBySync,
    export: rebuiltBySync,
  },
  indexed_documents: {
    table: schema.indexedDocuments,
    owners: ['indexId'],
    backup: rebuiltBySync,
    export: rebuiltBySync,
    erase: 'batches',
  },

  stored_versions: {
    table: schema.storedVersions,
    owners: ['indexId'],
    backup: rebuiltBySync,
    export: rebuiltBySync,
    erase: 'batches',
  },
  stored_languages: {
    table: schema.storedLanguages,
    owners: ['indexId'],
    backup: rebuiltBySync,
    export: rebuiltBySync,
    erase: 'cascade',
  },

  parse_jobs: {
    table: schema.parseJobs,
    ...jobRows,
    mentions: { fileId: { table: 'files' } },
    export: { file: 'parse_jobs', position: 7, sortedBy: byCreation },
  },
  extract_jobs: {
    table: schema.extractJobs,
    ...jobRows,
    mentions: { fileId: { table: 'files' }, parseJobId: { table: 'parse_jobs' } },
    export: { file: 'extract_jobs', position: 8, sortedBy: byCreation },
  },
  classify_jobs: {
    table: schema.classifyJobs,
    ...jobRows,
    mentions: { fileId: { table: 'files' }, parseJobId: { table: 'parse_jobs' } },
    export: { file: 'classify_jobs', position: 9, sortedBy: byCreation },
  },
  split_jobs: {
    table: schema.splitJobs,
    ...jobRows,
    mentions: { fileId: { table: 'files' }, parseJobId: { table: 'parse_jobs' } },
    export: { file: 'split_jobs', position: 35, sortedBy: byCreation },
  },
  sheets_jobs: {
    table: schema.sheetsJobs,
    ...jobRows,
    mentions: { fileId: { table: 'files' }, parseJobId: { table: 'parse_jobs' } },
    export: { file: 'sheets_jobs', position: 36, sortedBy: byCreation },
  },
  extract_reviews: {
    table: schema.extractReviews,
    ...projectRows,
    export: { file: 'extract_reviews', position: 18, sortedBy: byCreation },
    erase: 'batches',
  },
  classify_reviews: {
    table: schema.classifyReviews,
    ...projectRows,
    export: { file: 'classify_reviews', position: 19, sortedBy: byCreation },
    erase: 'batches',
  },
  batches: {
    table: schema.batches,
    ...projectRows,
    sealed: { configuration: 'whole', webhookConfigurations: 'whole' },
    // Batch ids and job ids are different, so both can share one encryption context.
    sealedUnder: 'jobs',
    mentions: { directoryId: { table: 'directories' } },
    export: { file: 'batches', position: 20, sortedBy: byCreation },
    erase: 'batches',
  },
  batch_items: {
    table: schema.batchItems,
    ...projectRows,
    mentions: { fileId: { table: 'files' } },
    export: { file: 'batch_items', position: 21, sortedBy: ['batchId', 'position'] },
    erase: 'batches',
  },
  question_sets: {
    table: schema.questionSets,
    ...projectRows,
    export: { file: 'question_sets', position: 24, sortedBy: byCreation },
  },
  questions: {
    table: schema.questions,
    owners: ['projectId', 'questionSetId'],
    backup: {},
    export: { file: 'questions', position: 25, sortedBy: ['questionSetId', 'position', 'id'] },
    internal: ['characterCount'],
    erase: 'batches',
  },
  evaluation_schedules: {
    table: schema.evaluationSchedules,
    owners: ['projectId', 'questionSetId'],
    backup: {},
    mentions: { pipelineId: { table: 'pipelines' }, retrieverId: { table: 'retrievers' } },
    export: { file: 'evaluation_schedules', position: 32, sortedBy: ['questionSetId'] },
    internal: ['caller'],
    erase: 'cascade',
  },
  evaluation_runs: {
    table: schema.evaluationRuns,
    owners: ['projectId', 'questionSetId'],
    backup: { restoreRule: 'evaluationRun' },
    mentions: { pipelineId: { table: 'pipelines' }, retrieverId: { table: 'retrievers' } },
    export: { file: 'evaluation_runs', position: 26, sortedBy: byCreation },
    internal: ['caller', 'consumer', 'leaseUntil'],
    erase: 'cascade',
  },
  evaluation_results: {
    table: schema.evaluationResults,
    owners: ['projectId', 'runId'],
    backup: {},
    export: { file: 'evaluation_results', position: 27, sortedBy: ['runId', 'position'] },
    internal: ['attempts'],
    erase: 'batches',
  },
  evaluation_sweeps: {
    table: schema.evaluationSweeps,
    owners: ['projectId', 'questionSetId'],
    backup: { restoreRule: 'evaluationRun' },
    mentions: { pipelineId: { table: 'pipelines' } },
    export: { file: 'evaluation_sweeps', position: 33, sortedBy: byCreation },
    internal: ['caller', 'consumer', 'leaseUntil'],
    erase: 'cascade',
  },
  sweep_results: {
    table: schema.sweepResults,
    owners: ['projectId', 'runId'],
    backup: {},
    export: { file: 'sweep_results', position: 34, sortedBy: ['runId', 'position'] },
    internal: ['attempts'],
    erase: 'batches',
  },
  truth_sets: {
    table: schema.truthSets,
    ...projectRows,
    export: { file: 'truth_sets', position: 28, sortedBy: byCreation },
  },
  truths: {
    table: schema.truths,
    owners: ['projectId', 'truthSetId'],
    backup: {},
    export: { file: 'truths', position: 29, sortedBy: ['truthSetId', 'fileId'] },
    internal: ['characterCount'],
    erase: 'batches',
  },
  accuracy_runs: {
    table: schema.accuracyRuns,
    owners: ['projectId', 'truthSetId'],
    sealed: { configuration: 'whole' },
    // Ids of runs and jobs are different, so both can share one encryption context.
    sealedUnder: 'jobs',
    backup: { restoreRule: 'evaluationRun' },
    export: { file: 'accuracy_runs', position: 30, sortedBy: byCreation },
    internal: ['consumer', 'leaseUntil'],
    erase: 'cascade',
  },
  accuracy_results: {
    table: schema.accuracyResults,
    owners: ['projectId', 'runId'],
    backup: {},
    export: { file: 'accuracy_results', position: 31, sortedBy: ['runId', 'position'] },
    internal: ['attempts'],
    erase: 'batches',
  },
  agent_collections: {
    table: schema.agentCollections,
    ...projectRows,
    export: { file: 'agent_collections', position: 37, sortedBy: ['deploymentName', 'collection'] },
  },
  agent_data: {
    table: schema.agentData,
    ...projectRows,
    export: {
      file: 'agent_data',
      position: 38,
      sortedBy: ['deploymentName', 'collection', 'createdAt', 'id'],
    },
    internal: ['characterCount'],
    erase: 'batches',
  },
  webhook_deliveries: {
    table: schema.webhookDeliveries,
    ...projectRows,
    sealed: { configuration: 'whole' },
    backup: { restoreRule: 'webhookDelivery' },
    export: { file: 'webhook_deliveries', position: 12, sortedBy: byCreation },
    erase: 'batches',
  },

  chat_sessions: {
    table: schema.chatSessions,
    owners: ['pipelineId', 'retrieverId'],
    backup: {},
    export: { omittedBecause: personalReason },
    erase: 'cascade',
  },
  chat_messages: {
    table: schema.chatMessages,
    owners: ['sessionId'],
    backup: {},
    export: { omittedBecause: personalReason },
    erase: 'batches',
  },
  chat_streams: {
    table: schema.chatStreams,
    owners: ['pipelineId', 'retrieverId'],
    backup: { omittedBecause: 'The answers exist only in the memory of Durable Objects.' },
    export: { omittedBecause: personalReason },
    erase: 'service',
  },
  index_chats: {
    table: schema.indexChats,
    ...projectRows,
    backup: {},
    export: { omittedBecause: personalReason },
  },
  index_chat_turns: {
    table: schema.indexChatTurns,
    owners: ['projectId', 'chatId'],
    backup: {},
    export: { omittedBecause: personalReason },
    erase: 'batches',
  },

  trace_settings: {
    table: schema.traceSettings,
    ...projectRows,
    export: { file: 'trace_settings', position: 23, sortedBy: ['projectId'] },
  },
  stored_responses: {
    table: schema.storedResponses,
    owners: ['projectId', 'pipelineId', 'retrieverId'],
    backup: {
      omittedBecause: 'Responses expire and quote passages of an index that a restore builds again.',
    },
    export: { omittedBecause: personalReason },
    erase: 'batches',
  },
  traces: {
    table: schema.traces,
    owners: ['projectId', 'pipelineId', 'retrieverId', 'sessionId'],
    backup: { omittedBecause: 'Traces expire and refer to an index that a restore builds again.' },
    export: {
      omittedBecause: 'Traces refer to passages of the index. The API returns them with their texts.',
    },
    erase: 'batches',
  },
  usage_records: {
    table: schema.usageRecords,
    ...projectRows,
    export: { file: 'usage', position: 13, sortedBy: byCreation },
    erase: 'batches',
  },
  model_usage: {
    table: schema.modelUsage,
    ...projectRows,
    export: { file: 'model_usage', position: 15, sortedBy: ['day', 'use', 'model'] },
  },
  daily_activity: {
    table: schema.dailyActivity,
    ...projectRows,
    export: { file: 'daily_usage', position: 14, sortedBy: ['day'] },
  },
  project_storage: {
    table: schema.projectStorage,
    ...projectRows,
    backup: countedAgain,
    export: countedAgain,
  },
  project_pages: {
    table: schema.projectPages,
    ...projectRows,
    backup: countedAgain,
    export: countedAgain,
  },
  dead_letters: {
    table: schema.deadLetters,
    owners: [],
    backup: { omittedBecause: 'A restore starts the work that these messages refer to.' },
    export: notOwnedByProject,
    erase: 'never',
  },
} as const satisfies OwnershipTable;
