import { useEffect, useRef } from 'react';
import { useApiQuery } from '../../api/hooks.ts';
import type { Input, ReadOperation } from '../../api/types.ts';
import { isUnderWay, pollWhile } from '../jobs/polling.ts';

/**
 * Reads something that changes while a run is under way: once a second, and once more when the run has ended, because
 * the last reading may be older than the end.
 */
export function useRunQuery<Name extends ReadOperation>(
  { status }: { status: string },
  operation: Name,
  input: Input<Name>,
) {
  const isOpen = isUnderWay(status);
  const read = useApiQuery(operation, input, { refetchInterval: () => (isOpen ? pollWhile(true) : false) });
  const { refetch } = read;
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (wasOpen.current && !isOpen) void refetch();
    wasOpen.current = isOpen;
  }, [isOpen, refetch]);
  return read;
}
