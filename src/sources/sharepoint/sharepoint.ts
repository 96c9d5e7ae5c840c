import { z } from 'zod';
import { field, regexText } from '#src/lib/schema/component.ts';
import { SourceError } from '#src/ports/source.ts';
import { decodePath, encodeSegment, splitPath } from '#src/sources/microsoft-graph/address.ts';
import type { GraphApi } from '#src/sources/microsoft-graph/api.ts';
import { createDriveReader, driveCapabilities } from '#src/sources/microsoft-graph/drive-reader.ts';
import { createPathFilter } from '#src/sources/microsoft-graph/path-filter.ts';
import { graphFields } from '#src/sources/microsoft-graph/settings.ts';
import { defineSource, type SourceDeps } from '#src/sources/shared/define.ts';

const sharePointFields = {
  ...graphFields,
  site_id: field.text(),
  site_name: field
    .text()
    .describe('Name or path of the site, instead of site_id. If both are set, they must name the same site.'),
  drive_name: field.text().describe('Document library of the site. Defaults to its default library.'),
  exclude_path_patterns: z
    .array(regexText())
    .nullish()
    .describe('Regular expressions for full paths with the file name. Matching files are skipped.'),
  include_path_patterns: z
    .array(regexText())
    .nullish()
    .describe('Regular expressions for full paths with the file name. Only matching files are read.'),
  get_permissions: field.flagOr(true),
};

type SharePointSettings = z.infer<z.ZodObject<typeof sharePointFields>>;

const text = z.string().nullish().catch(null);

const drive = z.object({ id: z.string().min(1), name: text });

const site = z.object({ id: z.string().min(1), name: text, displayName: text, webUrl: text });

type Site = z.infer<typeof site>;

const MAX_PAGES = 20;

const MAX_LISTED_NAMES = 10;

const isSame = (one: string | null | undefined, other: string) =>
  Boolean(one) && one!.toLowerCase() === other.trim().toLowerCase();

const joinNames = (names: (string | null | undefined)[]) =>
  names
    .filter((name) => name)
    .slice(0, MAX_LISTED_NAMES)
    .map((name) => name!.slice(0, 200))
    .join(', ');

const createPermanentError = (message: string) => new SourceError(`${message}.`, { retryable: false });

/** Data source for one document library of a SharePoint site. */
export const sharePoint = defineSource({
  kind: 'SOURCE_7_SITE',
  title: 'Team site',
  client: { word: 'MICROSOFT_SHAREPOINT', className: 'CloudSharepointDataSource' },
  fields: sharePointFields,
  capabilities: driveCapabilities,
  open: (settings, deps) => createReader(settings, deps).source,
  check: (settings, deps) => createReader(settings, deps).check(),
});

function createReader(settings: SharePointSettings, deps: SourceDeps) {
  const findDrive = (api: GraphApi) => findLibraryId(api, settings);
  const withPermissions = settings.get_permissions !== false;
  return createDriveReader(
    { settings, findDrive, isWanted: createPathFilter(settings), withPermissions },
    deps,
  );
}

/**
 * Returns the drive id of the configured document library. Rejects with a SourceError that names the wrong
 * setting.
 */
async function findLibraryId(api: GraphApi, settings: SharePointSettings): Promise<string> {
  const { site_id, drive_name } = settings;
  const field = site_id ? 'site_id' : 'site_name';
  const address = `/sites/${encodeSegment(await findSiteId(api, settings), field)}`;
  if (!drive_name) {
    const found = await api.get(`${address}/drive?$select=id`, drive, `the library of a site (${field})`);
    if (!found)
      throw createPermanentError(
        `${field} does not name a site with a document library that the application may read`,
      );
    return found.id;
  }
  const drives = await listAll(
    api,
    `${address}/drives?$select=id,name`,
    drive,
    `libraries of a site (${field})`,
  );
  if (!drives) throw createPermanentError(`${field} does not name a site that the application may read`);
  const named = drives.filter(({ name }) => isSame(name, drive_name));
  if (named.length === 1) return named[0]!.id;
  const problem =
    named.length === 0
      ? 'does not name a document library of the site'
      : 'matches several document libraries of the site';
  throw createPermanentError(
    `drive_name ${problem}. Its libraries: ${joinNames(drives.map(({ name }) => name))}`,
  );
}

async function findSiteId(api: GraphApi, { site_id, site_name }: SharePointSettings): Promise<string> {
  if (!site_name) {
    if (site_id) return site_id;
    throw createPermanentError('SharePoint requires site_id or site_name');
  }
  const words = encodeURIComponent(splitPath(site_name).at(-1) ?? site_name);
  const address = `/sites?search=${words}&$select=id,name,displayName,webUrl`;
  const found = (await listAll(api, address, site, 'sites by name (site_name)')) ?? [];
  const named = found.filter((each) => isNamed(each, site_name));
  const fitting = site_id
    ? named.filter(({ id }) => isSame(id, site_id) || id.split(',').includes(site_id))
    : named;
  if (fitting.length === 1) return fitting[0]!.id;
  if (named.length === 0)
    throw createPermanentError('site_name does not match a site that the application can find');
  if (site_id) throw createPermanentError('site_id and site_name name different sites');
  const addresses = joinNames(named.map(({ webUrl }) => webUrl));
  throw createPermanentError(
    `site_name matches several sites. Set site_id, or set site_name to the path of one of them: ${addresses}`,
  );
}

/** Returns whether a text is the title, short name, path or URL of a SharePoint site. */
function isNamed({ name, displayName, webUrl }: Site, given: string): boolean {
  const url = URL.parse(webUrl ?? '');
  const path = url && splitPath(decodePath(url.pathname)).join('/');
  const bare = splitPath(given).join('/');
  return isSame(name, given) || isSame(displayName, given) || isSame(path, bare) || isSame(url?.href, given);
}

async function listAll<T>(api: GraphApi, address: string, schema: z.ZodType<T>, what: string) {
  const members: T[] = [];
  let next: string | null = address;
  for (let pages = 0; next !== null && pages < MAX_PAGES; pages++) {
    const page: Awaited<ReturnType<typeof api.page<T>>> = await api.page(next, schema, what);
    if (!page) return pages === 0 ? undefined : members;
    members.push(...page.members);
    next = page.next;
  }
  return members;
}
