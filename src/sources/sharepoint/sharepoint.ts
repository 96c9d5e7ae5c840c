import { z } from 'zod';
import { field, regexText } from '#src/lib/schema/component.ts';
import { SourceError } from '#src/ports/source.ts';
import { decoded, partsOf, segment } from '#src/sources/microsoft-graph/address.ts';
import type { GraphApi } from '#src/sources/microsoft-graph/api.ts';
import { driveCapabilities, driveReader } from '#src/sources/microsoft-graph/drive-reader.ts';
import { graphFields } from '#src/sources/microsoft-graph/settings.ts';
import { wantedFiles } from '#src/sources/microsoft-graph/wanted.ts';
import { defineSource, type SourceDeps } from '#src/sources/shared/define.ts';

const sharePointFields = {
  ...graphFields,
  site_id: field.text(),
  site_name: field
    .text()
    .describe('Its name or path, instead of site_id; beside it, it has to be the same site.'),
  drive_name: field.text().describe('A document library of the site; absent: its default one.'),
  exclude_path_patterns: z.array(regexText()).nullish().describe('Against the full path with the file name.'),
  include_path_patterns: z.array(regexText()).nullish().describe('The full path must match one of them.'),
  get_permissions: field.flagOr(true),
};

type SharePointSettings = z.infer<z.ZodObject<typeof sharePointFields>>;

const text = z.string().nullish().catch(null);

const drive = z.object({ id: z.string().min(1), name: text });

const site = z.object({ id: z.string().min(1), name: text, displayName: text, webUrl: text });

type Site = z.infer<typeof site>;

const MOST_PAGES = 20;

/** Maximum number of names listed in an error message. */
const MOST_NAMED = 10;

const isSame = (one: string | null | undefined, other: string) =>
  Boolean(one) && one!.toLowerCase() === other.trim().toLowerCase();

const listed = (names: (string | null | undefined)[]) =>
  names
    .filter((name) => name)
    .slice(0, MOST_NAMED)
    .map((name) => name!.slice(0, 200))
    .join(', ');

const refused = (message: string) => new SourceError(`${message}.`, { retryable: false });

/** Source for one document library of a SharePoint site. */
export const sharePoint = defineSource({
  kind: 'SOURCE_7_SITE',
  title: 'Team site',
  client: { word: 'MICROSOFT_SHAREPOINT', className: 'CloudSharepointDataSource' },
  fields: sharePointFields,
  capabilities: driveCapabilities,
  open: (settings, deps) => readerOf(settings, deps).source,
  check: (settings, deps) => readerOf(settings, deps).check(),
});

function readerOf(settings: SharePointSettings, deps: SourceDeps) {
  const findDrive = (api: GraphApi) => libraryOf(api, settings);
  const withPermissions = settings.get_permissions !== false;
  return driveReader({ settings, findDrive, wanted: wantedFiles(settings), withPermissions }, deps);
}

/**
 * Returns the drive id of the configured document library. Rejects with a SourceError that names the wrong
 * setting.
 */
async function libraryOf(api: GraphApi, settings: SharePointSettings): Promise<string> {
  const { site_id, drive_name } = settings;
  const field = site_id ? 'site_id' : 'site_name';
  const address = `/sites/${segment(await siteId(api, settings), field)}`;
  if (!drive_name) {
    const found = await api.get(`${address}/drive?$select=id`, drive, `the library of a site (${field})`);
    if (!found) throw refused(`${field} names no site with a document library that the application may read`);
    return found.id;
  }
  const drives = await all(api, `${address}/drives?$select=id,name`, drive, `libraries of a site (${field})`);
  if (!drives) throw refused(`${field} names no site that the application may read`);
  const named = drives.filter(({ name }) => isSame(name, drive_name));
  if (named.length === 1) return named[0]!.id;
  const problem = named.length === 0 ? 'names no library of the site' : 'names several libraries of the site';
  throw refused(`drive_name ${problem}, which has: ${listed(drives.map(({ name }) => name))}`);
}

async function siteId(api: GraphApi, { site_id, site_name }: SharePointSettings): Promise<string> {
  if (!site_name) {
    if (site_id) return site_id;
    throw refused('SharePoint needs site_id or site_name');
  }
  const words = encodeURIComponent(partsOf(site_name).at(-1) ?? site_name);
  const address = `/sites?search=${words}&$select=id,name,displayName,webUrl`;
  const found = (await all(api, address, site, 'sites by name (site_name)')) ?? [];
  const named = found.filter((each) => isNamed(each, site_name));
  const fitting = site_id
    ? named.filter(({ id }) => isSame(id, site_id) || id.split(',').includes(site_id))
    : named;
  if (fitting.length === 1) return fitting[0]!.id;
  if (named.length === 0) throw refused('site_name names no site that the application may find');
  if (site_id) throw refused('site_id and site_name name different sites');
  const addresses = listed(named.map(({ webUrl }) => webUrl));
  throw refused(`site_name names several sites; give site_id, or the path of one of them: ${addresses}`);
}

/** Whether the text is the site's title, short name, path or URL. */
function isNamed({ name, displayName, webUrl }: Site, given: string): boolean {
  const url = URL.parse(webUrl ?? '');
  const path = url && partsOf(decoded(url.pathname)).join('/');
  const bare = partsOf(given).join('/');
  return isSame(name, given) || isSame(displayName, given) || isSame(path, bare) || isSame(url?.href, given);
}

async function all<T>(api: GraphApi, address: string, schema: z.ZodType<T>, what: string) {
  const members: T[] = [];
  let next: string | null = address;
  for (let pages = 0; next !== null && pages < MOST_PAGES; pages++) {
    const page: Awaited<ReturnType<typeof api.page<T>>> = await api.page(next, schema, what);
    if (!page) return pages === 0 ? undefined : members;
    members.push(...page.members);
    next = page.next;
  }
  return members;
}
