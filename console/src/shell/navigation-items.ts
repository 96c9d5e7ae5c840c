import type { IconName } from '../ui/icons.tsx';

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

export const MAIN_ITEMS: readonly NavigationItem[] = [
  { to: '/indexes', label: 'Indexes', icon: 'index', key: 'i' },
  { to: '/files', label: 'Files', icon: 'file', key: 'f' },
  { to: '/parse', label: 'Parse', icon: 'parse', key: 'p' },
  { to: '/extract', label: 'Extract', icon: 'extract', key: 'e' },
  { to: '/classify', label: 'Classify', icon: 'classify', key: 'c' },
  { to: '/batches', label: 'Batches', icon: 'batch', key: 'b' },
  { to: '/retrievers', label: 'Retrievers', icon: 'retriever', key: 'r' },
  { to: '/connections', label: 'Connections', icon: 'connection', key: 'n' },
  { to: '/webhooks', label: 'Webhooks', icon: 'webhook', key: 'w' },
];

export const ADMIN_ITEMS: readonly NavigationItem[] = [
  { to: '/usage', label: 'Usage', icon: 'usage', key: 'u' },
  { to: '/keys', label: 'API keys', icon: 'key', key: 'k' },
  { to: '/team', label: 'Team', icon: 'team', key: 't' },
  { to: '/projects', label: 'Projects', icon: 'project', key: 'o' },
  { to: '/about', label: 'About', icon: 'about', key: 'a' },
];
