import { z } from 'zod';
import type { Api } from './api.ts';
import { RequestFailure, WrongUse } from './failures.ts';

const project = z.looseObject({ id: z.string(), name: z.string(), is_default: z.boolean().nullish() });
type Project = z.output<typeof project>;

/** The project that is meant: by id or name, or else the default one. */
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
  throw new WrongUse(
    wanted === undefined
      ? `The ${api.name} has no default project; name one with ${option}.`
      : `The ${api.name} has no project ${wanted}.`,
  );
}

/** Made when there is none of this name. */
export async function requireOrMakeProject(api: Api, wanted: string | undefined): Promise<Project> {
  const found = await findProject(api, wanted);
  if (found || wanted === undefined) return found ?? requireProject(api, wanted, '--project');
  try {
    return await api.call(project, 'POST', '/api/v1/projects', { body: { name: wanted }, makes: true });
  } catch (cause) {
    // The answer was lost, perhaps, and not the project.
    const there = cause instanceof RequestFailure ? await findProject(api, wanted) : undefined;
    if (there) return there;
    throw cause;
  }
}
