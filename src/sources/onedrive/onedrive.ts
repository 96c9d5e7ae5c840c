import { z } from 'zod';
import { SourceError } from '#src/ports/source.ts';
import { segment } from '#src/sources/microsoft-graph/address.ts';
import type { GraphApi } from '#src/sources/microsoft-graph/api.ts';
import { driveCapabilities, driveReader } from '#src/sources/microsoft-graph/drive-reader.ts';
import { type GraphSettings, graphFields } from '#src/sources/microsoft-graph/settings.ts';
import { wantedFiles } from '#src/sources/microsoft-graph/wanted.ts';
import { defineSource, type SourceDeps } from '#src/sources/shared/define.ts';

type OneDriveSettings = GraphSettings & { user_principal_name: string };

/** Source for one user's OneDrive, read by an application registered in the user's organization. */
export const oneDrive = defineSource({
  kind: 'SOURCE_6_PERSONAL_DRIVE',
  title: 'Personal drive',
  client: { word: 'MICROSOFT_ONEDRIVE', className: 'CloudOneDriveDataSource' },
  fields: { ...graphFields, user_principal_name: z.string() },
  capabilities: driveCapabilities,
  open: (settings, deps) => readerOf(settings, deps).source,
  check: (settings, deps) => readerOf(settings, deps).check(),
});

function readerOf(settings: OneDriveSettings, deps: SourceDeps) {
  const findDrive = (api: GraphApi) => driveOf(api, settings.user_principal_name);
  return driveReader({ settings, findDrive, wanted: wantedFiles(settings), withPermissions: true }, deps);
}

async function driveOf(api: GraphApi, user: string): Promise<string> {
  const address = `/users/${segment(user, 'user_principal_name')}/drive?$select=id`;
  const what = 'the drive of a user (user_principal_name)';
  const drive = await api.get(address, z.object({ id: z.string().min(1) }), what);
  if (drive) return drive.id;
  const message = 'user_principal_name names nobody of this tenant who has a drive.';
  throw new SourceError(message, { retryable: false, status: 404 });
}
