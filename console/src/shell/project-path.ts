import { useCallback } from 'react';
import { useProjectId } from './project.ts';

/**
 * Returns a function that builds console paths and keeps the current project, as in `pathTo('/indexes/1', {
 * tab: 'x' })`.
 */
export function useProjectPath(): (path: string, search?: Record<string, string | undefined>) => string {
  const project = useProjectId();
  return useCallback(
    (path, search = {}) => {
      const given = Object.entries({ project_id: project, ...search });
      const query = new URLSearchParams(
        given.filter((each): each is [string, string] => each[1] !== undefined),
      );
      return query.size > 0 ? `${path}?${query}` : path;
    },
    [project],
  );
}
