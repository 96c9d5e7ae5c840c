import { useQueryClient } from '@tanstack/react-query';
import { useProjectId } from '../../shell/project.ts';
import { openIndexQueue } from '../../uploads/targets.ts';
import { useUploads } from '../../uploads/use-uploads.ts';

/** Uploads files and adds them to the index, which starts to process them immediately. */
export function useIndexUploads(id: string) {
  const client = useQueryClient();
  const projectId = useProjectId();
  return useUploads(openIndexQueue(client, id, projectId));
}
