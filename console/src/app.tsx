import { Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { goWhenLoaded } from './shell/navigation.ts';
import { SCREENS } from './shell/screens.tsx';
import { SessionGate } from './shell/session.tsx';
import { Shell } from './shell/shell.tsx';
import { ButtonLink } from './ui/button.tsx';
import { ErrorBoundary } from './ui/error-boundary.tsx';
import { Page } from './ui/page.tsx';
import { Empty } from './ui/states.tsx';

export function App() {
  return (
    <SessionGate>
      <Router base="/console" aroundNav={goWhenLoaded}>
        <Shell>
          <Screens />
        </Shell>
      </Router>
    </SessionGate>
  );
}

function Screens() {
  const [location] = useLocation();
  return (
    <ErrorBoundary resetKey={location}>
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
    </ErrorBoundary>
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
