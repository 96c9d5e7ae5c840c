import { z } from 'zod';
import type { Api } from './api.ts';
import { RequestFailure, UsageError } from './failures.ts';

const project = z.looseObject({ id: z.string(), name: z.string(), is_default: z.boolean().nullish() });
type Project = z.output<typeof project>;

/** Finds a project by id or name. Without `wanted`, returns the default project or the only one. */
export async function findProject(api: Api, wanted: string | undefined): Promise<Project | undefined> {
  const all = await api.call(z.array(project), 'GET', '/api/v1/projects');
  if (wanted !== undefined) {
    return all.find(({ id }) => id === wanted) ?? all.find(({ name }) => name === wanted);
  }
  return all.find(({ is_default }) => is_default) ?? (all.length === 1 ? all[0] : undefined);
}

export async function requireProject(api: Api, wanted: string | undefined, option: string): Promise<Project> {
  const found = await findProject(api, wanted);
  if (found) return found;
  throw new UsageError(
    wanted === undefined
      ? `The ${api.name} has no default project. Name a project with ${option}.`
      : `The ${api.name} has no project with the name or id ${wanted}.`,
  );
}

export async function findOrCreateProject(api: Api, wanted: string | undefined): Promise<Project> {
  const found = await findProject(api, wanted);
  if (found || wanted === undefined) return found ?? requireProject(api, wanted, '--project');
  try {
    return await api.call(project, 'POST', '/api/v1/projects', { body: { name: wanted }, isCreating: true });
  } catch (cause) {
    // If the response was lost, the project may have been created, so look for it again.
    const existing = cause instanceof RequestFailure ? await findProject(api, wanted) : undefined;
    if (existing) return existing;
    throw cause;
  }
}
