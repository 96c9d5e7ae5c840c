import { Indexes } from '../screens/indexes/indexes.tsx';
import type { Loadable } from './loadable.tsx';
import { loadable } from './loadable.tsx';

type Screen = Loadable<object>;

const page = (read: Parameters<typeof loadable>[0]): Screen => loadable(read, { isPage: true });

/** Screens of the console by route. Only the code of the indexes screen is part of the initial bundle. */
export const SCREENS: Record<string, Screen> = {
  '/indexes': Object.assign(Indexes, {
    load: async () => {},
    isLoaded: () => true,
    needsReload: () => false,
  }),
  '/indexes/:id': page(() => import('../screens/index/overview.tsx')),
  '/indexes/:id/playground': page(() => import('../screens/playground/playground.tsx')),
  '/indexes/:id/files': page(() => import('../screens/index-files/files.tsx')),
  '/indexes/:id/files/:fid': page(() => import('../screens/inspector/inspector.tsx')),
  '/indexes/:id/sources': page(() => import('../screens/index/sources.tsx')),
  '/indexes/:id/runs': page(() => import('../screens/index/runs.tsx')),
  '/indexes/:id/settings': page(() => import('../screens/index/settings.tsx')),
  '/indexes/:id/chat': page(() => import('../screens/chat/index-chat.tsx')),
  '/files': page(() => import('../screens/files/files.tsx')),
  '/files/:id': page(() => import('../screens/files/viewer.tsx')),
  '/parse': page(() => import('../screens/parse/parse.tsx')),
  '/parse/:job': page(() => import('../screens/parse/parse.tsx')),
  '/extract': page(() => import('../screens/extract/extract.tsx')),
  '/extract/:job': page(() => import('../screens/extract/extract.tsx')),
  '/classify': page(() => import('../screens/classify/classify.tsx')),
  '/classify/:job': page(() => import('../screens/classify/classify.tsx')),
  '/batches': page(() => import('../screens/batches/batches.tsx')),
  '/batches/new': page(() => import('../screens/batches/new-batch.tsx')),
  '/batches/:id': page(() => import('../screens/batches/batch.tsx')),
  '/retrievers': page(() => import('../screens/retrievers/retrievers.tsx')),
  '/retrievers/:id': page(() => import('../screens/retrievers/retriever.tsx')),
  '/connections': page(() => import('../screens/connections/connections.tsx')),
  '/webhooks': page(() => import('../screens/webhooks/webhooks.tsx')),
  '/usage': page(() => import('../screens/admin/usage.tsx')),
  '/keys': page(() => import('../screens/admin/keys.tsx')),
  '/team': page(() => import('../screens/admin/team.tsx')),
  '/projects': page(() => import('../screens/admin/projects.tsx')),
  '/about': page(() => import('../screens/admin/about.tsx')),
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
