import type { Session } from '../../api/types.ts';

export type Role = Session['role'];

export const ROLE_LABELS: Readonly<Record<Role, string>> = {
  viewer: 'Viewer',
  member: 'Member',
  admin: 'Admin',
};

/** Roles with an explanation, for a select field. */
export const ROLES: { value: Role; label: string }[] = [
  { value: 'viewer', label: 'Viewer: can read, search and chat' },
  { value: 'member', label: 'Member: can read and change everything in projects' },
  { value: 'admin', label: 'Admin: can also manage members, their keys and projects' },
];
