import { useLayoutEffect } from 'react';
import { useSearchParams } from 'wouter';
import { actOnProject } from '../api/client.ts';

/** The project that the page is about, as its address has it; undefined: the caller's default. */
export function useProjectId(): string | undefined {
  const [search] = useSearchParams();
  return search.get('project_id') ?? undefined;
}

/** Keeps requests with the address; stands once, above everything that asks. */
export function useProjectOfAddress(): string | undefined {
  const project = useProjectId();
  actOnProject(project);
  useLayoutEffect(() => () => actOnProject(undefined), []);
  return project;
}
