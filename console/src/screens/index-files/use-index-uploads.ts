import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { useProjectId } from '../../shell/project.ts';
import { useUploads } from '../../uploads/use-uploads.ts';
import { CHANGED } from './changed.ts';

/** Uploaded files go into the index, which begins to read them at once. */
export function useIndexUploads(id: string) {
  const client = useQueryClient();
  const projectId = useProjectId();
  return useUploads(`index ${id}`, {
    projectId,
    async has(name) {
      const input = { params: { pipeline_id: id }, query: { file_name_contains: name, limit: 100 } };
      const { files } = await call('GET /api/v1/pipelines/{pipeline_id}/files2', input);
      return files.some((file) => file.name === name);
    },
    async add(fileIds) {
      const input = { params: { pipeline_id: id }, body: fileIds.map((file_id) => ({ file_id })) };
      await call('PUT /api/v1/pipelines/{pipeline_id}/files', input);
      await Promise.all(CHANGED.map((each) => client.invalidateQueries({ queryKey: [each] })));
    },
  });
}
