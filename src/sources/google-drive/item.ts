import { z } from 'zod';
import { ID } from './settings.ts';

/**
 * Schema of an optional text field of a Google Drive item. An invalid value is treated as missing, so that
 * the item itself is kept.
 */
const text = z.string().nullish().catch(null);
const person = z.object({ emailAddress: text, displayName: text }).nullish().catch(null);

const permission = z.object({
  type: z.string(),
  role: z.string(),
  emailAddress: text,
  domain: text,
  deleted: z.boolean().nullish().catch(null),
});

export const driveItem = z.object({
  id: z.string().regex(ID),
  mimeType: z.string(),
  name: text,
  parents: z.array(z.string()).nullish().catch(null),
  /** Size of the file in bytes, as a decimal string. */
  size: z.unknown().optional(),
  md5Checksum: text,
  createdTime: text,
  modifiedTime: text,
  webViewLink: text,
  driveId: text,
  trashed: z.boolean().nullish().catch(null),
  owners: z.array(person).nullish().catch(null),
  lastModifyingUser: person,
  shortcutDetails: z
    .object({ targetId: z.string().regex(ID), targetMimeType: text })
    .nullish()
    .catch(null),
  permissions: z.array(permission).nullish().catch(null),
});
export type DriveItem = z.infer<typeof driveItem>;

const OWN_FIELDS = [
  ...['id', 'mimeType', 'name', 'parents', 'size', 'md5Checksum', 'createdTime', 'modifiedTime'],
  ...['webViewLink', 'driveId', 'trashed', 'owners(emailAddress,displayName)'],
  ...['lastModifyingUser(emailAddress,displayName)', 'shortcutDetails(targetId,targetMimeType)'],
].join(',');
const PERMISSIONS = 'permissions(type,role,emailAddress,domain,deleted)';

/**
 * Returns the names of the fields to request for each Google Drive item. Permissions are optional, because
 * they make responses large.
 */
export const getRequestedFields = (withPermissions: boolean) =>
  withPermissions ? `${OWN_FIELDS},${PERMISSIONS}` : OWN_FIELDS;

/**
 * Schema of one page of a file listing. Items that cannot be parsed are left out and counted. A page on which
 * no item can be parsed is rejected.
 */
export const driveItems = z
  .object({
    files: z.array(z.unknown()),
    nextPageToken: z.string().nullish(),
    incompleteSearch: z.boolean().nullish(),
  })
  .transform(({ files: given, ...page }, context) => {
    const files = given.flatMap((each) => driveItem.safeParse(each).data ?? []);
    if (files.length === 0 && given.length > 0) {
      context.addIssue({ code: 'custom', path: ['files'] });
    }
    return { ...page, files, leftOut: given.length - files.length };
  });
