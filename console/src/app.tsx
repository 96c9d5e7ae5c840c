import { Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { useLanguage } from './i18n/language.ts';
import { t } from './i18n/messages.ts';
import { AcceptInvitation, isInvitation } from './shell/accept-invitation.tsx';
import { navigateWhenLoaded } from './shell/navigation.ts';
import { SCREENS } from './shell/screens.tsx';
import { SessionGate } from './shell/session.tsx';
import { Shell } from './shell/shell.tsx';
import { ButtonLink } from './ui/button.tsx';
import { ErrorBoundary } from './ui/error-boundary.tsx';
import { Page } from './ui/page.tsx';
import { Empty } from './ui/states.tsx';

export function App() {
  // Renders the whole page again when the language changes.
  useLanguage();
  if (isInvitation()) return <AcceptInvitation />;
  return (
    <SessionGate>
      <Router base="/console" aroundNav={navigateWhenLoaded}>
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
          <PageNotFound />
        </Route>
      </Switch>
    </ErrorBoundary>
  );
}

function PageNotFound() {
  return (
    <Page title={t('Page not found')}>
      <Empty
        icon="search"
        title={t('There is no page at this address')}
        action={<ButtonLink to="/indexes">{t('Go to indexes')}</ButtonLink>}
      >
        {t('The address may be outdated, or the item was deleted.')}
      </Empty>
    </Page>
  );
}
