import type { QueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import type { Body } from '../../api/types.ts';
import { FILE_LISTINGS } from '../../uploads/targets.ts';

const OPERATION = 'POST /api/v2/files/update';
/** Maximum number of files that one call of the operation changes. */
const MAX_FILES = 1000;

type Change = Omit<Body<typeof OPERATION>, 'file_ids'>;

/** Moves or tags files. Large selections take several calls, so an error may come after some were changed. */
export async function changeFiles(
  client: QueryClient,
  fileIds: readonly string[],
  change: Change,
): Promise<void> {
  try {
    for (let from = 0; from < fileIds.length; from += MAX_FILES) {
      const body = { ...change, file_ids: fileIds.slice(from, from + MAX_FILES) };
      await call(OPERATION, { body });
    }
  } finally {
    await Promise.all(FILE_LISTINGS.map((each) => client.invalidateQueries({ queryKey: [each] })));
  }
}
