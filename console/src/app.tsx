import { type ComponentType, lazy, Suspense } from 'react';
import { Redirect, Route, Router, Switch } from 'wouter';
import { Indexes } from './screens/indexes/indexes.tsx';
import { SessionGate } from './shell/session.tsx';
import { Shell } from './shell/shell.tsx';
import { ButtonLink } from './ui/button.tsx';
import { Page } from './ui/page.tsx';
import { Empty, Skeleton } from './ui/states.tsx';

/** The screens by their addresses; all but the first are read when one goes there. */
const SCREENS: Record<string, ComponentType> = {
  '/indexes': Indexes,
  '/indexes/:id': lazy(() => import('./screens/index/overview.tsx')),
  '/indexes/:id/playground': lazy(() => import('./screens/playground/playground.tsx')),
  '/indexes/:id/files': lazy(() => import('./screens/index-files/files.tsx')),
  '/indexes/:id/files/:fid': lazy(() => import('./screens/inspector/inspector.tsx')),
  '/indexes/:id/sources': lazy(() => import('./screens/index/sources.tsx')),
  '/indexes/:id/runs': lazy(() => import('./screens/index/runs.tsx')),
  '/indexes/:id/settings': lazy(() => import('./screens/index/settings.tsx')),
  '/indexes/:id/chat': lazy(() => import('./screens/chat/index-chat.tsx')),
  '/files': lazy(() => import('./screens/files/files.tsx')),
  '/files/:id': lazy(() => import('./screens/files/viewer.tsx')),
  '/parse': lazy(() => import('./screens/parse/parse.tsx')),
  '/parse/:job': lazy(() => import('./screens/parse/parse.tsx')),
  '/extract': lazy(() => import('./screens/extract/extract.tsx')),
  '/extract/:job': lazy(() => import('./screens/extract/extract.tsx')),
  '/classify': lazy(() => import('./screens/classify/classify.tsx')),
  '/classify/:job': lazy(() => import('./screens/classify/classify.tsx')),
  '/retrievers': lazy(() => import('./screens/retrievers/retrievers.tsx')),
  '/retrievers/:id': lazy(() => import('./screens/retrievers/retriever.tsx')),
  '/connections': lazy(() => import('./screens/connections/connections.tsx')),
  '/webhooks': lazy(() => import('./screens/webhooks/webhooks.tsx')),
  '/usage': lazy(() => import('./screens/house/usage.tsx')),
  '/keys': lazy(() => import('./screens/house/keys.tsx')),
  '/team': lazy(() => import('./screens/house/team.tsx')),
  '/projects': lazy(() => import('./screens/house/projects.tsx')),
  '/about': lazy(() => import('./screens/house/about.tsx')),
};

export function App() {
  return (
    <SessionGate>
      <Router base="/console">
        <Shell>
          <Suspense fallback={<Skeleton />}>
            <Switch>
              <Route path="/">
                <Redirect to="/indexes" replace />
              </Route>
              {Object.entries(SCREENS).map(([path, Screen]) => (
                <Route key={path} path={path}>
                  <Screen />
                </Route>
              ))}
              <Route>
                <NothingHere />
              </Route>
            </Switch>
          </Suspense>
        </Shell>
      </Router>
    </SessionGate>
  );
}

function NothingHere() {
  return (
    <Page title="Nothing is here">
      <Empty
        icon="search"
        title="No such page"
        action={<ButtonLink to="/indexes">To the indexes</ButtonLink>}
      >
        The address may be old, or what it showed was deleted.
      </Empty>
    </Page>
  );
}
