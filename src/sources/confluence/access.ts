import { SourceError } from '#src/ports/source.ts';
import type { ConfluenceApi } from './api.ts';
import { idQueries } from './cql.ts';
import { type Content, content, type Person } from './wire.ts';

/** Users and groups who may read a Confluence page and its descendants. Nobody else may read them. */
export interface Restriction {
  content_id: string;
  users: string[];
  groups: string[];
}

/** Ids of the accounts, groups and roles that may read a Confluence space. */
type SpaceReaders = Record<'users' | 'groups' | 'roles', string[]>;

const MAX_CACHED_RESTRICTIONS = 50_000;
/**
 * Maximum number of result pages that are read per query. Confluence may return only a few of the 100
 * requested ancestors in each result page.
 */
const MAX_PAGES = 100;
/**
 * Maximum number of result pages of permissions that are read per space. The resulting 10,000 permissions
 * still fit into a file's metadata.
 */
const MAX_GRANT_PAGES = 40;
const REFUSALS = [401, 403, 404];

/**
 * Creates a function that looks up who may read Confluence pages. Spaces and ancestor pages are requested
 * once per sync run.
 */
export function createAccessLookup(api: ConfluenceApi) {
  const restrictions = new Map<string, Restriction | null>();
  const spaces = new Map<string, SpaceReaders>();

  async function loadRestrictions(pages: Content[]): Promise<void> {
    if (restrictions.size > MAX_CACHED_RESTRICTIONS) restrictions.clear();
    for (const page of pages) restrictions.set(page.id, toRestriction(page));
    const above = new Set(pages.flatMap(({ ancestors }) => ancestors.map(({ id }) => id)));
    const unknown = [...above].filter((id) => !restrictions.has(id) && /^\d+$/.test(id));
    let isClear = true;
    for (const cql of idQueries(unknown)) {
      let cursor: string | null = null;
      for (let count = 0; count === 0 || (cursor !== null && count < MAX_PAGES); count++) {
        const page: Awaited<ReturnType<ConfluenceApi['search']>> = await api.search(cql, cursor, '', true);
        const found = page.results.map((each) => content.safeParse(each).data);
        for (const each of found) if (each) restrictions.set(each.id, toRestriction(each));
        isClear &&= !found.includes(undefined);
        cursor = page.next;
      }
      isClear &&= cursor === null;
    }
    // An ancestor that is missing from complete search results has no restrictions. If the search results are
    // incomplete, the ancestor is treated as restricted.
    for (const id of unknown) {
      if (restrictions.has(id)) continue;
      restrictions.set(id, isClear ? null : { content_id: id, users: [], groups: [] });
    }
  }

  return {
    /**
     * Returns the restrictions on each page, outermost first. A reader must pass all of them, because pages
     * inherit restrictions from their ancestors.
     */
    async restrictionsOn(pages: Content[]): Promise<Map<string, Restriction[]>> {
      await loadRestrictions(pages);
      const on = (page: Content) =>
        [...page.ancestors.map(({ id }) => id), page.id].flatMap((id) => restrictions.get(id) ?? []);
      return new Map(pages.map((page) => [page.id, on(page)]));
    },
    /**
     * Returns who may read a space. Rejects with PermissionsRefused if Confluence does not disclose the
     * permissions or the space has too many.
     */
    async getSpaceReaders(spaceId: string): Promise<SpaceReaders> {
      const known = spaces.get(spaceId) ?? (await fetchSpaceReaders(api, spaceId));
      spaces.set(spaceId, known);
      return known;
    },
  };
}
export type Access = ReturnType<typeof createAccessLookup>;

async function fetchSpaceReaders(api: ConfluenceApi, spaceId: string): Promise<SpaceReaders> {
  const readers: SpaceReaders = { users: [], groups: [], roles: [] };
  let cursor: string | null = null;
  for (let count = 0; count === 0 || cursor !== null; count++) {
    if (count === MAX_GRANT_PAGES) {
      const message = 'A space has too many permissions to read. Set sync_permissions to false.';
      throw new PermissionsRefused(message, { retryable: false });
    }
    const page: Awaited<ReturnType<ConfluenceApi['grants']>> = await api
      .grants(spaceId, cursor)
      .catch(explainRefusal);
    for (const { principal, operation } of page.results) {
      if (!principal || operation?.key !== 'read' || operation.targetType !== 'space') continue;
      const kind = `${principal.type}s`;
      if (Object.hasOwn(readers, kind)) readers[kind as keyof SpaceReaders].push(principal.id);
    }
    cursor = page.next;
  }
  return readers;
}

/**
 * Thrown when Confluence does not let these credentials read the permissions of a space, or when a space has
 * more permissions than can be stored.
 */
export class PermissionsRefused extends SourceError {}

function explainRefusal(error: unknown): never {
  if (!(error instanceof SourceError) || !REFUSALS.includes(error.status ?? 0)) throw error;
  const { status, message, cause } = error;
  throw new PermissionsRefused(
    `${message} These credentials may not read permissions. Use other credentials, or set sync_permissions to false.`,
    { retryable: false, status, cause },
  );
}

function toRestriction({ id, restrictions }: Content): Restriction | null {
  const { user, group } = restrictions?.read?.restrictions ?? {};
  const users = (user?.results ?? []).map(getPersonName);
  const groups = (group?.results ?? []).map(({ name, id: groupId }) => name || groupId || 'unknown');
  return users.length + groups.length > 0 ? { content_id: id, users, groups } : null;
}

const getPersonName = (person: Person): string => person?.email || person?.accountId || 'unknown';
