import { z } from 'zod';
import { SourceError } from '#src/ports/source.ts';
import { encodeSegment } from '#src/sources/microsoft-graph/address.ts';
import type { GraphApi } from '#src/sources/microsoft-graph/api.ts';
import { createDriveReader, driveCapabilities } from '#src/sources/microsoft-graph/drive-reader.ts';
import { createPathFilter } from '#src/sources/microsoft-graph/path-filter.ts';
import { type GraphSettings, graphFields } from '#src/sources/microsoft-graph/settings.ts';
import { defineSource, type SourceDeps } from '#src/sources/shared/define.ts';

type OneDriveSettings = GraphSettings & { user_principal_name: string };

/** Data source for one user's OneDrive. An application registered in the user's organization reads it. */
export const oneDrive = defineSource({
  kind: 'SOURCE_6_PERSONAL_DRIVE',
  title: 'Personal drive',
  client: { word: 'MICROSOFT_ONEDRIVE', className: 'CloudOneDriveDataSource' },
  fields: { ...graphFields, user_principal_name: z.string() },
  capabilities: driveCapabilities,
  open: (settings, deps) => createReader(settings, deps).source,
  check: (settings, deps) => createReader(settings, deps).check(),
});

function createReader(settings: OneDriveSettings, deps: SourceDeps) {
  const findDrive = (api: GraphApi) => findDriveId(api, settings.user_principal_name);
  return createDriveReader(
    { settings, findDrive, isWanted: createPathFilter(settings), withPermissions: true },
    deps,
  );
}

async function findDriveId(api: GraphApi, user: string): Promise<string> {
  const address = `/users/${encodeSegment(user, 'user_principal_name')}/drive?$select=id`;
  const what = 'the drive of a user (user_principal_name)';
  const drive = await api.get(address, z.object({ id: z.string().min(1) }), what);
  if (drive) return drive.id;
  const message = 'user_principal_name does not name a user of this tenant who has a OneDrive.';
  throw new SourceError(message, { retryable: false, status: 404 });
}
