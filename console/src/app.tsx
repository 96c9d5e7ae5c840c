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
  '/indexes/:id/chat': lazy(() => import('./screens/chat/index-chat.tsx')),
  '/retrievers': lazy(() => import('./screens/retrievers/retrievers.tsx')),
  '/retrievers/:id': lazy(() => import('./screens/retrievers/retriever.tsx')),
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
