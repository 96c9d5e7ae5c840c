import { useCallback } from 'react';
import { useProjectId } from './project.ts';

/** Makes addresses of the console that stay in the page's project: `at('/indexes/1', {tab: 'x'})`. */
export function useAt(): (path: string, search?: Record<string, string | undefined>) => string {
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
