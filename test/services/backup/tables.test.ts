import { describe, expect, it } from 'vitest';
import { getOwnerKeys, OWNED_TABLES } from '#src/db/ownership/owned-tables.ts';
import { BACKUP_TABLES } from '#src/services/backup/tables.ts';

describe('the tables of a backup', () => {
  it('are listed in the order in which a restore writes them', () => {
    expect(BACKUP_TABLES.map(({ shape }) => shape.name)).toEqual([
      'organizations',
      'users',
      'members',
      'projects',
      'api_keys',
      'bootstraps',
      'identities',
      'audit_events',
      'data_sinks',
      'data_sources',
      'embedding_model_configs',
      'webhook_configs',
      'configurations',
      'model_settings',
      'pipelines',
      'retrievers',
      'files',
      'file_tags',
      'directories',
      'directory_files',
      'parses',
      'pipeline_data_sources',
      'directory_indexes',
      'retrieval_presets',
      'pipeline_members',
      'sync_runs',
      'parse_jobs',
      'extract_jobs',
      'classify_jobs',
      'split_jobs',
      'sheets_jobs',
      'extract_reviews',
      'classify_reviews',
      'batches',
      'batch_items',
      'question_sets',
      'questions',
      'evaluation_schedules',
      'evaluation_runs',
      'evaluation_results',
      'evaluation_sweeps',
      'sweep_results',
      'truth_sets',
      'truths',
      'accuracy_runs',
      'accuracy_results',
      'agent_collections',
      'agent_data',
      'webhook_deliveries',
      'chat_sessions',
      'chat_messages',
      'index_chats',
      'index_chat_turns',
      'trace_settings',
      'usage_records',
      'model_usage',
      'daily_activity',
    ]);
  });

  it('are read in the order of their primary keys', () => {
    for (const { shape } of BACKUP_TABLES) expect(shape.key.length, shape.name).toBeGreaterThan(0);
    expect(BACKUP_TABLES.find(({ shape }) => shape.name === 'model_usage')?.shape.key).toEqual([
      'project_id',
      'day',
      'use',
      'model',
    ]);
  });

  it('of one project include all tables that are deleted with the project and belong in a backup', () => {
    const owned = OWNED_TABLES.filter(
      (each) =>
        !('omittedBecause' in each.backup) && getOwnerKeys(each).some(({ table }) => table === 'projects'),
    ).map(({ name }) => name);
    const within = BACKUP_TABLES.filter((each) => each.within).map(({ shape }) => shape.name);
    // API keys also belong to users. A restore of a project does not include them.
    expect(owned.filter((name) => !within.includes(name))).toEqual(['api_keys']);
    expect(within).toContain('users');
  });
});
