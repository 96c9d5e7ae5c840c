import './ui/tokens.css';
import './ui/base.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError } from './api/errors.ts';
import { App } from './app.tsx';
import { startLanguage } from './i18n/language.ts';
import { isInvitation } from './shell/accept-invitation.tsx';
import { startFirstReads } from './shell/first-reads.ts';
import { watchForNewVersion } from './shell/new-version.ts';
import { applyTheme } from './shell/theme.ts';
import { watchTyping } from './shell/typed-text.ts';
import { ErrorBoundary } from './ui/error-boundary.tsx';
import { preloadOverlays } from './ui/overlays/load.ts';

applyTheme();
watchForNewVersion();
watchTyping();

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // Retries a query up to twice if the service marks its error as retryable. The delay comes from the
      // `Retry-After` header, if the response has one.
      retry: (failures, error) => failures < 2 && error instanceof ApiError && error.retryable,
      retryDelay: (failures, error) =>
        error instanceof ApiError && error.retryAfter ? error.retryAfter * 1000 : 500 * 2 ** failures,
    },
  },
});

if (!isInvitation()) void startFirstReads(client);

// Nothing is rendered before the language is known, so that no page appears in another language first.
void startLanguage().then(() => {
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <ErrorBoundary resetKey="">
          <App />
        </ErrorBoundary>
      </QueryClientProvider>
    </StrictMode>,
  );
  preloadOverlays();
});
