import { useSession } from './session.tsx';

/** What the signed-in user may do. The service enforces the same rules, so this only decides what is shown. */
export interface Permissions {
  /** False for viewers, who read, retrieve and chat only. */
  write: boolean;
  /** True for admins with access to the whole organization. */
  administer: boolean;
}

/** Returns what the signed-in user may do, for controls that are hidden otherwise. */
export function useCan(): Permissions {
  const { session } = useSession();
  return {
    write: session.role !== 'viewer',
    administer: session.role === 'admin' && session.project_id === null,
  };
}
