import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { resource } from '#src/api/operation/resource.ts';
import { pageQuery, pathId, timestamp } from '#src/api/operation/schemas.ts';
import type { Directory } from '#src/db/schema/index.ts';
import {
  createDirectory,
  deleteDirectory,
  getDirectory,
  getDirectoryPage,
  updateDirectory,
} from '#src/services/directories/directories.ts';
import { directoryChanges, newDirectory } from '#src/services/directories/input.ts';

const TYPES = ['user', 'index', 'ephemeral'] as const;

const directoryBody = z
  .object({
    id: z.string(),
    project_id: z.uuid(),
    name: z.string(),
    description: z.string().nullish(),
    type: z.enum(TYPES).describe('No directory of Sluice has the type `index`.'),
    system_metadata: z.record(z.string(), z.unknown()).nullish(),
    connector_subscription_id: z.null().describe('Always null, like `data_source_id`.'),
    data_source_id: z.null(),
    expires_at: timestamp.nullish().describe('Time at which an `ephemeral` directory is deleted.'),
    deleted_at: z.null().describe('Always null. Deleted directories are gone.'),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Directory' });

const presentDirectory = (row: Directory): z.input<typeof directoryBody> => ({
  id: row.id,
  project_id: row.projectId,
  name: row.name,
  description: row.description,
  type: row.type,
  system_metadata: row.systemMetadata,
  connector_subscription_id: null,
  data_source_id: null,
  expires_at: row.expiresAt?.toISOString() ?? null,
  deleted_at: null,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});

const path = '/api/v1/beta/directories';
export const directoryPath = `${path}/{directory_id}` as const;
export const directoryParams = z.object({ directory_id: pathId('dir') });
const tag = 'Directories';

const directories = resource({
  tag,
  collection: { name: 'directories', path, access: 'project' },
  item: { name: 'a directory', path: directoryPath, params: directoryParams, access: 'resource' },
  body: directoryBody,
  present: presentDirectory,
});

export const directoryOperations = [
  directories.create({
    id: 'createDirectory',
    needs: 'write',
    description: 'Creates a directory without files.',
    body: newDirectory,
    status: 201,
    errors: [409],
    run: ({ ctx, body }) => createDirectory(ctx, body),
  }),
  directories.page({
    id: 'listDirectories',
    needs: 'read',
    pageId: 'DirectoryPage',
    description: 'Returns one page of the directories of the project, newest first.',
    query: pageQuery.extend({
      name: z.string().nullish().describe('Exact match.'),
      type: z.enum(TYPES).nullish().describe('Only directories of this type.'),
      types: z.array(z.enum(TYPES)).nullish().describe('Only directories of these types.'),
    }),
    run: ({ ctx, query }) => getDirectoryPage(ctx, query),
  }),
  directories.get({
    id: 'getDirectory',
    needs: 'read',
    description: 'Returns the directory without its files.',
    run: ({ ctx, params }) => getDirectory(ctx, params.directory_id),
  }),
  operation({
    method: 'patch',
    path: directoryPath,
    id: 'updateDirectory',
    needs: 'write',
    tag,
    summary: 'Update a directory',
    description: 'Changes the name or the description.',
    access: 'resource',
    params: directoryParams,
    body: { json: directoryChanges },
    response: { status: 200, json: directoryBody },
    handle: async ({ ctx, params, body }) =>
      presentDirectory(await updateDirectory(ctx, params.directory_id, body)),
  }),
  directories.delete({
    id: 'deleteDirectory',
    needs: 'write',
    description: 'Deletes the directory. Its files stay in the project.',
    run: ({ ctx, params }) => deleteDirectory(ctx, params.directory_id),
  }),
];
