import { z } from 'zod';
import { ID } from './settings.ts';

/** What cannot be read of an item's lesser members is absent: the item is worth having. */
const text = z.string().nullish().catch(null);
const person = z.object({ emailAddress: text, displayName: text }).nullish().catch(null);

/** Who may do what: a user, a group, all of a domain, or anyone. */
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
  /** Decimal digits, as text. */
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

/** What is asked for of an item. Permissions make a listing long, so they are asked for where they are wanted. */
export const fieldsOf = (withPermissions: boolean) =>
  withPermissions ? `${OWN_FIELDS},${PERMISSIONS}` : OWN_FIELDS;

/** A page of a listing. Items that cannot be read are left out and counted; a page of nothing but such is no page. */
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
