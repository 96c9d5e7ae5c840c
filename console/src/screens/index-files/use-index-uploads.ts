import { useQueryClient } from '@tanstack/react-query';
import { useProjectId } from '../../shell/project.ts';
import { openIndexQueue } from '../../uploads/targets.ts';
import { useUploads } from '../../uploads/use-uploads.ts';

/** Uploaded files are added to the index, which begins to read them at once. */
export function useIndexUploads(id: string) {
  const client = useQueryClient();
  const projectId = useProjectId();
  return useUploads(openIndexQueue(client, id, projectId));
}
