import { t } from '../i18n/messages.ts';
import { Indexes } from '../screens/indexes/indexes.tsx';
import type { Loadable } from './loadable.tsx';
import { loadable } from './loadable.tsx';

type Screen = Loadable<object>;

/** Page whose code is loaded on demand. Its heading is the title until the page has loaded. */
const page = (getTitle: () => string, read: Parameters<typeof loadable>[0]): Screen =>
  loadable(read, { getTitle });

const getIndexBreadcrumbs = () => [{ to: '/indexes', label: t('Indexes') }];

/** Page of one index. */
const indexPage = (read: Parameters<typeof loadable>[0]): Screen =>
  loadable(read, { getTitle: () => t('Index'), getBreadcrumbs: getIndexBreadcrumbs });

/**
 * Screens of the console by route. Only the code of the indexes screen is part of the initial bundle. Each
 * screen is created once, because React discards the state of a page whose component is another one.
 */
export const SCREENS: Readonly<Record<string, Screen>> = {
  '/indexes': Object.assign(Indexes, {
    load: async () => {},
    isLoaded: () => true,
    needsReload: () => false,
  }),
  '/indexes/:id': indexPage(() => import('../screens/index/overview.tsx')),
  '/indexes/:id/playground': indexPage(() => import('../screens/playground/playground.tsx')),
  '/indexes/:id/files': indexPage(() => import('../screens/index-files/files.tsx')),
  '/indexes/:id/files/:fid': indexPage(() => import('../screens/inspector/inspector.tsx')),
  '/indexes/:id/sources': indexPage(() => import('../screens/index/sources.tsx')),
  '/indexes/:id/runs': indexPage(() => import('../screens/index/runs.tsx')),
  '/indexes/:id/settings': indexPage(() => import('../screens/index/settings.tsx')),
  '/indexes/:id/chat': indexPage(() => import('../screens/chat/index-chat.tsx')),
  '/files': page(
    () => t('Files'),
    () => import('../screens/files/files.tsx'),
  ),
  '/files/:id': page(
    () => t('File'),
    () => import('../screens/files/viewer.tsx'),
  ),
  '/parse': page(
    () => t('Parse'),
    () => import('../screens/parse/parse.tsx'),
  ),
  '/parse/:job': page(
    () => t('Parse'),
    () => import('../screens/parse/parse.tsx'),
  ),
  '/extract': page(
    () => t('Extract'),
    () => import('../screens/extract/extract.tsx'),
  ),
  '/extract/:job': page(
    () => t('Extract'),
    () => import('../screens/extract/extract.tsx'),
  ),
  '/classify': page(
    () => t('Classify'),
    () => import('../screens/classify/classify.tsx'),
  ),
  '/classify/:job': page(
    () => t('Classify'),
    () => import('../screens/classify/classify.tsx'),
  ),
  '/batches': page(
    () => t('Batches'),
    () => import('../screens/batches/batches.tsx'),
  ),
  '/batches/new': page(
    () => t('New batch'),
    () => import('../screens/batches/new-batch.tsx'),
  ),
  '/batches/:id': page(
    () => t('Batch'),
    () => import('../screens/batches/batch.tsx'),
  ),
  '/evaluations': page(
    () => t('Evaluations'),
    () => import('../screens/evaluations/evaluations.tsx'),
  ),
  '/evaluations/sets/:id': page(
    () => t('Question set'),
    () => import('../screens/evaluations/question-set.tsx'),
  ),
  '/evaluations/runs/:id': page(
    () => t('Run'),
    () => import('../screens/evaluations/run.tsx'),
  ),
  '/evaluations/truth-sets/:id': page(
    () => t('Truth set'),
    () => import('../screens/evaluations/accuracy/truth-set.tsx'),
  ),
  '/evaluations/accuracy-runs/:id': page(
    () => t('Run'),
    () => import('../screens/evaluations/accuracy/accuracy-run.tsx'),
  ),
  '/retrievers': page(
    () => t('Retrievers'),
    () => import('../screens/retrievers/retrievers.tsx'),
  ),
  '/retrievers/:id': page(
    () => t('Retriever'),
    () => import('../screens/retrievers/retriever.tsx'),
  ),
  '/connections': page(
    () => t('Connections'),
    () => import('../screens/connections/connections.tsx'),
  ),
  '/webhooks': page(
    () => t('Webhooks'),
    () => import('../screens/webhooks/webhooks.tsx'),
  ),
  '/traces': page(
    () => t('Traces'),
    () => import('../screens/traces/traces.tsx'),
  ),
  '/traces/:id': page(
    () => t('Trace'),
    () => import('../screens/traces/trace.tsx'),
  ),
  '/usage': page(
    () => t('Usage'),
    () => import('../screens/admin/usage.tsx'),
  ),
  '/keys': page(
    () => t('API keys'),
    () => import('../screens/admin/keys.tsx'),
  ),
  '/connect': page(
    () => t('Connect an application'),
    () => import('../screens/admin/connect.tsx'),
  ),
  '/team': page(
    () => t('Team'),
    () => import('../screens/admin/team.tsx'),
  ),
  '/audit-log': page(
    () => t('Audit log'),
    () => import('../screens/admin/audit-log.tsx'),
  ),
  '/projects': page(
    () => t('Projects'),
    () => import('../screens/admin/projects.tsx'),
  ),
  '/about': page(
    () => t('About'),
    () => import('../screens/admin/about.tsx'),
  ),
};

const PATTERNS = Object.entries(SCREENS).map(([route, screen]) => ({
  pattern: new RegExp(`^/console${route.replace(/:\w+/g, '[^/]+')}/?$`),
  screen,
}));

/** Returns the screen of a console address, or `undefined` if no route matches. */
export function findScreen(address: string): Screen | undefined {
  const path = address.replace(/[?#].*$/, '');
  return PATTERNS.find(({ pattern }) => pattern.test(path))?.screen;
}
