import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import { call, setSignedOutListener } from '../api/client.ts';
import type { ApiError } from '../api/errors.ts';
import type { Session } from '../api/types.ts';
import { t } from '../i18n/messages.ts';
import { Failure, Skeleton } from '../ui/states.tsx';
import { WriteRefusal } from '../ui/write-access.ts';
import { SESSION_QUERY } from './first-reads.ts';
import { SignIn, SignInDialog } from './sign-in.tsx';

const SessionContext = createContext<{ session: Session; signOut: () => Promise<void> } | undefined>(
  undefined,
);

export function useSession() {
  const known = useContext(SessionContext);
  if (!known) throw new Error('useSession must be used within SessionGate');
  return known;
}

/**
 * Renders its children for a signed-in user, and the sign-in page otherwise. If the session ends later, a
 * dialog asks for the key and the page below keeps its state.
 */
export function SessionGate({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [isExpired, setExpired] = useState(false);
  const query = useQuery<Session, ApiError>(SESSION_QUERY);
  useEffect(() => setSignedOutListener(() => setExpired(true)), []);

  const signedIn = useCallback(async () => {
    await client.refetchQueries({ queryKey: SESSION_QUERY.queryKey });
    setExpired(false);
    await client.invalidateQueries();
  }, [client]);
  const signOut = useCallback(async () => {
    await call('DELETE /api/v1/session', {});
    client.clear();
    // Clears the records of uploads, because they contain names of the user's files.
    sessionStorage.clear();
    location.assign('/console/');
  }, [client]);

  if (query.data) {
    return (
      <SessionContext.Provider value={{ session: query.data, signOut }}>
        <WriteRefusal value={getWriteRefusal(query.data)}>{children}</WriteRefusal>
        {isExpired && <SignInDialog onSignedIn={signedIn} />}
      </SessionContext.Provider>
    );
  }
  if (query.error?.status === 401) return <SignIn onSignedIn={signedIn} />;
  if (query.error) {
    return (
      <Failure
        error={query.error}
        what={t('Sluice could not be reached')}
        onRetry={() => void query.refetch()}
      />
    );
  }
  return <Skeleton />;
}

/** Returns why the user may not change anything, or `undefined`. Buttons that write show the reason. */
const getWriteRefusal = ({ role }: Session): string | undefined =>
  role === 'viewer'
    ? t('Your role is viewer, so you cannot change anything. An admin can change your role.')
    : undefined;
