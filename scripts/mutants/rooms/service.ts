import { type MutantRoom, serviceRoom } from './define.ts';

/** Rules of tenants, limits, retention, jobs, files, pipelines and webhooks. */
export const SERVICE_ROOMS = {
  permissions: serviceRoom(
    ['src/services/tenancy/!(rate-limit).ts', 'src/api/http/auth.ts', 'src/lib/secrets/api-key.ts'],
    ['test/api/{auth,scope,session}.test.ts', 'test/services/tenancy/*.test.ts'],
  ),
  organizations: serviceRoom(
    ['src/services/organizations/*.ts'],
    ['test/api/{organizations,projects}.test.ts', 'test/services/organizations/*.test.ts'],
  ),
  ownership: serviceRoom(
    ['src/db/ownership/*.ts', 'src/db/{paging,retry-until-written}.ts'],
    ['test/db/**/*.test.ts'],
  ),
  limits: serviceRoom(
    [
      'src/services/limits/*.ts',
      'src/services/usage/*.ts',
      'src/services/tenancy/rate-limit.ts',
      'src/ingest/quota.ts',
      'src/lib/day.ts',
    ],
    ['test/api/rate-limits.test.ts', 'test/services/{limits,usage}/*.test.ts'],
  ),
  'model budgets': serviceRoom(['src/services/models/*.ts'], ['test/services/models/*.test.ts']),
  secrets: serviceRoom(
    ['src/services/secrets/*.ts'],
    ['test/services/secrets/*.test.ts', 'test/api/secrets.test.ts'],
  ),
  retention: serviceRoom(
    ['src/services/retention/*.ts', 'durable-objects/retention-clock.ts', 'src/work/retention-owner.ts'],
    [
      'test/services/retention/*.test.ts',
      'test/api/retention.test.ts',
      'test/durable-objects/retention-clock.test.ts',
    ],
  ),
  backup: serviceRoom(
    ['src/services/backup/*.ts', 'src/api/v1/backup.ts'],
    ['test/services/backup/*.test.ts', 'test/api/backup/*.test.ts'],
  ),
  exports: serviceRoom(['src/services/exports/*.ts', 'src/lib/tar.ts'], ['test/services/exports/*.test.ts']),
  operating: serviceRoom(
    ['src/services/operating/**/*.ts', 'src/api/health.ts', 'src/db/{health,missing-columns}.ts'],
    ['test/services/operating/*.test.ts', 'test/api/{health,metrics}.test.ts'],
  ),

  claims: serviceRoom(
    ['src/work/{backoff,held-lease,lease,leftovers,messages,objects}.ts', 'queues/*.ts'],
    ['test/work/*.test.ts', 'test/queues/*.test.ts', 'test/durable-objects/names.test.ts'],
  ),
  'durable objects': serviceRoom(
    [
      'durable-objects/{metrics-keeper,object-alarm,storage-upgrades,token-keeper}.ts',
      'src/work/token-owner.ts',
    ],
    ['test/durable-objects/{metrics-keeper,object-alarm,storage-upgrades,token-keeper}.test.ts'],
  ),
  sync: serviceRoom(['src/services/sync/*.ts'], ['test/services/sync/*.test.ts']),
  'sync runs': serviceRoom(
    [
      'durable-objects/pipeline-{sync,erasure}.ts',
      'durable-objects/sync/!(*.schema).ts',
      'src/work/sync-{items,owner}.ts',
    ],
    ['test/durable-objects/pipeline-sync*.test.ts', 'test/durable-objects/sync/*.test.ts'],
  ),
  'job queue': serviceRoom(
    ['durable-objects/job-*.ts', 'durable-objects/jobs/!(*.schema).ts', 'src/work/job-owner.ts'],
    ['test/durable-objects/job-*.test.ts', 'test/durable-objects/jobs/*.test.ts'],
  ),
  jobs: serviceRoom(
    ['src/services/jobs/*.ts', 'src/documents/page-{selection,store}.ts', 'src/db/conditional-insert.ts'],
    ['test/services/jobs/*.test.ts', 'test/api/configurations.test.ts'],
  ),
  'parse jobs': serviceRoom(
    ['src/services/jobs/parse/**/*.ts', 'src/lib/json/json-pieces.ts'],
    [
      'test/api/parse-{jobs,results,from-bucket,into-bucket}.test.ts',
      'test/api/{expand,structured-output}.test.ts',
    ],
  ),
  'extract jobs': serviceRoom(
    ['src/services/jobs/extraction/*.ts', 'src/extraction/{credits,releases}.ts'],
    ['test/api/{extract,large-schemas}.test.ts', 'test/api/compat/legacy-extraction.test.ts'],
  ),
  'classify jobs': serviceRoom(['src/services/jobs/classification/*.ts'], ['test/api/classify.test.ts']),

  files: serviceRoom(
    [
      'src/services/files/*.ts',
      'src/api/presigned.ts',
      'src/upstream/fetch-url.ts',
      'src/db/contains.ts',
      'src/bucket/{multipart,object-writer,presigned-url,serve-object}.ts',
    ],
    [
      'test/services/files/{leftovers,multipart,other-files,page-images,pending-uploads,restoring}.test.ts',
      'test/api/{files,file-pages,page-images,presigned,upload-from-url}.test.ts',
    ],
  ),
  'parsing of files': serviceRoom(
    [
      'src/parse-file/{figure-links,frame-running-lines,job-timeout,page-pictures,parse-file,pictures}.ts',
      'src/parse-file/store-{drawn-page,pdf}.ts',
      'src/parse/wanted-pages.ts',
    ],
    ['test/services/files/{parse-file,strict-modes}.test.ts', 'test/api/parsing.test.ts'],
  ),
  'parser admission': serviceRoom(
    ['parser/{memory-admission,run-while-wanted}.ts'],
    ['test/parser/{memory-admission,run-while-wanted}.test.ts'],
  ),
  pipelines: serviceRoom(
    ['src/services/pipelines/*.ts', 'src/db/{pipeline-members,rows}.ts'],
    [
      'test/services/pipelines/*.test.ts',
      'test/api/pipeline-{data-sources,file-lists,files-at-once,lifecycle,members}.test.ts',
    ],
  ),
  'pipeline documents': serviceRoom(
    ['src/services/pipelines/documents/*.ts'],
    [
      'test/services/pipelines/{lists-of-one-pipeline,other-pipelines}.test.ts',
      'test/api/{chunk-places,derived-documents,pipeline-documents,pipeline-documents-at-once}.test.ts',
    ],
  ),
  connections: serviceRoom(
    ['src/services/connections/*.ts', 'src/db/upsert.ts'],
    [
      'test/services/connections/*.test.ts',
      'test/api/{connections,data-sources,validate-data-sink,validate-data-source}.test.ts',
    ],
  ),
  indexes: serviceRoom(['src/services/indexes/*.ts'], ['test/services/indexes/*.test.ts']),
  'webhook deliveries': serviceRoom(
    ['src/services/webhooks/*.ts'],
    ['test/services/webhooks/*.test.ts', 'test/api/webhook*.test.ts'],
  ),
} satisfies Record<string, MutantRoom>;
