import { z } from 'zod';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { SourceError } from '#src/ports/source.ts';
import { parseRetryAfter } from '#src/upstream/retry-after.ts';
import { isRetryableStatus } from '#src/upstream/retryable.ts';
import { getItemAddress } from './address.ts';
import { BATCH, type BatchAnswer, type GraphApi } from './api.ts';

const text = z.string().nullish().catch(null);
const identity = z
  .object({ id: text, displayName: text, email: text, loginName: text })
  .nullish()
  .catch(null);
const identities = z.object({ user: identity, group: identity, siteUser: identity, siteGroup: identity });
type Identities = z.infer<typeof identities>;
const permission = z.object({
  grantedToV2: identities.nullish().catch(null),
  grantedTo: identities.nullish().catch(null),
  grantedToIdentitiesV2: z.array(identities).nullish().catch(null),
  link: z.object({ scope: text }).nullish().catch(null),
});
const permissions = z.object({ value: z.array(z.unknown()) });

export interface ItemPermissions extends Record<string, unknown> {
  /** E-mail addresses of the users who may read a file. A user without an address is listed by name. */
  users: string[];
  groups: string[];
  /** Scopes of sharing links that give access to more than named people: `anonymous` or `organization`. */
  links: string[];
}

const MAX_NAMES = 500;
const MAX_NAME_LENGTH = 300;
const OPEN_LINKS = ['anonymous', 'organization'];

/**
 * Returns the permissions of drive items, in the given order. An entry is `null` if the item no longer exists
 * or the application may not read its permissions.
 */
export async function readPermissions(
  api: GraphApi,
  driveId: string,
  itemIds: string[],
): Promise<(ItemPermissions | null)[]> {
  const batches = Array.from({ length: Math.ceil(itemIds.length / BATCH) }, (_, index) =>
    itemIds.slice(index * BATCH, (index + 1) * BATCH),
  );
  const found = await inParallel(batches, async (ids) => {
    const answers = await api.batch(ids.map((id) => `${getItemAddress(driveId, id)}/permissions`));
    const byIndex = new Map(answers.map((answer) => [answer.id, answer]));
    return ids.map((_, index) => toItemPermissions(byIndex.get(String(index))));
  });
  return found.flat();
}

function toItemPermissions(answer: BatchAnswer | undefined): ItemPermissions | null {
  if (!answer || answer.status === 403 || answer.status === 404) return null;
  const { status, headers } = answer;
  if (status !== 200) {
    const [, wait] =
      Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'retry-after') ?? [];
    throw new SourceError(`Microsoft Graph answered ${status} to a request for the permissions of a file.`, {
      retryable: isRetryableStatus(status),
      retryAfter: parseRetryAfter(wait === undefined ? null : String(wait)),
      status,
    });
  }
  const { data } = permissions.safeParse(answer.body);
  return data ? summarizePermissions(data.value) : null;
}

/** Converts permissions to sorted lists, so that equal permissions have equal values in every listing. */
function summarizePermissions(given: unknown[]): ItemPermissions {
  const [users, groups, links] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const each of given) {
    const { data } = permission.safeParse(each);
    if (!data) continue;
    const { grantedToV2, grantedTo, grantedToIdentitiesV2, link } = data;
    for (const set of [grantedToV2 ?? grantedTo, ...(grantedToIdentitiesV2 ?? [])]) {
      if (set) addGrantee(users, groups, set);
    }
    if (link?.scope && OPEN_LINKS.includes(link.scope)) links.add(link.scope);
  }
  const listed = (names: Set<string>) => [...names].sort().slice(0, MAX_NAMES);
  return { users: listed(users), groups: listed(groups), links: listed(links) };
}

/**
 * Adds the person or group who receives a permission. Microsoft Graph may describe the same person or group
 * as a directory identity and as a site identity.
 */
function addGrantee(
  users: Set<string>,
  groups: Set<string>,
  { user, group, siteUser, siteGroup }: Identities,
) {
  const login = siteUser?.loginName?.split('|').at(-1);
  const address = user?.email || siteUser?.email || (login?.includes('@') ? login : undefined);
  const add = (names: Set<string>, name: string | null | undefined) => {
    if (name) names.add(name.slice(0, MAX_NAME_LENGTH));
  };
  if (group || siteGroup)
    add(groups, group?.displayName || siteGroup?.displayName || group?.id || siteGroup?.id);
  else if (user || address) add(users, address || user?.displayName || user?.id);
  // SharePoint lists built-in groups, such as "Everyone", as site users.
  else add(groups, siteUser?.displayName || siteUser?.id);
}
