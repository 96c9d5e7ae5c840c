import type { GraphApi } from '#src/sources/microsoft-graph/api.ts';
import { driveCapabilities, driveReader } from '#src/sources/microsoft-graph/drive-reader.ts';
import { wantedFiles } from '#src/sources/microsoft-graph/wanted.ts';
import { defineSource, type SourceDeps } from '#src/sources/shared/define.ts';
import { type SharePointSettings, sharePointFields } from './settings.ts';
import { libraryOf } from './site.ts';

/** One document library of a SharePoint site. */
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
