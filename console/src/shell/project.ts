import { useLayoutEffect } from 'react';
import { useSearchParams } from 'wouter';
import { setCurrentProject } from '../api/client.ts';

/**
 * Returns the project id from the page's address. Returns `undefined` if the address has none, which stands
 * for the caller's default project.
 */
export function useProjectId(): string | undefined {
  const [search] = useSearchParams();
  return search.get('project_id') ?? undefined;
}

/**
 * Makes API requests use the project of the page's address. Rendered once, above every component that sends
 * requests.
 */
export function useProjectFromUrl(): string | undefined {
  const project = useProjectId();
  setCurrentProject(project);
  useLayoutEffect(() => () => setCurrentProject(undefined), []);
  return project;
}
