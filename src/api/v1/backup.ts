import { z } from 'zod';
import { VERSION } from '#src/api/openapi/version.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import { idParams, pageQuery } from '#src/api/operation/schemas.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { finishRestore } from '#src/services/backup/finish.ts';
import { listObjects, readObject } from '#src/services/backup/objects.ts';
import { beginRestore } from '#src/services/backup/orders.ts';
import { describeBackup, readRows } from '#src/services/backup/read.ts';
import { BACKUP_TABLE_NAMES } from '#src/services/backup/tables.ts';
import { writeObject } from '#src/services/backup/write-object.ts';
import { MAX_ROWS, writeRows } from '#src/services/backup/write-rows.ts';

const tag = 'Administration';
const ONLY = 'Takes the bootstrap key only.';
const FOR_SCRIPTS = `${ONLY} \`npm run backup\` and \`npm run restore\` call this operation.`;

const project = uuid().nullish().describe('Id of a project. If absent, the whole installation.');
const table = z.enum(BACKUP_TABLE_NAMES);
const row = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
const backupKey = z
  .string()
  .max(200)
  .describe(
    'Key that encrypts the secrets in the backup, as `<key id>:<base64 of 32 bytes>`. It is not stored.',
  );
const unopened = z
  .array(z.object({ place: z.string(), message: z.string() }))
  .describe('Number of secrets that no key can decrypt. They are copied unchanged.');
const size = (most: number) => z.number().int().min(1).max(most).nullish();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const backupOperations = [
  operation({
    method: 'get',
    path: '/api/v1/admin/backup',
    id: 'getBackupOutline',
    needs: 'admin',
    tag,
    summary: 'Read what a backup consists of',
    description: `${FOR_SCRIPTS} Returns the tables in the order in which they are restored.`,
    access: 'resource',
    query: z.object({
      project,
      counted: z
        .boolean()
        .nullish()
        .describe('Whether rows are counted, which reads all of them. Default: true.'),
    }),
    errors: [404],
    response: {
      status: 200,
      json: z
        .object({
          release: z.string(),
          tables: z.array(
            z.object({
              name: z.string(),
              columns: z.array(z.string()),
              required: z.array(z.string()),
              rows: z.number().int().nullable(),
            }),
          ),
          outside: z
            .array(z.object({ place: z.string(), reference: z.string() }))
            .describe(
              'References of the project to other projects. With them, the project cannot be restored separately.',
            ),
          open_syncs: z.number().int().describe('Number of running syncs.'),
        })
        .meta({ id: 'BackupOutline' }),
    },
    handle: async ({ ctx, query }) => ({
      release: VERSION,
      ...(await describeBackup(ctx, query.project ?? null, query.counted ?? true)),
    }),
  }),
  operation({
    method: 'post',
    path: '/api/v1/admin/backup/rows',
    id: 'readBackupRows',
    needs: 'admin',
    tag,
    summary: 'Read a page of rows of a table',
    description: `${FOR_SCRIPTS} Secrets in the rows are encrypted with the key of the backup.`,
    access: 'resource',
    body: {
      json: z.object({
        table,
        project,
        backup_key: backupKey,
        page_size: size(1000),
        page_token: z.string().nullish(),
      }),
    },
    response: {
      status: 200,
      json: z
        .object({ rows: z.array(row), unopened, next_page_token: z.string().nullish() })
        .meta({ id: 'BackupRows' }),
    },
    handle: ({ ctx, body }) => readRows(ctx, body),
  }),
  operation({
    method: 'get',
    path: '/api/v1/admin/backup/objects',
    id: 'listBackupObjects',
    needs: 'admin',
    tag,
    summary: 'List the objects of the bucket',
    description: `${FOR_SCRIPTS} Returns one page of keys with their sizes.`,
    access: 'resource',
    query: pageQuery.extend({ project }),
    response: {
      status: 200,
      json: z
        .object({
          objects: z.array(
            z.object({
              key: z.string(),
              size: z.number().int(),
              etag: z.string(),
              metadata: z.string().nullish().describe('Metadata of the object, to be sent back unchanged.'),
            }),
          ),
          next_page_token: z.string().nullish(),
        })
        .meta({ id: 'BackupObjects' }),
    },
    handle: ({ ctx, query }) => listObjects(ctx, query),
  }),
  operation({
    method: 'get',
    path: '/api/v1/admin/backup/object',
    id: 'readBackupObject',
    needs: 'admin',
    tag,
    summary: 'Read the bytes of an object',
    description: FOR_SCRIPTS,
    access: 'resource',
    query: z.object({ key: z.string().describe('Key of the object from the list of objects.') }),
    errors: [404],
    response: {
      status: 200,
      description: 'The bytes',
      content: { 'application/octet-stream': z.string().meta({ format: 'binary' }) },
    },
    handle: ({ ctx, query }) => readObject(ctx, query.key),
  }),
  operation({
    method: 'post',
    path: '/api/v1/admin/restores',
    id: 'beginRestore',
    needs: 'admin',
    tag,
    summary: 'Begin a restore, or continue it',
    description: `${FOR_SCRIPTS} Answers 409 with the names of what the installation has already.`,
    access: 'resource',
    body: {
      json: z.object({
        backup_id: uuid(),
        project,
        organization: uuid()
          .nullish()
          .describe(
            'Id of the organization that receives the project. Default: the organization of the key.',
          ),
        hold: z.boolean().nullish().describe('Whether open jobs are cancelled and no schedules are started.'),
      }),
    },
    errors: [404],
    response: {
      status: 200,
      json: z
        .object({
          id: z.string(),
          project: z.string().nullable(),
          organization: z.string().nullable(),
          hold: z.boolean(),
          resumed: z.boolean().describe('Whether the restore had been started before.'),
        })
        .meta({ id: 'RestoreOrder' }),
    },
    handle: ({ ctx, body }) => beginRestore(ctx, body),
  }),
  operation({
    method: 'post',
    path: '/api/v1/admin/restores/{restore_id}/rows',
    id: 'writeRestoredRows',
    needs: 'admin',
    tag,
    summary: 'Restore rows of a table',
    description: `${FOR_SCRIPTS} The rows keep their ids, and their secrets are encrypted with the key of this installation. The call may be repeated.`,
    access: 'resource',
    params: idParams('restore_id'),
    body: { json: z.object({ table, backup_key: backupKey, rows: z.array(row).max(MAX_ROWS) }) },
    response: {
      status: 200,
      json: z
        .object({
          written: z.number().int(),
          left_out: z.array(z.string()).describe('Number of rows that refer to data outside the backup.'),
          unopened,
        })
        .meta({ id: 'RestoredRows' }),
    },
    handle: ({ ctx, params, body }) => writeRows(ctx, params.restore_id, body),
  }),
  operation({
    method: 'put',
    path: '/api/v1/admin/restores/{restore_id}/object',
    id: 'writeRestoredObject',
    needs: 'admin',
    tag,
    summary: 'Restore the bytes of an object',
    description: `${FOR_SCRIPTS} Takes the object whole or in parts. Bytes with another hash are refused. The call may be repeated.`,
    access: 'resource',
    params: idParams('restore_id'),
    query: z.object({
      key: z.string().describe('Value from the list of objects.'),
      sha256: sha256.describe('SHA-256 of the whole object, also if it is sent in parts.'),
      metadata: z.string().max(14_000).nullish().describe('Value from the list of objects.'),
      piece: size(10_000).describe(
        'Number of the part in the body, counted from 1. The last part is sent last.',
      ),
      pieces: size(10_000).describe('Number of parts.'),
    }),
    body: { bytes: true },
    response: { status: 200, json: z.object({ size: z.number().int() }).meta({ id: 'RestoredObject' }) },
    handle: ({ ctx, params, query, request }) => writeObject(ctx, params.restore_id, query, request.body),
  }),
  operation({
    method: 'post',
    path: '/api/v1/admin/restores/{restore_id}/finish',
    id: 'finishRestore',
    needs: 'admin',
    tag,
    summary: 'Finish a restore',
    description: `${FOR_SCRIPTS} Starts the syncs, schedules and open jobs of one page of restored rows. Repeat the call with the \`next_page_token\` until there is none; then the restore is over.`,
    access: 'resource',
    params: idParams('restore_id'),
    body: { json: z.object({ page_token: z.string().nullish() }), optional: true },
    response: {
      status: 200,
      json: z
        .object({ syncs: z.number().int(), jobs: z.number().int(), next_page_token: z.string().nullish() })
        .meta({ id: 'RestoreStep' }),
    },
    handle: ({ ctx, params, body }) => finishRestore(ctx, params.restore_id, body ?? {}),
  }),
];
