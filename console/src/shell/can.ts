import { useSession } from './session.tsx';

/** What the signed-in user may do. The service enforces the same rules, so this only decides what is shown. */
export interface Permissions {
  /** False for viewers, who read, retrieve and chat only. */
  write: boolean;
  /** True for admins with access to the whole organization. */
  administer: boolean;
  /** False if the session's key has not all rights of its user, and therefore cannot create or revoke keys. */
  manageKeys: boolean;
}

/** Returns what the signed-in user may do, for controls that are hidden otherwise. */
export function useCan(): Permissions {
  const { session } = useSession();
  return {
    write: session.role !== 'viewer',
    manageKeys: session.role !== 'viewer' && (session.key?.scopes.includes('admin') ?? true),
    administer: session.role === 'admin' && session.project_id === null,
  };
}
