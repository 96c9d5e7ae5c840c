import { t } from '../i18n/messages.ts';
import type { IconName } from '../ui/icons.tsx';
import type { Permissions } from './can.ts';

export interface NavigationItem {
  to: string;
  label: string;
  icon: IconName;
  /**
   * Letter of the keyboard shortcut, which is typed after `g`. The shortcut `g i`, for example, opens the
   * indexes.
   */
  key: string;
}

export const getMainItems = (): readonly NavigationItem[] => [
  { to: '/indexes', label: t('Indexes'), icon: 'index', key: 'i' },
  { to: '/files', label: t('Files'), icon: 'file', key: 'f' },
  { to: '/parse', label: t('Parse'), icon: 'parse', key: 'p' },
  { to: '/extract', label: t('Extract'), icon: 'extract', key: 'e' },
  { to: '/classify', label: t('Classify'), icon: 'classify', key: 'c' },
  { to: '/batches', label: t('Batches'), icon: 'batch', key: 'b' },
  { to: '/retrievers', label: t('Retrievers'), icon: 'retriever', key: 'r' },
  { to: '/connections', label: t('Connections'), icon: 'connection', key: 'n' },
  { to: '/webhooks', label: t('Webhooks'), icon: 'webhook', key: 'w' },
];

/** Returns the pages of the administration that the user may open. */
export const getAdminItems = ({ administer }: Permissions): readonly NavigationItem[] => [
  { to: '/usage', label: t('Usage'), icon: 'usage', key: 'u' },
  { to: '/traces', label: t('Traces'), icon: 'trace', key: 'x' },
  { to: '/keys', label: t('API keys'), icon: 'key', key: 'k' },
  { to: '/team', label: t('Team'), icon: 'team', key: 't' },
  { to: '/projects', label: t('Projects'), icon: 'project', key: 'o' },
  ...(administer ? [{ to: '/audit-log', label: t('Audit log'), icon: 'key', key: 'l' } as const] : []),
  { to: '/about', label: t('About'), icon: 'about', key: 'a' },
];
