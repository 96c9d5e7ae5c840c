import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '../api/client.ts';
import { ROOT } from '../api/folders.ts';
import type { ReadOperation } from '../api/types.ts';
import { getProjectPath, UploadQueue, type UploadTarget } from './queue.ts';
import { listRecordedQueues } from './records.ts';

const LISTING = 'GET /api/v1/beta/files';
/** Operations whose cached answers are outdated after files of the project were added or changed. */
export const FILE_LISTINGS: ReadOperation[] = [
  LISTING,
  'GET /api/v2/files/folders',
  'GET /api/v2/files/tags',
];

/** Operations whose cached answers are outdated after files of an index were added, removed or retried. */
export const CHANGED_BY_FILES: ReadOperation[] = [
  'GET /api/v1/pipelines/{pipeline_id}/files2',
  'GET /api/v1/pipelines/{pipeline_id}/files/status-counts',
  'GET /api/v1/pipelines/{pipeline_id}/status',
];

const queues = new Map<string, UploadQueue>();

/** Returns the upload queue of an index. All screens share the same queue until the page is reloaded. */
export function openIndexQueue(client: QueryClient, id: string, projectId: string | undefined): UploadQueue {
  return openQueue(`index:${id}:${projectId ?? ''}`, {
    projectId,
    isIndex: true,
    async has({ name, ...upload }) {
      const path = getProjectPath(upload);
      if (path !== undefined) return hasPath(path, projectId);
      const input = { params: { pipeline_id: id }, query: { file_name_contains: name, limit: 100 } };
      const { files } = await call('GET /api/v1/pipelines/{pipeline_id}/files2', input);
      return files.some((file) => file.name === name);
    },
    async add(fileIds) {
      const input = { params: { pipeline_id: id }, body: fileIds.map((file_id) => ({ file_id })) };
      await call('PUT /api/v1/pipelines/{pipeline_id}/files', input);
      await Promise.all(CHANGED_BY_FILES.map((each) => client.invalidateQueries({ queryKey: [each] })));
    },
  });
}

/** Returns the upload queue of a project. `undefined` stands for the caller's default project. */
export function openProjectQueue(client: QueryClient, projectId: string | undefined): UploadQueue {
  return openQueue(`project:${projectId ?? ''}`, {
    projectId,
    isIndex: false,
    async has({ name, ...upload }) {
      const path = getProjectPath(upload);
      if (path !== undefined) return hasPath(path, projectId);
      const folder = upload.folder ?? ROOT;
      const query = { file_name: name, folder, page_size: 1, project_id: projectId };
      return (await call(LISTING, { query })).items.length > 0;
    },
    add: () => Promise.all(FILE_LISTINGS.map((each) => client.invalidateQueries({ queryKey: [each] }))),
  });
}

/**
 * Returns true if the project already has an uploaded file with this path as its `external_file_id`. A new
 * upload with the same path would replace the file.
 */
async function hasPath(path: string, projectId: string | undefined): Promise<boolean> {
  const query = { external_file_id: path, only_manually_uploaded: true, page_size: 1, project_id: projectId };
  return (await call(LISTING, { query })).items.length > 0;
}

function openQueue(key: string, target: UploadTarget): UploadQueue {
  const queue = queues.get(key) ?? new UploadQueue(key, target);
  queues.set(key, queue);
  return queue;
}

/** After a reload, continues adding stored files to their indexes, whichever page is open. */
export function useResumeUploads(): void {
  const client = useQueryClient();
  useEffect(() => {
    for (const key of listRecordedQueues()) {
      const [kind, id, projectId] = key.split(':');
      if (kind === 'index' && id) openIndexQueue(client, id, projectId || undefined);
    }
  }, [client]);
}
