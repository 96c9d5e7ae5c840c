import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';

export type KeyScope = Answer<'GET /api/v1/api-keys'>[number]['scopes'][number];

/** Names of the scopes of API keys. */
export const getScopeLabels = (): Readonly<Record<KeyScope, string>> => ({
  retrieve: t('Retrieve'),
  read: t('Read'),
  write: t('Write'),
  admin: t('All rights'),
});

/** Scopes with an explanation, for a select field. */
export const getScopeChoices = (): { value: KeyScope; label: string }[] => [
  { value: 'admin', label: t('All rights of its user') },
  { value: 'write', label: t('Write: can read and change everything in projects') },
  { value: 'read', label: t('Read: can read, search and chat') },
  { value: 'retrieve', label: t('Retrieve: can only search and chat') },
];
