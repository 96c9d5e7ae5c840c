import type { Session } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';

export type Role = Session['role'];

export const getRoleLabels = (): Readonly<Record<Role, string>> => ({
  viewer: t('Viewer'),
  member: t('Member'),
  admin: t('Admin'),
});

/** Roles with an explanation, for a select field. */
export const getRoles = (): { value: Role; label: string }[] => [
  { value: 'viewer', label: t('Viewer: can read, search and chat') },
  { value: 'member', label: t('Member: can read and change everything in projects') },
  { value: 'admin', label: t('Admin: can also manage members, their keys and projects') },
];
