import { useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';

const CACHED = { staleTime: 300_000 };

/**
 * Returns the id and name of the document that a job reads. If the input is a parse job, the document is the
 * file that was parsed.
 */
export function useJobInput(input: string): { fileId: string | undefined; name: string } {
  const isUrl = /^https?:/i.test(input);
  const isParse = input.startsWith('pjb-');
  const job = useApiQuery(
    'GET /api/v2/parse/{job_id}',
    { params: { job_id: input } },
    { ...CACHED, enabled: isParse },
  );
  const fileId = isUrl ? undefined : isParse ? (job.data?.file_id ?? undefined) : input.replace(/^dfl-/, '');
  const file = useApiQuery(
    'GET /api/v1/files/{id}',
    { params: { id: fileId ?? '' } },
    { ...CACHED, enabled: fileId !== undefined && fileId !== '' },
  );
  if (file.error?.status === 404) return { fileId: undefined, name: t('A deleted file') };
  return { fileId, name: file.data?.name ?? (isUrl ? input : t('File')) };
}
