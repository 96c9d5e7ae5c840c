import type { TenantContext } from '#src/context/context.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { findOwner, getCollection, type Owner, toStoredId } from '#src/services/audit/owner.ts';
import { type NewAuditEvent, recordEvent } from '#src/services/audit/record.ts';
import { recordEventLater } from '#src/services/audit/record-later.ts';
import type { Operation } from './operation-types.ts';

interface Change {
  spec: Operation;
  ctx: TenantContext;
  /** Validated parameters of the path. */
  params: Record<string, unknown> | undefined;
  requestId: string;
  address: string;
}

/**
 * Records that an operation has written. Call it before the operation runs: it reads who owns an object that is
 * about to be deleted. Returns the function that stores the event after the operation has succeeded. Events of
 * bulk operations are stored after the response.
 */
export async function prepareRecord(change: Change): Promise<(result: unknown) => Promise<void>> {
  const { spec } = change;
  // A delete removes the object, so its owner is read first. In all other cases the owner is read after the
  // operation, so that a request that fails does not wait for this read.
  const before = spec.method === 'delete' ? await findNamedOwner(change) : undefined;
  return async (result) => {
    if (result instanceof Response && !result.ok) return;
    const { ctx, requestId, address } = change;
    const shown = findShownProject(result);
    const owner = before ?? (await findOwnerAfterwards(change, shown));
    const event: NewAuditEvent = {
      // A deleted organization has no log any more, so the organization of the key gets the event.
      organizationId: isOrganizationDeleted(spec)
        ? ctx.actor.organizationId
        : (owner?.organizationId ?? ctx.organizationId),
      projectId: owner ? owner.projectId : (shown ?? getScopeProject(change)),
      userId: ctx.actor.userId,
      keyId: ctx.actor.keyId,
      operation: spec.id,
      ...describeObject(spec, change.params, result),
      requestId,
      address,
    };
    if (spec.isBulk) recordEventLater(ctx, event);
    else await recordEvent(ctx, event);
  };
}

const isOrganizationDeleted = ({ method, path }: Operation) =>
  method === 'delete' && path.endsWith('/organizations/{organization_id}');

/** Operations that take no project act on the organization, or on the object that they name. */
const getScopeProject = ({ spec, ctx }: Change) =>
  spec.access === 'project' ? ctx.projectId : ctx.onlyProjectId;

/**
 * Returns the owner of an object after its change. Returns `undefined` if the database fails, because the change
 * has happened and must not be answered with an error.
 */
async function findOwnerAfterwards(change: Change, shown: string | undefined): Promise<Owner | undefined> {
  const { spec, ctx } = change;
  try {
    const named = await findNamedOwner(change);
    if (named || spec.access !== 'resource' || shown === undefined) return named;
    // An operation without a scope and without an id in its path acts in the project that its answer shows.
    return await findOwner(ctx, 'projects', shown);
  } catch (error) {
    const { id: operation } = spec;
    ctx.log.warn('owner of a changed object not read', { operation, error: getErrorMessage(error) });
    return undefined;
  }
}

/** Returns the project that an answer shows: of the object, of the first one of a list, or of a job's agent. */
function findShownProject(result: unknown): string | undefined {
  const [first] = [result].flat() as [Shown | null | undefined];
  const shown = first?.project_id ?? first?.extraction_agent?.project_id;
  return typeof shown === 'string' ? shown : undefined;
}

interface Shown {
  project_id?: unknown;
  extraction_agent?: { project_id?: unknown };
}

/** Returns the owner of the first object in the path, such as the pipeline of `/pipelines/{pipeline_id}/files`. */
async function findNamedOwner({ spec, ctx, params }: Change): Promise<Owner | undefined> {
  const segments = spec.path.split('/');
  const place = segments.findIndex((segment) => segment.startsWith('{'));
  const id = params?.[segments[place]?.slice(1, -1) ?? ''];
  return typeof id === 'string' ? findOwner(ctx, getCollection(segments, place), id) : undefined;
}

/**
 * Returns the type and the id of the changed object. A new object is named by the answer, and other objects by
 * the last parameter of the path.
 */
export function describeObject(
  { path, method }: Pick<Operation, 'path' | 'method'>,
  params: Record<string, unknown> | undefined,
  result: unknown,
): { objectType: string | null; objectId: string | null } {
  const segments = path.split('/').filter(Boolean);
  const last = segments.at(-1) ?? '';
  const { id } = (result ?? {}) as { id?: unknown };
  if (!last.startsWith('{') && method !== 'delete' && typeof id === 'string') {
    return { objectType: toTypeName(getCollection(segments, segments.length)), objectId: id };
  }
  const place = segments.findLastIndex((segment) => segment.startsWith('{'));
  const named = params?.[segments[place]?.slice(1, -1) ?? ''];
  if (typeof named !== 'string') return { objectType: toTypeName(last), objectId: null };
  const collection = getCollection(segments, place);
  return { objectType: toTypeName(collection), objectId: toStoredId(collection, named) };
}

/** Turns the name of a collection into that of one object, such as `data-sinks` into `data_sink`. */
function toTypeName(collection: string): string {
  const name = collection === 'evaluations/runs' ? 'evaluation-runs' : collection.replace(/^.*\//, '');
  return name
    .replace(/ies$/, 'y')
    .replace(/(?<=ch|sh|x)es$/, '')
    .replace(/s$/, '')
    .replaceAll('-', '_');
}
