import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import { call, whenSignedOut } from '../api/client.ts';
import type { ApiError } from '../api/errors.ts';
import type { Session } from '../api/types.ts';
import { Failure, Skeleton } from '../ui/states.tsx';
import { SignIn, SignInDialog } from './sign-in.tsx';

const SessionContext = createContext<{ session: Session; signOut: () => Promise<void> } | undefined>(
  undefined,
);

/** Who is signed in. */
export function useSession() {
  const known = useContext(SessionContext);
  if (!known) throw new Error('useSession stands outside of SessionGate');
  return known;
}

/** Lets in who is signed in. When a session ends, it asks for the key above the page, which stays as it is. */
export function SessionGate({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [isOut, setOut] = useState(false);
  const read = useQuery<Session, ApiError>({
    queryKey: ['session'],
    queryFn: () => call('GET /api/v1/session', {}),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  useEffect(() => whenSignedOut(() => setOut(true)), []);

  const signedIn = useCallback(async () => {
    await client.refetchQueries({ queryKey: ['session'] });
    setOut(false);
    await client.invalidateQueries();
  }, [client]);
  const signOut = useCallback(async () => {
    await call('DELETE /api/v1/session', {});
    client.clear();
    // What is remembered of uploads names files of the person who signs out.
    sessionStorage.clear();
    location.assign('/console/');
  }, [client]);

  if (read.data) {
    return (
      <SessionContext.Provider value={{ session: read.data, signOut }}>
        {children}
        {isOut && <SignInDialog onSignedIn={signedIn} />}
      </SessionContext.Provider>
    );
  }
  if (read.error?.status === 401) return <SignIn onSignedIn={signedIn} />;
  if (read.error) {
    return (
      <Failure error={read.error} what="Sluice could not be reached" onRetry={() => void read.refetch()} />
    );
  }
  return <Skeleton />;
}
